import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Reads all classes of a jar or folder, by entry name. */
final class Archives {
    private Archives() {}

    static Map<String, byte[]> classesOf(Path path) throws IOException {
        return Files.isDirectory(path) ? classesOfFolder(path) : classesOfJar(path);
    }

    private static Map<String, byte[]> classesOfJar(Path path) throws IOException {
        Map<String, byte[]> classes = new TreeMap<>();
        // ZipFile rather than JarFile: signatures are of no interest here.
        try (ZipFile zip = new ZipFile(path.toFile())) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                if (entry.getName().endsWith(".class")) {
                    classes.put(entry.getName(), zip.getInputStream(entry).readAllBytes());
                }
            }
        }
        return classes;
    }

    private static Map<String, byte[]> classesOfFolder(Path root) throws IOException {
        Map<String, byte[]> classes = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(it -> it.toString().endsWith(".class")).toList()) {
                String entry = root.relativize(file).toString().replace('\\', '/');
                classes.put(entry, Files.readAllBytes(file));
            }
        }
        return classes;
    }
}
