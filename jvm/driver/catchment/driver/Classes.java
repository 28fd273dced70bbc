package catchment.driver;

import catchment.runtime.Worker;
import java.util.ArrayList;
import java.util.List;

/** Finds classes by name through the application class loader, without initialising them. */
final class Classes {
    private Classes() {}

    static Class<?> load(String name) throws ClassNotFoundException {
        return Class.forName(name, false, ClassLoader.getSystemClassLoader());
    }

    /** A class that is there but cannot be used, as it is for a later Java, is an error with a telling message. */
    static boolean isHere(String name) {
        try {
            load(name);
            return true;
        } catch (ClassNotFoundException | NoClassDefFoundError absent) {
            return false;
        }
    }

    /** Those that can be loaded; the others are problems. */
    static List<Class<?>> loadAll(List<String> names) {
        List<Class<?>> classes = new ArrayList<>();
        for (String name : names) {
            try {
                classes.add(load(name));
            } catch (ClassNotFoundException | LinkageError absent) {
                Worker.problem("cannot load the test class " + name + ": " + absent);
            }
        }
        return classes;
    }
}
