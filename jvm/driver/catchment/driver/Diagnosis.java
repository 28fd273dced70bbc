package catchment.driver;

/** One line about a throwable, with advice where the cause is a class path that does not fit together. */
final class Diagnosis {
    private static final int MAX_DEPTH = 20;

    private Diagnosis() {}

    static String of(Throwable thrown) {
        if (thrown instanceof Unusable) {
            return thrown.getMessage();
        }
        Throwable cause = root(thrown);
        String text = oneLine(cause);
        return cause == thrown ? text : oneLine(thrown) + ", caused by " + text;
    }

    /** The last cause: what is wrapped around it says less. */
    static Throwable root(Throwable thrown) {
        Throwable cause = thrown;
        for (int depth = 0; depth < MAX_DEPTH && cause.getCause() != null; depth++) {
            cause = cause.getCause();
        }
        return cause;
    }

    static String oneLine(Throwable thrown) {
        String message;
        try {
            message = String.valueOf(thrown.getMessage());
        } catch (Throwable broken) {
            message = "(no message: " + broken.getClass().getName() + ")";
        }
        return thrown.getClass().getName() + ": " + message.trim().replaceAll("\\s*[\\r\\n]+\\s*", " ");
    }
}
