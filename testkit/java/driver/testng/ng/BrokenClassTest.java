package ng;

import org.testng.annotations.BeforeClass;
import org.testng.annotations.Test;

public class BrokenClassTest {
    @BeforeClass
    public void breaks() {
        throw new IllegalStateException("no set-up");
    }

    @Test
    public void one() {}

    @Test
    public void two() {}
}
