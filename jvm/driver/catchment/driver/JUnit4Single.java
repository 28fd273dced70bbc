package catchment.driver;

import java.util.HashSet;
import java.util.Set;
import org.junit.Ignore;
import org.junit.runner.Description;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/** Listens to the run of one unit: whatever fails, the class's set-up and tear-down included, fails the unit. */
final class JUnit4Single extends RunListener {
    private final Verdict verdict = new Verdict();
    private final Set<String> notPassed = new HashSet<>();

    Verdict verdict() {
        return verdict;
    }

    @Override
    public synchronized void testFailure(Failure failure) {
        notPassed.add(failure.getDescription().getDisplayName());
        verdict.fail(failure.getException());
    }

    @Override
    public synchronized void testAssumptionFailure(Failure failure) {
        notPassed.add(failure.getDescription().getDisplayName());
        verdict.skip(failure.getException());
    }

    @Override
    public synchronized void testIgnored(Description description) {
        verdict.add(ignored(description));
    }

    static Verdict ignored(Description description) {
        Ignore mark = description.getAnnotation(Ignore.class);
        boolean isExplained = mark != null && !mark.value().isEmpty();
        return Verdict.ignored(isExplained ? "ignored: " + mark.value() : "ignored");
    }

    @Override
    public synchronized void testFinished(Description description) {
        if (!notPassed.contains(description.getDisplayName())) {
            verdict.pass();
        }
    }
}
