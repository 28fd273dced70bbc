package app;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;

/** Clauses of wide types, and tests that want to know exactly what these have caught. */
public final class Copies {
    private static int done;

    private Copies() {}

    /** Keeps its cause, of a type of its own, in a field. */
    public static final class Failure extends Exception {
        private static final long serialVersionUID = 1;

        private final Failure reason;

        public Failure(String message, Failure reason) {
            super(message);
            this.reason = reason;
        }

        @Override
        public synchronized Throwable getCause() {
            return reason;
        }
    }

    /** Knows more than its message, if it was made by whoever knows. */
    public static final class Misread extends Exception {
        private static final long serialVersionUID = 1;

        private String token;

        public Misread(String message) {
            super(message);
        }

        Misread of(String text) {
            token = text;
            return this;
        }
    }

    private static Exception each(int number) {
        switch (number) {
            case 0:
                IOException suppressing = new IOException("first", new IllegalStateException("why"));
                suppressing.addSuppressed(new ArithmeticException("besides"));
                return suppressing;
            case 1:
                return new InvocationTargetException(new IOException("target"), "second");
            default:
                return new Failure("third", new Failure("inner", null));
        }
    }

    public static String caught(int number) {
        done = 0;
        try {
            done = 1;
            throw each(number);
        } catch (Exception e) {
            Throwable[] suppressed = e.getSuppressed();
            String besides = suppressed.length == 0 ? "" : " besides " + suppressed[0].getMessage();
            Throwable cause = e.getCause();
            String because = cause == null ? "" : " because " + cause.getMessage();
            return done + " " + e.getClass().getSimpleName() + " " + e.getMessage() + because + besides;
        }
    }

    public static String holding() {
        try {
            throw new Types.Listing();
        } catch (Exception e) {
            return e.getClass().getSimpleName();
        }
    }

    public static String wrapping() {
        try {
            throw new InvocationTargetException(new IOException("target"), "wrapped");
        } catch (Exception e) {
            return e.getMessage() + " because " + e.getCause();
        }
    }

    public static int misread(boolean fails) {
        try {
            if (fails) {
                throw new Misread("misread").of("word");
            }
            return 0;
        } catch (Misread e) {
            return e.token.length();
        }
    }

    public static int misreadAndWrapped(boolean fails) {
        try {
            return misread(fails);
        } catch (NullPointerException e) {
            throw new IllegalStateException("wrapped", e);
        }
    }
}
