package catchment.driver;

import catchment.runtime.Worker;
import java.util.HashSet;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Listens to the run of a whole class and tells of its units.
 *
 * <p>A failure or a broken assumption of a class as a whole counts for those of its units that have not run. When all
 * have run, as after a failing tear-down, it is a problem that belongs to no unit.
 */
final class JUnit4Suite extends RunListener {
    private final JUnit4Class testClass;
    private final Progress progress = new Progress();
    /** Descriptions between their start and finish; usually one. */
    private final Set<String> running = new HashSet<>();
    private final Set<String> notPassed = new HashSet<>();

    JUnit4Suite(JUnit4Class testClass) {
        this.testClass = testClass;
    }

    @Override
    public synchronized void testStarted(Description description) {
        running.add(description.getDisplayName());
        notPassed.remove(description.getDisplayName());
        progress.enter(testClass.unitOf(description).id);
    }

    @Override
    public synchronized void testFinished(Description description) {
        JUnit4Unit unit = testClass.unitOf(description);
        Verdict verdict = progress.enter(unit.id);
        if (!notPassed.contains(description.getDisplayName())) {
            verdict.pass();
        }
        running.remove(description.getDisplayName());
        if (!unit.isGroup()) {
            progress.leave();
        }
    }

    @Override
    public synchronized void testFailure(Failure failure) {
        Throwable thrown = failure.getException();
        if (!note(failure, Verdict.failed(thrown))) {
            Worker.problem("after the tests of " + testClass.name() + ": " + Diagnosis.of(thrown));
        }
    }

    @Override
    public synchronized void testAssumptionFailure(Failure failure) {
        note(failure, Verdict.skipped(failure.getException()));
    }

    @Override
    public synchronized void testIgnored(Description description) {
        neverRan(description, JUnit4Single.ignored(description));
    }

    synchronized void end() {
        progress.leave();
    }

    /** True if there was a unit to take it. */
    private boolean note(Failure failure, Verdict verdict) {
        Description description = failure.getDescription();
        String name = description.getDisplayName();
        if (running.contains(name)) {
            notPassed.add(name);
            progress.enter(testClass.unitOf(description).id).add(verdict);
            return true;
        }
        return neverRan(description, verdict);
    }

    private boolean neverRan(Description description, Verdict verdict) {
        boolean isTaken = false;
        for (JUnit4Unit unit : testClass.unitsBelow(description)) {
            // A group that is open may have parts left, which then add to its verdict.
            Verdict open = progress.of(unit.id);
            if (open != null) {
                open.add(verdict);
                isTaken = true;
            } else {
                isTaken |= progress.never(unit.id, verdict);
            }
        }
        return isTaken;
    }
}
