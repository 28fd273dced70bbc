package four;

import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;

@RunWith(Enclosed.class)
public class EnclosedTest {
    public static class First {
        @Test
        public void same() {}
    }

    public static class Second {
        @Test
        public void same() {
            throw new IllegalStateException("the second");
        }

        @Test
        public void other() {}
    }
}
