package four;

import java.util.Arrays;
import java.util.Collections;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** Run none, then broken: its parameters are not always there, as those that come from code under an injection. */
@RunWith(Parameterized.class)
public class FadingTest {
    private static int asked;

    public FadingTest(int number) {}

    @Parameterized.Parameters
    public static Iterable<Object[]> numbers() {
        asked++;
        if (asked == 2) {
            return Collections.emptyList();
        }
        if (asked == 3) {
            throw new IllegalStateException("no numbers");
        }
        return Arrays.asList(new Object[][] {{1}, {2}});
    }

    @Test
    public void passes() {}
}
