package catchment.driver;

import java.util.regex.Pattern;

/** Names of JUnit 3 and 4 tests, {@code method(class)}. */
final class Names {
    /** The hash in the default {@code toString} of a parameter: different in each JVM. */
    private static final Pattern HASH = Pattern.compile("@[0-9a-f]{5,8}(?![0-9a-zA-Z])");

    private Names() {}

    /** The name, the same in each JVM. */
    static String stable(String name) {
        return HASH.matcher(name).replaceAll("@*");
    }

    static String classOf(String name, String otherwise) {
        return isMethod(name) ? name.substring(name.lastIndexOf('(') + 1, name.length() - 1) : otherwise;
    }

    static String methodOf(String name) {
        return isMethod(name) ? name.substring(0, name.lastIndexOf('(')) : name;
    }

    private static boolean isMethod(String name) {
        return name.endsWith(")") && name.lastIndexOf('(') > 0;
    }
}
