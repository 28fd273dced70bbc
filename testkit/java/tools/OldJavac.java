import java.util.Arrays;

/**
 * Runs a javac of long ago, patched into {@code java.compiler}, on a newer JVM.
 *
 * <p>Javac 8 looks for {@code rt.jar} below {@code java.home} even when it has a boot class path, and fails on the
 * layout of a newer JDK; the first argument is the folder it shall see instead, or {@code -}. The property
 * cannot be set on the command line: the JVM overwrites it.
 */
public final class OldJavac {
    public static void main(String[] args) throws ReflectiveOperationException {
        if (!args[0].equals("-")) {
            System.setProperty("java.home", args[0]);
        }
        Class<?> compiler = Class.forName("com.sun.tools.javac.Main");
        Object arguments = Arrays.copyOfRange(args, 1, args.length);
        System.exit((Integer) compiler.getMethod("compile", String[].class).invoke(null, arguments));
    }
}
