package catchment.driver;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.function.UnaryOperator;
import junit.framework.Test;
import junit.framework.TestSuite;

/** Trees of JUnit 3 tests: made by {@code suite()} methods, and cut down. */
final class JUnit3Tests {
    private JUnit3Tests() {}

    /** The public static method without parameters, or null. */
    static Method suiteMethodOf(Class<?> testClass) {
        try {
            Method method = testClass.getMethod("suite");
            return Modifier.isStatic(method.getModifiers()) ? method : null;
        } catch (NoSuchMethodException | LinkageError absent) {
            return null;
        }
    }

    static Test suiteOf(Class<?> testClass) throws Throwable {
        try {
            return (Test) suiteMethodOf(testClass).invoke(null);
        } catch (InvocationTargetException wrapped) {
            throw wrapped.getCause();
        }
    }

    static boolean isEmpty(Test test) {
        return test == null || isPlainSuite(test) && ((TestSuite) test).testCount() == 0;
    }

    /**
     * The tree without what {@code leafOrNull} turns into null. Subclasses of suites and decorators stay whole: they
     * may do something before their tests.
     *
     * @return null when nothing is left
     */
    static Test kept(Test test, UnaryOperator<Test> leafOrNull) {
        if (!isPlainSuite(test)) {
            return leafOrNull.apply(test);
        }
        TestSuite suite = (TestSuite) test;
        TestSuite kept = new TestSuite(suite.getName());
        for (int i = 0; i < suite.testCount(); i++) {
            Test child = kept(suite.testAt(i), leafOrNull);
            if (child != null) {
                kept.addTest(child);
            }
        }
        return kept.testCount() == 0 ? null : kept;
    }

    static boolean isPlainSuite(Test test) {
        return test.getClass() == TestSuite.class;
    }
}
