package four;

import org.junit.BeforeClass;
import org.junit.Test;

public class BrokenClassTest {
    @BeforeClass
    public static void breaks() {
        throw new IllegalStateException("no set-up");
    }

    @Test
    public void one() {}

    @Test
    public void two() {}
}
