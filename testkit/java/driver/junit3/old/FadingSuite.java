package old;

import junit.framework.Test;
import junit.framework.TestSuite;

/** Is there once only, as one that comes from code under an injection. */
public class FadingSuite {
    private static boolean isThere = true;

    public static Test suite() {
        if (!isThere) {
            throw new IllegalStateException("no suite");
        }
        isThere = false;
        return new TestSuite(PlainTest.class);
    }
}
