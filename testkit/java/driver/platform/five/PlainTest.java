package five;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PlainTest {
    @Test
    @Tag("fast")
    void passes() {}

    @Test
    void fails() {
        throw new IllegalStateException("as it should");
    }

    @Test
    void assumes() {
        Assumptions.assumeTrue(false);
    }

    @Test
    @Disabled
    void disabled() {}

    @Nested
    class Inner {
        @Test
        void passes() {}

        @Nested
        class Innermost {
            @Test
            void fails() {
                throw new IllegalStateException("innermost");
            }
        }
    }
}
