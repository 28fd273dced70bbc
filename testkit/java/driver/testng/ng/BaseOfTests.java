package ng;

import org.testng.Assert;
import org.testng.annotations.BeforeMethod;
import org.testng.annotations.BeforeSuite;
import org.testng.annotations.Test;

public abstract class BaseOfTests {
    static boolean hasSuiteBegun;
    private boolean isFresh;

    @BeforeSuite
    public void begin() {
        hasSuiteBegun = true;
    }

    @BeforeMethod
    public void refresh() {
        isFresh = true;
    }

    @Test
    public void inherited() {
        Assert.assertTrue(hasSuiteBegun && isFresh);
    }
}
