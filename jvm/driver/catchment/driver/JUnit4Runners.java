package catchment.driver;

import junit.framework.Test;
import junit.framework.TestSuite;
import org.junit.Ignore;
import org.junit.internal.runners.JUnit38ClassRunner;
import org.junit.runner.Description;
import org.junit.runner.Request;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.Filterable;
import org.junit.runner.manipulation.NoTestsRemainException;
import org.junit.runner.notification.RunNotifier;

/** Builds runners as JUnit does, but for JUnit 3 tests: its filters of those have gaps that differ by version. */
final class JUnit4Runners {
    private JUnit4Runners() {}

    static Runner build(Class<?> testClass, CategoryFilter categories) throws NoTestsRemainException {
        Runner runner = hasSuiteMethod(testClass) ? suiteRunner(testClass) : Request.aClass(testClass).getRunner();
        if (runner.getClass() == JUnit38ClassRunner.class) {
            runner = new SuiteRunner(new TestSuite(testClass));
        }
        if (categories != null && runner instanceof Filterable) {
            ((Filterable) runner).filter(categories);
        }
        return runner;
    }

    /** As JUnit decides: these annotations come first. */
    private static boolean hasSuiteMethod(Class<?> testClass) {
        return JUnit3Tests.suiteMethodOf(testClass) != null
                && !testClass.isAnnotationPresent(RunWith.class)
                && !testClass.isAnnotationPresent(Ignore.class);
    }

    private static Runner suiteRunner(Class<?> testClass) throws NoTestsRemainException {
        Test suite;
        try {
            suite = JUnit3Tests.suiteOf(testClass);
        } catch (Throwable thrown) {
            // JUnit's own runner fails in the same way and reports it as a test.
            return Request.aClass(testClass).getRunner();
        }
        if (JUnit3Tests.isEmpty(suite)) {
            throw new NoTestsRemainException();
        }
        return new SuiteRunner(suite);
    }

    /** JUnit's runner filters the uppermost level at most; this one takes a single test out of suites of suites. */
    private static final class SuiteRunner extends Runner implements Filterable {
        private Test test;

        SuiteRunner(Test test) {
            this.test = test;
        }

        @Override
        public Description getDescription() {
            return new JUnit38ClassRunner(test).getDescription();
        }

        @Override
        public void run(RunNotifier notifier) {
            new JUnit38ClassRunner(test).run(notifier);
        }

        @Override
        public void filter(Filter filter) throws NoTestsRemainException {
            Test kept = JUnit3Tests.kept(test, leaf -> keptOf(leaf, filter));
            if (kept == null) {
                throw new NoTestsRemainException();
            }
            test = kept;
        }

        private static Test keptOf(Test leaf, Filter filter) {
            try {
                if (!filter.shouldRun(new JUnit38ClassRunner(leaf).getDescription())) {
                    return null;
                }
                if (leaf instanceof Filterable) {
                    ((Filterable) leaf).filter(filter);
                }
                return leaf;
            } catch (NoTestsRemainException empty) {
                return null;
            }
        }
    }
}
