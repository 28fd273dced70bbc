package ng;

import org.testng.Assert;
import org.testng.annotations.Factory;
import org.testng.annotations.Test;

public class FactoryTest {
    private final int number;

    public FactoryTest() {
        this(0);
    }

    private FactoryTest(int number) {
        this.number = number;
    }

    @Factory
    public static Object[] tests() {
        return new Object[] {new FactoryTest(1), new FactoryTest(2)};
    }

    @Test
    public void first() {
        Assert.assertTrue(number > 0);
    }

    @Test
    public void second() {
        Assert.assertEquals(number, 1);
    }
}
