package ng;

import org.testng.Assert;
import org.testng.SkipException;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

public class PlainTest {
    @Test(groups = "fast")
    public void passes() {}

    @Test
    public void fails() {
        throw new IllegalStateException("as it should");
    }

    @Test
    public void skips() {
        throw new SkipException("not here");
    }

    @Test(enabled = false)
    public void disabled() {}

    @DataProvider
    public Object[][] numbers() {
        return new Object[][] {{1}, {-1}, {2}};
    }

    @Test(dataProvider = "numbers")
    public void isPositive(int number) {
        Assert.assertTrue(number > 0);
    }

    @Test
    public void overloaded() {}

    @Test(dataProvider = "numbers")
    public void overloaded(int number) {}

    @Test(expectedExceptions = IllegalStateException.class)
    public void expects() {
        throw new IllegalStateException();
    }
}
