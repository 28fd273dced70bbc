package four;

import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runner.Runner;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunNotifier;

/** Its runner takes no filter. */
@RunWith(WholeTest.All.class)
public class WholeTest {
    public static final class All extends Runner {
        private final Description suite = Description.createSuiteDescription(WholeTest.class);
        private final Description good = Description.createTestDescription(WholeTest.class, "good");
        private final Description bad = Description.createTestDescription(WholeTest.class, "bad");

        public All(Class<?> testClass) {
            suite.addChild(good);
            suite.addChild(bad);
        }

        @Override
        public Description getDescription() {
            return suite;
        }

        @Override
        public void run(RunNotifier notifier) {
            notifier.fireTestStarted(good);
            notifier.fireTestFinished(good);
            notifier.fireTestStarted(bad);
            notifier.fireTestFailure(new Failure(bad, new IllegalStateException("bad")));
            notifier.fireTestFinished(bad);
        }
    }
}
