package ng;

import org.testng.Assert;
import org.testng.annotations.Test;

public class DependentTest {
    private boolean isStarted;

    @Test
    public void start() {
        isStarted = true;
    }

    @Test(dependsOnMethods = "start", groups = "middle")
    public void needsStart() {
        Assert.assertTrue(isStarted);
    }

    @Test(dependsOnGroups = "middle")
    public void needsMiddle() {
        Assert.assertTrue(isStarted);
    }

    @Test
    public void breaks() {
        throw new IllegalStateException("broken");
    }

    @Test(dependsOnMethods = "breaks")
    public void needsBroken() {}
}
