package old;

import junit.extensions.TestSetup;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;

/** A suite in a suite, the same test twice, and a decorator that sets something up. */
public class SuiteOfSuites extends TestCase {
    static boolean isSetUp;

    public static Test suite() {
        TestSuite inner = new TestSuite("inner");
        inner.addTestSuite(PlainTest.class);
        inner.addTest(new Named("twice"));
        inner.addTest(new Named("twice"));
        TestSuite outer = new TestSuite("outer");
        outer.addTest(inner);
        outer.addTest(new Decorated(new TestSuite(NeedsSetUp.class)));
        return outer;
    }

    public static class Named extends TestCase {
        public Named(String name) {
            super(name);
        }

        @Override
        protected void runTest() {}
    }

    public static class NeedsSetUp extends TestCase {
        public void testOne() {
            assertTrue(isSetUp);
        }

        public void testTwo() {
            assertTrue(isSetUp);
        }
    }

    static class Decorated extends TestSetup {
        Decorated(Test test) {
            super(test);
        }

        @Override
        protected void setUp() {
            isSetUp = true;
        }

        @Override
        protected void tearDown() {
            isSetUp = false;
        }

        @Override
        public String toString() {
            return "decorated";
        }
    }
}
