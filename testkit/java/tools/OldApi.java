import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Makes a boot class path of the Java 8 API that old compilers can read.
 *
 * <p>The signatures come from the JDK's own {@code lib/ct.sym} (what {@code --release 8} uses). Its folders
 * are named after the releases that share a signature, one character each ({@code 879A}); its files are class
 * files of the JDK's own version, which old compilers refuse: the version is rewritten to 52.
 */
public final class OldApi {
    private static final int VERSION_OFFSET = 4;
    private static final byte[] VERSION_52 = {0, 0, 0, 52};

    public static void main(String[] args) throws IOException {
        Path symbols = Path.of(args[0]);
        Path jar = Path.of(args[1]);
        try (ZipFile in = new ZipFile(symbols.toFile());
                OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream out = new ZipOutputStream(file)) {
            Set<String> written = new HashSet<>();
            for (ZipEntry entry : (Iterable<ZipEntry>) in.stream().<ZipEntry>map(e -> e)::iterator) {
                String name = classFileName(entry.getName());
                if (name != null && written.add(name)) {
                    copy(in, entry, out, name);
                }
            }
        }
    }

    /** {@code 879A/java.base/java/lang/Object.sig} is {@code java/lang/Object.class}; null if not of Java 8. */
    private static String classFileName(String entry) {
        String[] parts = entry.split("/", 3);
        if (parts.length < 3 || !parts[0].contains("8") || !entry.endsWith(".sig")) {
            return null;
        }
        boolean inModule = parts[1].contains(".");
        String path = inModule ? parts[2] : parts[1] + "/" + parts[2];
        return path.substring(0, path.length() - ".sig".length()) + ".class";
    }

    private static void copy(ZipFile in, ZipEntry entry, ZipOutputStream out, String name) throws IOException {
        byte[] bytes;
        try (InputStream stream = in.getInputStream(entry)) {
            bytes = stream.readAllBytes();
        }
        System.arraycopy(VERSION_52, 0, bytes, VERSION_OFFSET, VERSION_52.length);
        out.putNextEntry(new ZipEntry(name));
        out.write(bytes);
    }
}
