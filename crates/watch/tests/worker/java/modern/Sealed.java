package modern;

/** The first permitted subclass is abstract and sealed itself. */
public final class Sealed {
    public abstract static sealed class Trouble extends Exception permits Big, Small {}

    public abstract static sealed class Big extends Trouble permits Huge {}

    public static final class Huge extends Big {}

    public static final class Small extends Trouble {}

    public static String run() {
        try {
            mayFail();
            return "through";
        } catch (Trouble e) {
            return "caught " + e.getClass().getSimpleName();
        }
    }

    public static String runAfterBig() {
        try {
            mayFail();
            return "through";
        } catch (Big e) {
            return "big";
        } catch (Trouble e) {
            return "caught " + e.getClass().getSimpleName();
        }
    }

    private static void mayFail() throws Trouble {}
}
