import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Links every class of the JDK it runs on and prints those that fail, as {@code failure CLASS OUTCOME}, then
 * {@code done LINKED FAILED}.
 *
 * <p>Run it with {@code -Xverify:all}, since the JDK's own classes are otherwise trusted, and {@code --patch-module} for
 * every module that was woven.
 */
public final class LinkJdk {
    private LinkJdk() {}

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        int linked = 0;
        int failed = 0;
        for (String name : classNames()) {
            String outcome = outcome(name);
            if (outcome.equals("ok")) {
                linked++;
            } else {
                failed++;
                out.println("failure\t" + name + "\t" + outcome);
            }
        }
        out.println("done\t" + linked + "\t" + failed);
        out.flush();
    }

    private static List<String> classNames() throws IOException {
        Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
        try (Stream<Path> files = Files.walk(modules)) {
            return files.filter(it -> it.toString().endsWith(".class") && !it.endsWith("module-info.class"))
                    .map(it -> it.subpath(2, it.getNameCount()).toString())
                    .map(it -> it.substring(0, it.length() - ".class".length()).replace('/', '.'))
                    .sorted()
                    .toList();
        }
    }

    private static String outcome(String name) {
        try {
            Class.forName(name, false, ClassLoader.getSystemClassLoader()).getDeclaredConstructors();
            return "ok";
        } catch (OutOfMemoryError e) {
            throw e;
        } catch (Throwable e) {
            return (e.getClass().getSimpleName() + " " + e.getMessage()).replaceAll("\\s+", " ");
        }
    }
}
