package catchment.runtime;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Stands in for the agent: commands come from stdin, one a line with its words separated by tabs; events go to stdout, each
 * on a line that begins with {@code @}.
 */
public final class Worker {
    private static final BufferedReader COMMANDS = new BufferedReader(new InputStreamReader(System.in));
    private static final PrintStream EVENTS = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
    private static final String[] OUTCOMES = {"passed", "failed", "skipped"};

    private Worker() {}

    public static String[] next() {
        try {
            String line = COMMANDS.readLine();
            return line == null ? null : line.split("\t");
        } catch (IOException closed) {
            return null;
        }
    }

    public static void ready(String framework) {
        say("ready", framework);
    }

    public static void unusable(String oneLine) {
        say("unusable", oneLine);
    }

    public static void unit(String id, String className, String name, String shared) {
        say("unit", id, className, name, shared == null ? "-" : shared);
    }

    public static void problem(String what) {
        say("problem", what);
    }

    public static void discovered() {
        say("discovered");
    }

    public static void started(String id) {
        say("started", id);
    }

    public static void finished(String id, int outcome, Throwable failure) {
        say("finished", id, OUTCOMES[outcome], failure == null ? "-" : failure.toString());
    }

    public static void suiteFinished() {
        say("suiteFinished");
    }

    public static void outOfMemory() {
        say("outOfMemory");
    }

    private static void say(String... words) {
        List<String> clean = new ArrayList<>();
        for (String word : Arrays.asList(words)) {
            clean.add(word.replace('\n', '|').replace('\t', ' '));
        }
        EVENTS.println("@" + String.join("\t", clean));
    }
}
