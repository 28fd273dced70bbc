package catchment.driver;

import catchment.runtime.Worker;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import junit.framework.AssertionFailedError;
import junit.framework.Test;
import junit.framework.TestListener;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import junit.runner.Version;

/**
 * JUnit 3 where there is no JUnit 4. A unit is a leaf of the tree of suites, {@code class::method(class)}; leaves of
 * one name run together. Decorators and subclasses of suites are not cut.
 */
final class JUnit3 extends ClassByClass {
    private static final String SEPARATOR = "::";

    @Override
    public String description() {
        return "JUnit " + Version.id();
    }

    @Override
    void announce(Class<?> testClass) throws Throwable {
        Map<String, Integer> counts = new LinkedHashMap<>();
        Set<String> groups = new HashSet<>();
        for (Test leaf : leavesOf(treeOf(testClass))) {
            String id = idOf(testClass, leaf);
            counts.merge(id, 1, Integer::sum);
            if (!isTestCase(leaf)) {
                groups.add(id);
            }
        }
        counts.forEach((id, count) -> {
            String name = id.substring(id.indexOf(SEPARATOR) + SEPARATOR.length());
            String several = count > 1 ? "several tests have this name" : null;
            String shared = groups.contains(id) ? "its tests cannot be run one by one" : several;
            Worker.unit(id, Names.classOf(name, testClass.getName()), Names.methodOf(name), shared);
        });
    }

    @Override
    public void suite(List<String> classes) {
        for (Class<?> testClass : Classes.loadAll(classes)) {
            Progress progress = new Progress();
            try {
                for (Test leaf : leavesOf(treeOf(testClass))) {
                    run(leaf, progress.enter(idOf(testClass, leaf)));
                }
            } catch (Throwable thrown) {
                Worker.problem("cannot run the tests of " + testClass.getName() + ": " + Diagnosis.of(thrown));
            } finally {
                progress.leave();
            }
        }
    }

    @Override
    public Verdict test(String unit) {
        try {
            Class<?> testClass = Classes.load(unit.substring(0, Math.max(0, unit.indexOf(SEPARATOR))));
            Test test = JUnit3Tests.kept(treeOf(testClass), leaf -> idOf(testClass, leaf).equals(unit) ? leaf : null);
            Verdict verdict = new Verdict();
            if (test == null) {
                verdict.skip(NotRun.gone(unit));
            } else {
                run(test, verdict);
            }
            return verdict;
        } catch (Throwable thrown) {
            return Verdict.failed(thrown);
        }
    }

    private static Test treeOf(Class<?> testClass) throws Throwable {
        return JUnit3Tests.suiteMethodOf(testClass) == null ? new TestSuite(testClass) : JUnit3Tests.suiteOf(testClass);
    }

    private static List<Test> leavesOf(Test tree) {
        List<Test> leaves = new ArrayList<>();
        if (tree != null) {
            JUnit3Tests.kept(tree, leaf -> {
                leaves.add(leaf);
                return null;
            });
        }
        return leaves;
    }

    private static boolean isTestCase(Test leaf) {
        return leaf instanceof junit.framework.TestCase;
    }

    /** {@code TestCase.toString()} is {@code method(class)}; decorators and suites name themselves as well. */
    private static String idOf(Class<?> testClass, Test leaf) {
        return testClass.getName() + SEPARATOR + Names.stable(leaf.toString());
    }

    private static void run(Test test, Verdict verdict) {
        TestResult result = new TestResult();
        result.addListener(new Listener(verdict));
        test.run(result);
    }

    private static final class Listener implements TestListener {
        private final Verdict verdict;

        Listener(Verdict verdict) {
            this.verdict = verdict;
        }

        @Override
        public void addError(Test test, Throwable error) {
            verdict.fail(error);
        }

        @Override
        public void addFailure(Test test, AssertionFailedError failure) {
            verdict.fail(failure);
        }

        @Override
        public void startTest(Test test) {}

        @Override
        public void endTest(Test test) {
            // Does nothing to a verdict that has failed.
            verdict.pass();
        }
    }
}
