package five;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BrokenClassTest {
    @BeforeAll
    static void breaks() {
        throw new IllegalStateException("no set-up");
    }

    @Test
    void one() {}

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void many(int number) {}

    @Nested
    class Inner {
        @Test
        void two() {}
    }
}
