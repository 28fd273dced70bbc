package four;

import org.junit.Ignore;
import org.junit.Test;

@Ignore
public class IgnoredTest {
    @Test
    public void never() {
        throw new IllegalStateException();
    }
}
