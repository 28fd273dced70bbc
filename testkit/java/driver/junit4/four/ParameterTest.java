package four;

import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

@RunWith(Parameterized.class)
public class ParameterTest {
    private final int number;

    public ParameterTest(int number) {
        this.number = number;
    }

    @Parameterized.Parameters
    public static Iterable<Object[]> numbers() {
        return Arrays.asList(new Object[][] {{1}, {-1}});
    }

    @Test
    public void isPositive() {
        assertTrue(number > 0);
    }
}
