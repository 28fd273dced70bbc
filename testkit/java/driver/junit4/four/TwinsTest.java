package four;

import org.junit.Test;
import org.junit.runner.Description;
import org.junit.runner.RunWith;
import org.junit.runners.BlockJUnit4ClassRunner;
import org.junit.runners.model.FrameworkMethod;
import org.junit.runners.model.InitializationError;

/** Two tests of one name. */
@RunWith(TwinsTest.Twice.class)
public class TwinsTest {
    @Test
    public void a() {}

    @Test
    public void b() {}

    public static final class Twice extends BlockJUnit4ClassRunner {
        public Twice(Class<?> testClass) throws InitializationError {
            super(testClass);
        }

        @Override
        protected Description describeChild(FrameworkMethod method) {
            return Description.createTestDescription(TwinsTest.class, "twin");
        }
    }
}
