import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Where to find each class of many jars; the first jar wins. */
final class ClassIndex {
    static final ClassIndex EMPTY = new ClassIndex(Map.of(), Map.of());

    private record Place(ZipFile zip, ZipEntry entry) {}

    private final Map<String, byte[]> first;
    private final Map<String, Place> places;

    private ClassIndex(Map<String, byte[]> first, Map<String, Place> places) {
        this.first = first;
        this.places = places;
    }

    static ClassIndex of(List<String> jars) throws IOException {
        ClassIndex index = new ClassIndex(Map.of(), new HashMap<>());
        for (String jar : jars) {
            ZipFile zip = new ZipFile(jar);
            for (ZipEntry entry : Collections.list(zip.entries())) {
                if (entry.getName().endsWith(".class")) {
                    index.places.putIfAbsent(entry.getName(), new Place(zip, entry));
                }
            }
        }
        return index;
    }

    /** This index with some classes in front of it. */
    ClassIndex behind(Map<String, byte[]> first) {
        return new ClassIndex(first, places);
    }

    /** The class with this entry name, or null. */
    byte[] find(String entryName) {
        byte[] loaded = first.get(entryName);
        if (loaded != null) {
            return loaded;
        }
        Place place = places.get(entryName);
        if (place == null) {
            return null;
        }
        try {
            return place.zip.getInputStream(place.entry).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
