import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Links, so verifies, every class of an original and of a woven jar or folder, and tells which fail only when woven.
 *
 * <p>{@code LinkAll LIST}: LIST is a file with one jar per line whose classes the tested ones may need. Pairs of original
 * and woven, separated by a tab, are read from standard input. Answers per pair, fields separated by tabs:
 *
 * <pre>
 *   difference CLASS ORIGINAL-OUTCOME WOVEN-OUTCOME
 *   done LINKED FAILED-BOTH-WAYS
 * </pre>
 *
 * No class is initialised. The JVM silently gives version 50 classes with wrong frames to the old verifier, so they are
 * linked a second time as version 51, where it does not; that outcome is told under the name CLASS@51.
 */
public final class LinkAll {
    /** Where the low byte of the version stands in a class file. */
    private static final int MAJOR_VERSION = 7;

    private LinkAll() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        ClassIndex others = arguments.length == 0 ? ClassIndex.EMPTY : ClassIndex.of(Files.readAllLines(Path.of(arguments[0])));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] pair = line.split("\t");
            compare(link(Path.of(pair[0]), others), link(Path.of(pair[1]), others), out);
            out.flush();
        }
    }

    private static void compare(Map<String, String> original, Map<String, String> woven, PrintStream out) {
        int linked = 0;
        int failed = 0;
        for (Map.Entry<String, String> entry : original.entrySet()) {
            String before = entry.getValue();
            String after = woven.getOrDefault(entry.getKey(), "missing");
            if (!kind(before).equals(kind(after)) && !after.equals("ok")) {
                out.println("difference\t" + entry.getKey() + "\t" + before + "\t" + after);
            } else if (before.equals("ok")) {
                linked++;
            } else {
                failed++;
            }
        }
        out.println("done\t" + linked + "\t" + failed);
    }

    private static String kind(String outcome) {
        return outcome.split(" ", 2)[0];
    }

    private static Map<String, String> link(Path path, ClassIndex others) throws IOException {
        Map<String, byte[]> classes = Archives.classesOf(path);
        Map<String, String> outcomes = new LinkedHashMap<>();
        linkAll(new TestedLoader(classes, others), "", outcomes);
        Map<String, byte[]> strict = new TreeMap<>();
        classes.forEach((entry, bytes) -> {
            if (bytes[MAJOR_VERSION] == 50) {
                byte[] copy = bytes.clone();
                copy[MAJOR_VERSION] = 51;
                strict.put(entry, copy);
            }
        });
        classes.keySet().removeAll(strict.keySet());
        linkAll(new TestedLoader(strict, others.behind(classes)), "@51", outcomes);
        return outcomes;
    }

    private static void linkAll(TestedLoader loader, String mark, Map<String, String> outcomes) {
        for (String name : loader.testedNames()) {
            outcomes.put(name + mark, outcome(name, loader));
        }
    }

    private static String outcome(String name, ClassLoader loader) {
        try {
            // The JVM links a class before it lists its members; the constructors are the shortest list.
            Class.forName(name, false, loader).getDeclaredConstructors();
            return "ok";
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            return (e.getClass().getSimpleName() + " " + e.getMessage()).replaceAll("\\s+", " ");
        }
    }
}
