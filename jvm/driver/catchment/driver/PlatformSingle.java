package catchment.driver;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Listens to the run of one unit: what happens in it counts, and what fails in the containers around it. */
final class PlatformSingle implements TestExecutionListener {
    private final String unit;
    private final Verdict verdict = new Verdict();
    private boolean hasRun;

    PlatformSingle(String unit) {
        this.unit = unit;
    }

    synchronized Verdict verdict() {
        if (verdict.isNothing() && !hasRun) {
            verdict.fail(new IllegalStateException("there is no test " + unit + " any more"));
        }
        return verdict;
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier identifier, String reason) {
        if (isInside(identifier) || isAround(identifier)) {
            verdict.skip();
        }
    }

    @Override
    public synchronized void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        boolean isSuccessful = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        if (isInside(identifier)) {
            // A container without tests has run as well.
            hasRun = true;
            if (identifier.isTest() || !isSuccessful) {
                verdict.add(verdictOf(result));
            }
        } else if (isAround(identifier) && !isSuccessful) {
            verdict.add(verdictOf(result));
        }
    }

    private boolean isInside(TestIdentifier identifier) {
        String id = identifier.getUniqueId();
        return id.equals(unit) || id.startsWith(unit + "/");
    }

    private boolean isAround(TestIdentifier identifier) {
        return unit.startsWith(identifier.getUniqueId() + "/");
    }

    static Verdict verdictOf(TestExecutionResult result) {
        Verdict verdict = new Verdict();
        switch (result.getStatus()) {
            case SUCCESSFUL:
                verdict.pass();
                break;
            case ABORTED:
                verdict.skip();
                break;
            default:
                verdict.fail(result.getThrowable().orElseGet(() -> new AssertionError("failed without an exception")));
        }
        return verdict;
    }
}
