package ng;

import org.testng.annotations.Test;

public class DerivedTest extends BaseOfTests {
    @Test
    public void own() {
        inherited();
    }
}
