package catchment.driver;

/**
 * How a unit ended, summed up over its parts: failed if one failed; else passed if one passed; else skipped, unless nothing
 * was seen of it at all. The first failure is kept.
 */
final class Verdict {
    private static final int PASSED = 0;
    private static final int FAILED = 1;
    private static final int SKIPPED = 2;
    private static final int NOTHING = 3;

    private int outcome = NOTHING;
    private Throwable failure;

    static Verdict failed(Throwable failure) {
        Verdict verdict = new Verdict();
        verdict.fail(failure);
        return verdict;
    }

    static Verdict skipped() {
        Verdict verdict = new Verdict();
        verdict.skip();
        return verdict;
    }

    synchronized void pass() {
        if (outcome != FAILED) {
            outcome = PASSED;
        }
    }

    synchronized void skip() {
        if (outcome == NOTHING) {
            outcome = SKIPPED;
        }
    }

    synchronized void fail(Throwable thrown) {
        if (outcome != FAILED) {
            outcome = FAILED;
            failure = thrown;
        }
    }

    void add(Verdict other) {
        switch (other.outcome) {
            case PASSED:
                pass();
                break;
            case FAILED:
                fail(other.failure);
                break;
            case SKIPPED:
                skip();
                break;
            default:
        }
    }

    synchronized boolean isNothing() {
        return outcome == NOTHING;
    }

    synchronized boolean isFailed() {
        return outcome == FAILED;
    }

    synchronized Throwable failure() {
        return failure;
    }

    /** The number {@code Lab.finished} takes. A unit that began and of which nothing more was seen has passed. */
    synchronized int code() {
        return outcome == NOTHING ? PASSED : outcome;
    }
}
