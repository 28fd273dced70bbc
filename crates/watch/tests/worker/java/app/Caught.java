package app;

/** Clauses that catch what their own tries throw, and tell what they were given. */
public final class Caught {
    private static Throwable thrown;

    private Caught() {}

    static class Base extends Exception {
        private static final long serialVersionUID = 1;

        Base(String message) {
            super(message);
        }
    }

    public static final class Left extends Base {
        private static final long serialVersionUID = 1;

        public Left(String message) {
            super(message);
        }
    }

    public static final class Right extends Base {
        private static final long serialVersionUID = 1;

        public Right(String message) {
            super(message);
        }
    }

    private static <T extends Throwable> T keep(T exception) {
        thrown = exception;
        return exception;
    }

    private static String tell(Throwable given) {
        String which = given == thrown ? "own " : "other ";
        return which + given.getClass().getSimpleName() + " " + given.getMessage();
    }

    public static String one() {
        try {
            throw keep(new IllegalStateException("by itself"));
        } catch (IllegalStateException e) {
            return tell(e);
        }
    }

    public static String narrower() {
        try {
            throw keep(new IllegalStateException("by itself"));
        } catch (RuntimeException e) {
            return tell(e);
        }
    }

    public static String several(boolean first) {
        try {
            throw first ? keep(new IllegalArgumentException("by itself")) : keep(new ArithmeticException("by itself"));
        } catch (IllegalArgumentException | ArithmeticException e) {
            return tell(e);
        }
    }

    public static String ofThisPackage() {
        try {
            if (thrown != keep(new Left("by itself"))) {
                throw (Left) thrown;
            }
            throw new Right("never");
        } catch (Left | Right e) {
            return tell(e);
        }
    }

    public static String within() {
        try {
            try {
                throw keep(new IllegalStateException("by itself"));
            } catch (IllegalStateException inner) {
                throw inner;
            }
        } catch (RuntimeException outer) {
            return tell(outer);
        }
    }

    public static String passedOn() {
        try {
            throw keep(new IllegalStateException("by itself"));
        } catch (IllegalStateException e) {
            throw new RuntimeException("wrapped", e);
        }
    }

    public static String trace() {
        try {
            throw keep(new IllegalStateException("by itself"));
        } catch (IllegalStateException e) {
            return e.getStackTrace()[0].getMethodName();
        }
    }
}
