package four;

import java.util.Arrays;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;

/** The names of its tests are different in every JVM. */
@RunWith(Parameterized.class)
public class NamedByHashTest {
    public NamedByHashTest(Object any) {}

    @Parameterized.Parameters(name = "{0}")
    public static Iterable<Object[]> objects() {
        return Arrays.asList(new Object[][] {{new Object()}, {new Object()}});
    }

    @Test
    public void takesAny() {}
}
