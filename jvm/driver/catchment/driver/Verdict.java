package catchment.driver;

import catchment.runtime.Worker;

/**
 * How a unit ended, summed up over its parts: failed if one failed; else skipped if one gave up, or if nothing was
 * seen of it at all; else passed. The first failure is kept, or the first reason to skip.
 *
 * <p>A part that gave up says neither yes nor no, and neither does a unit whose other parts passed.
 */
final class Verdict {
    /** Parts that are never run. They count only where nothing else does. */
    private static final int IGNORED = -1;
    private static final int NOTHING = -2;

    private int outcome = NOTHING;
    /** Why it failed or was skipped. */
    private Throwable reason;

    static Verdict failed(Throwable failure) {
        Verdict verdict = new Verdict();
        verdict.fail(failure);
        return verdict;
    }

    static Verdict skipped(Throwable reason) {
        Verdict verdict = new Verdict();
        verdict.skip(reason);
        return verdict;
    }

    static Verdict ignored(String reason) {
        Verdict verdict = new Verdict();
        verdict.ignore(reason);
        return verdict;
    }

    synchronized void pass() {
        if (outcome < 0) {
            outcome = Worker.PASSED;
            reason = null;
        }
    }

    /** @param why may be null */
    synchronized void skip(Throwable why) {
        if (outcome != Worker.FAILED && outcome != Worker.SKIPPED) {
            outcome = Worker.SKIPPED;
            reason = why;
        }
    }

    /** Switched off where the test is declared, which nothing that runs can change. */
    synchronized void ignore(String why) {
        if (outcome == NOTHING) {
            outcome = IGNORED;
            reason = new NotRun(why);
        }
    }

    synchronized void fail(Throwable thrown) {
        if (outcome != Worker.FAILED) {
            outcome = Worker.FAILED;
            reason = thrown;
        }
    }

    void add(Verdict other) {
        switch (other.outcome) {
            case Worker.PASSED:
                pass();
                break;
            case Worker.FAILED:
                fail(other.reason);
                break;
            case Worker.SKIPPED:
                skip(other.reason);
                break;
            case IGNORED:
                ignore(other.reason.getMessage());
                break;
            default:
        }
    }

    synchronized boolean isFailed() {
        return outcome == Worker.FAILED;
    }

    /** Why it failed or was skipped; may be null. */
    synchronized Throwable reason() {
        return outcome == NOTHING ? new NotRun("nothing of it ran") : reason;
    }

    /** The number {@code Worker.finished} takes. */
    synchronized int code() {
        return outcome < 0 ? Worker.SKIPPED : outcome;
    }
}
