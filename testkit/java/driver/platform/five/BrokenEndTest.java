package five;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class BrokenEndTest {
    @AfterAll
    static void breaks() {
        throw new IllegalStateException("no tear-down");
    }

    @Test
    void one() {}
}
