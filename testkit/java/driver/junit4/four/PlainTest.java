package four;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;
import static org.junit.Assume.assumeTrue;

import org.junit.Before;
import org.junit.Ignore;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.ExternalResource;
import org.junit.rules.TestName;

public class PlainTest {
    @Rule public final TestName name = new TestName();
    private boolean isOpen;

    @Rule
    public final ExternalResource resource = new ExternalResource() {
        @Override
        protected void before() {
            isOpen = true;
        }
    };

    @Before
    public void openBeforeEach() {
        assertTrue(isOpen);
    }

    @Test
    public void passes() {
        assertEquals("passes", name.getMethodName());
    }

    @Test
    public void fails() {
        throw new IllegalStateException("as it should");
    }

    @Test
    public void assumes() {
        assumeTrue(false);
    }

    @Test
    @Ignore("not now")
    public void ignored() {}

    @Test(expected = IllegalStateException.class)
    public void expects() {
        throw new IllegalStateException();
    }
}
