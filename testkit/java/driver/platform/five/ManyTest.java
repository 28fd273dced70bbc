package five;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that are known only when they run. */
class ManyTest {
    @ParameterizedTest
    @ValueSource(ints = {1, -1})
    void isPositive(int number) {
        assertTrue(number > 0);
    }

    @RepeatedTest(2)
    void repeated() {}

    @TestFactory
    Stream<DynamicNode> factory() {
        return Stream.of(
                DynamicTest.dynamicTest("good", () -> {}),
                DynamicContainer.dynamicContainer("more", Stream.of(DynamicTest.dynamicTest("bad", () -> {
                    throw new IllegalStateException("bad");
                }))));
    }

    @TestFactory
    Stream<DynamicTest> nothing() {
        return Stream.empty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void isOne(int number) {
        assumeTrue(number == 1, "only for one");
    }

    static IntStream hundred() {
        return IntStream.range(0, 100);
    }

    @ParameterizedTest
    @MethodSource("hundred")
    void isOfHundred(int number) {
        assertTrue(number != 3);
    }

    static IntStream broken() {
        throw new IllegalStateException("no numbers");
    }

    @ParameterizedTest
    @MethodSource("broken")
    void hasNoNumbers(int number) {}

    @Disabled("too many")
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void disabled(int number) {}
}
