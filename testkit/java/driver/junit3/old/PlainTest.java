package old;

import junit.framework.TestCase;

public class PlainTest extends TestCase {
    public void testPasses() {}

    public void testFails() {
        fail("as it should");
    }
}
