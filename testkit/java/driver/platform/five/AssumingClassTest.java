package five;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class AssumingClassTest {
    @BeforeAll
    static void assumes() {
        Assumptions.assumeTrue(false);
    }

    @Test
    void one() {}
}
