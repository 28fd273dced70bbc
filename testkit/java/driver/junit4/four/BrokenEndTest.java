package four;

import org.junit.AfterClass;
import org.junit.Test;

public class BrokenEndTest {
    @AfterClass
    public static void breaks() {
        throw new IllegalStateException("no tear-down");
    }

    @Test
    public void one() {}
}
