package catchment.driver;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Listens to the run of one unit: what happens in it counts, and what fails in the containers around it. */
final class PlatformSingle implements TestExecutionListener {
    private final String unit;
    private final Verdict verdict = new Verdict();

    PlatformSingle(String unit) {
        this.unit = unit;
    }

    synchronized Verdict verdict() {
        return verdict;
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier identifier, String reason) {
        if (isInside(identifier) || isAround(identifier)) {
            verdict.add(whySkipped(identifier, reason));
        }
    }

    @Override
    public synchronized void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        boolean isSuccessful = result.getStatus() == TestExecutionResult.Status.SUCCESSFUL;
        boolean isPart = isInside(identifier) && identifier.isTest();
        boolean isConcerned = isInside(identifier) || isAround(identifier);
        if (isPart || isConcerned && !isSuccessful) {
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

    /** Jupiter's conditions may run code of the application; other engines know by a mark. */
    static Verdict whySkipped(TestIdentifier identifier, String reason) {
        boolean mayDepend = PlatformUnits.isOfJupiter(identifier);
        return mayDepend ? Verdict.skipped(new NotRun(reason)) : Verdict.ignored(reason);
    }

    static Verdict verdictOf(TestExecutionResult result) {
        Verdict verdict = new Verdict();
        switch (result.getStatus()) {
            case SUCCESSFUL:
                verdict.pass();
                break;
            case ABORTED:
                verdict.skip(result.getThrowable().orElse(null));
                break;
            default:
                verdict.fail(result.getThrowable().orElseGet(() -> new AssertionError("failed without an exception")));
        }
        return verdict;
    }
}
