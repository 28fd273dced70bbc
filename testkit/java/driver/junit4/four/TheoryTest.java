package four;

import static org.junit.Assert.assertTrue;

import org.junit.experimental.theories.DataPoints;
import org.junit.experimental.theories.Theories;
import org.junit.experimental.theories.Theory;
import org.junit.runner.RunWith;

@RunWith(Theories.class)
public class TheoryTest {
    @DataPoints public static final int[] NUMBERS = {1, 2};

    @Theory
    public void squaresArePositive(int number) {
        assertTrue(number * number > 0);
    }

    @Theory
    public void allAreOne(int number) {
        assertTrue(number == 1);
    }
}
