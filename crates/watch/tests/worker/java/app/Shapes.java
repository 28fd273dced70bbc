package app;

import java.io.IOException;
import java.util.concurrent.Callable;

public final class Shapes {
    static int sink;

    public static String plain(Runnable body) {
        try {
            body.run();
            return "through";
        } catch (IllegalStateException e) {
            return "caught " + e.getMessage();
        }
    }

    /** Both tries begin with the same instruction, and the inner clause would catch what the outer one catches. */
    public static String nested() {
        try {
            try {
                sink++;
                return "through";
            } catch (RuntimeException inner) {
                return "inner";
            }
        } catch (IllegalStateException outer) {
            return "outer";
        }
    }

    public static String multi() {
        try {
            sink++;
            return "through";
        } catch (IllegalArgumentException | ArithmeticException e) {
            return e.getClass().getSimpleName();
        }
    }

    public static String checked() {
        try {
            mayFail();
            return "through";
        } catch (IOException e) {
            return e.getMessage() + " because of " + e.getCause();
        }
    }

    /** What is caught by the first clause never gets to the second. */
    public static String siblings() {
        try {
            mayFail();
            return "through";
        } catch (IllegalStateException first) {
            return "first";
        } catch (IOException second) {
            return "second";
        }
    }

    private static void mayFail() throws IOException {
        if (sink < 0) {
            throw new IOException("never");
        }
    }

    private static void mayBeQuiet() throws Quiet {
        if (sink < 0) {
            throw new Quiet("never");
        }
    }

    public static String inLambda() throws Exception {
        Callable<String> lambda = () -> {
            try {
                sink++;
                return "through";
            } catch (IllegalStateException e) {
                return "caught";
            }
        };
        return lambda.call();
    }

    public static String loop() {
        while (true) {
            try {
                sink++;
                return "through";
            } catch (IllegalStateException again) {
                sink++;
            }
        }
    }

    public static String cause() throws Throwable {
        try {
            mayBeQuiet();
            return "through";
        } catch (Quiet e) {
            throw e.getCause();
        }
    }

    public static String trace() {
        try {
            sink++;
            return "through";
        } catch (IllegalStateException e) {
            return e.getStackTrace()[0].toString();
        }
    }

    public static String rethrow() {
        try {
            sink++;
            return "through";
        } catch (IllegalStateException e) {
            throw new RuntimeException("wrapped", e);
        }
    }

    public static String failInside() {
        try {
            fail();
            return "through";
        } catch (UnsupportedOperationException e) {
            return "caught";
        }
    }

    public static int deep(int depth) {
        try {
            return deep(depth + 1) + 1;
        } catch (IllegalStateException e) {
            return 0;
        }
    }

    public static void exit() {
        try {
            sink++;
        } catch (IllegalStateException e) {
            System.exit(3);
        }
    }

    public static void run(Runnable body) {
        body.run();
    }

    public static void fail() {
        throw new UnsupportedOperationException("as ever");
    }
}
