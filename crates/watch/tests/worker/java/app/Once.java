package app;

/** Its only try runs when the class is initialised. */
public final class Once {
    public static final String SEEN = see();

    private static String see() {
        try {
            return String.valueOf(1);
        } catch (IllegalStateException e) {
            return "caught";
        }
    }
}
