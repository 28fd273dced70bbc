package com.acme.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class OrderParserTest {
    private final OrderParser parser = new OrderParser();

    @Test
    void readsAnOrder() throws BadOrderException {
        assertEquals(12, parser.parse("alice;pencil;12").quantity);
    }

    @Test
    void refusesWhatIsNoNumber() {
        assertThrows(BadOrderException.class, () -> parser.parse("bob;pencil;many"));
    }

    @Test
    void refusesShortLines() {
        assertThrows(BadOrderException.class, () -> parser.parse("dave"));
    }

    @Test
    void missingQuantityIsOne() {
        assertEquals(1, parser.quantityOf(null));
    }
}
