import java.io.IOException;
import java.io.PrintStream;
import java.lang.instrument.ClassDefinition;
import java.lang.instrument.Instrumentation;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Links every class of the JDK it runs on. An agent and a main class in one; fields of its answer are separated by tabs:
 *
 * <pre>
 *   loaded CLASS             was loaded before this program began, and can be redefined
 *   failure CLASS OUTCOME
 *   done LINKED FAILED
 * </pre>
 *
 * <p>Run it with {@code -Xverify:all}, since the JDK's own classes are otherwise trusted, and {@code --patch-module} for
 * modules that were woven. Classes the JVM loads before it can run a probe cannot be patched; the argument names a jar with
 * these, and the loaded classes are redefined by it, which verifies them too.
 */
public final class LinkJdk {
    private static Instrumentation instrumentation;
    private static List<String> loaded;

    private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    private int linked;
    private int failed;

    private LinkJdk() {}

    public static void premain(String options, Instrumentation instrumentation) {
        LinkJdk.instrumentation = instrumentation;
        Stream<Class<?>> classes = Arrays.stream(instrumentation.getAllLoadedClasses());
        // What cannot be redefined must be patched or go unseen; so far no such class minds.
        loaded = classes.filter(instrumentation::isModifiableClass).map(Class::getName).sorted().toList();
    }

    public static void main(String[] arguments) throws IOException {
        LinkJdk run = new LinkJdk();
        loaded.forEach(it -> run.out.println("loaded\t" + it));
        for (String name : classNames()) {
            run.tell(name, () -> find(name).getDeclaredConstructors());
        }
        if (arguments.length > 0) {
            run.redefineAll(Archives.classesOf(Path.of(arguments[0])));
        }
        run.out.println("done\t" + run.linked + "\t" + run.failed);
        run.out.flush();
    }

    private void redefineAll(Map<String, byte[]> classes) {
        classes.forEach((entry, bytes) -> {
            String name = className(entry);
            tell(name, () -> instrumentation.redefineClasses(new ClassDefinition(find(name), bytes)));
        });
    }

    private static List<String> classNames() throws IOException {
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (Stream<Path> files = Files.walk(modules)) {
            return files.filter(it -> it.toString().endsWith(".class") && !it.endsWith("module-info.class"))
                    .map(it -> className(it.subpath(2, it.getNameCount()).toString()))
                    .sorted()
                    .toList();
        }
    }

    private static String className(String entry) {
        return entry.substring(0, entry.length() - ".class".length()).replace('/', '.');
    }

    private static Class<?> find(String name) throws ClassNotFoundException {
        return Class.forName(name, false, ClassLoader.getSystemClassLoader());
    }

    private interface Attempt {
        void run() throws Exception;
    }

    private void tell(String name, Attempt attempt) {
        try {
            attempt.run();
            linked++;
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            failed++;
            out.println("failure\t" + name + "\t" + (e.getClass().getSimpleName() + " " + e.getMessage()).replaceAll("\\s+", " "));
        }
    }
}
