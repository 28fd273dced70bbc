package catchment.runtime;

/**
 * Tries whose colours are known. The agent weaves this class like any other, runs it before the program starts, and
 * compares: {@code crates/agent/src/selftest.rs} holds the expected counts per method.
 */
final class SelfTest {
    private static int sink;

    private SelfTest() {}

    static void run() {
        pink(1);
        pink(2);
        white();
        try {
            blue();
        } catch (IllegalStateException expected) {
            sink++;
        }
        nested();
    }

    /** Entered twice, left once by its end and once by a return. */
    private static int pink(int number) {
        try {
            sink += number;
            if (number == 2) {
                return sink;
            }
        } catch (RuntimeException never) {
            sink--;
        }
        return 0;
    }

    private static void white() {
        try {
            fail(true);
        } catch (IllegalStateException expected) {
            sink++;
        }
    }

    private static void blue() {
        try {
            fail(true);
        } catch (IllegalArgumentException never) {
            sink--;
        }
    }

    /** The inner try lets the exception through, the outer one catches it. */
    private static void nested() {
        try {
            try {
                fail(true);
            } catch (IllegalArgumentException never) {
                sink--;
            }
        } catch (IllegalStateException expected) {
            sink++;
        }
    }

    private static void fail(boolean really) {
        if (really) {
            throw new IllegalStateException("self-test");
        }
    }
}
