package catchment.driver;

import catchment.runtime.Worker;
import java.util.List;
import junit.runner.Version;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;

/**
 * JUnit 4, and JUnit 3 through it. A unit is a leaf of the tree of descriptions, see {@link JUnit4Class}.
 *
 * <p>Runners are built anew for each run, as they may keep what happened in the last one.
 */
final class JUnit4 extends ClassByClass {
    private final CategoryFilter categories;

    JUnit4(Arguments arguments) {
        categories = CategoryFilter.of(arguments);
    }

    @Override
    public String description() {
        return "JUnit " + Version.id();
    }

    @Override
    void announce(Class<?> testClass) {
        try {
            JUnit4Class.cut(testClass, categories).announce();
        } catch (NoTestsRemainException empty) {
            // A class whose tests are all of other categories has no units.
        }
    }

    @Override
    public void suite(List<String> classes) {
        for (Class<?> testClass : Classes.loadAll(classes)) {
            try {
                runWhole(JUnit4Class.cut(testClass, categories));
            } catch (NoTestsRemainException empty) {
                continue;
            } catch (Throwable thrown) {
                Worker.problem("cannot run the tests of " + testClass.getName() + ": " + Diagnosis.of(thrown));
            }
        }
    }

    private static void runWhole(JUnit4Class testClass) {
        JUnit4Suite listener = new JUnit4Suite(testClass);
        try {
            run(testClass, listener);
        } finally {
            listener.end();
        }
    }

    @Override
    public Verdict test(String unit) {
        JUnit4Single listener = new JUnit4Single();
        run(JUnit4Class.only(unit, categories), listener);
        return listener.verdict();
    }

    private static void run(JUnit4Class testClass, RunListener listener) {
        RunNotifier notifier = new RunNotifier();
        notifier.addListener(listener);
        testClass.runner().run(notifier);
    }
}
