package ng;

import org.testng.annotations.AfterClass;
import org.testng.annotations.Test;

public class BrokenEndTest {
    @Test
    public void one() {}

    @AfterClass
    public void breaks() {
        throw new IllegalStateException("no tear-down");
    }
}
