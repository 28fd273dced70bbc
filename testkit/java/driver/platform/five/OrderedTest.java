package five;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** One object for all tests, which count on each other. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OrderedTest {
    private int counter = -1;

    @BeforeAll
    void start() {
        counter = 0;
    }

    @Test
    @Order(2)
    void aSecond() {
        assertEquals(1, counter++);
    }

    @Test
    @Order(1)
    void bFirst() {
        assertEquals(0, counter++);
    }

    @AfterAll
    void end() {
        counter = -1;
    }
}
