package app;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/** Exception types that cannot just be constructed. Each method catches one of them. */
public final class Types {
    static boolean never;

    /** Nobody outside can name it, and its only constructor fails. */
    private static final class Hidden extends Exception {
        private Hidden(int number) {
            super("number " + 1 / number);
            throw new IllegalStateException("no");
        }
    }

    abstract static class Vague extends Exception {
        Vague(String message, Throwable cause) {
            super(message, cause);
        }

        abstract String detail();

        abstract long code();
    }

    public interface Coloured {
        String colour();

        default String shade() {
            return "dark " + colour();
        }
    }

    /** What the classes above it have is to be written anew. */
    public abstract static class Renewed extends RuntimeException implements Coloured {
        @Override
        public abstract String getMessage();
    }

    public static class Grumpy extends RuntimeException {
        public Grumpy(String message) {
            throw new IllegalArgumentException("constructor " + message);
        }
    }

    /** Its message can only be asked for if it was made by the constructor that the application uses. */
    public static class Forgetful extends RuntimeException {
        private final Object detail;

        public Forgetful(String message) {
            this(message, null);
        }

        Forgetful(String message, Object detail) {
            super(message);
            this.detail = detail;
        }

        @Override
        public String getMessage() {
            return super.getMessage() + detail.hashCode();
        }
    }

    public static class Broken extends RuntimeException {
        static final int NUMBER = Integer.parseInt("no number");
    }

    public static class Coded extends Exception {
        public final int code;
        public final String name;
        private final double share;

        public Coded(String message, int code, String name, double share, Throwable cause) {
            super(message, cause);
            this.code = code;
            this.name = name;
            this.share = share;
        }

        @Override
        public String getMessage() {
            return super.getMessage() + " " + code + " " + name + " " + share;
        }
    }

    public static class Listing extends RuntimeException {
        final List<String> lines = new ArrayList<>();
    }

    public static String hidden() {
        try {
            if (never) {
                throw new Hidden(1);
            }
            return "through";
        } catch (Hidden e) {
            return "caught " + e.getMessage();
        }
    }

    public static String abstractType() {
        try {
            mayBeVague();
            return "through";
        } catch (Vague e) {
            return "caught " + e.getMessage() + ", " + e.detail() + ", " + e.code() + ", " + e.getCause();
        }
    }

    private static void mayBeVague() throws Vague {}

    public static String renewed() {
        try {
            return String.valueOf("through");
        } catch (Renewed e) {
            return "caught " + e.getMessage() + ", " + e.shade();
        }
    }

    public static String worn(boolean fails) {
        try {
            if (fails) {
                throw new IllegalStateException("worn", new Worn("out"));
            }
            return "through";
        } catch (IllegalStateException e) {
            return ((Worn) e.getCause()).parts().toString();
        }
    }

    /** Holds more than can be given to an injected one. */
    public static class Worn extends Exception {
        private final List<String> parts = new ArrayList<>();

        public Worn(String message) {
            super(message);
        }

        public List<String> parts() {
            return parts;
        }
    }

    public static String grumpy() {
        try {
            return String.valueOf("through");
        } catch (Grumpy e) {
            return "caught " + e.getMessage();
        }
    }

    public static String forgetful() {
        try {
            return String.valueOf("through");
        } catch (Forgetful e) {
            return "caught";
        }
    }

    public static String broken() {
        try {
            return String.valueOf("through");
        } catch (Broken e) {
            return "caught";
        }
    }

    public static String unchecked() {
        try {
            return String.valueOf("through");
        } catch (UncheckedIOException e) {
            return "caught " + e.getCause().getClass().getName();
        }
    }

    public static String vm() {
        try {
            return String.valueOf("through");
        } catch (VirtualMachineError e) {
            return "caught " + e.getMessage();
        }
    }

    public static String coded(boolean fails) {
        try {
            if (fails) {
                throw new Coded("disk", 42, "sda", 0.5, new IOException("worn out"));
            }
            return "through";
        } catch (Coded e) {
            return e.getMessage() + " " + e.getCause();
        }
    }

    /** The exception keeps its cause in a field of its own. */
    public static String wrapped(boolean fails) {
        try {
            if (fails) {
                throw new InvocationTargetException(new IOException("worn out"), "wrapped");
            }
            return "through";
        } catch (InvocationTargetException e) {
            return e.getMessage() + " " + e.getCause() + " " + e.getTargetException().getMessage();
        }
    }

    public static String listing() {
        try {
            throw new Listing();
        } catch (Listing e) {
            return "caught " + e.lines;
        }
    }
}
