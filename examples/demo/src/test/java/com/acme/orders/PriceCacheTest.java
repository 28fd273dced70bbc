package com.acme.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.FileNotFoundException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class PriceCacheTest {
    @Test
    void asksTheStoreOnce() {
        PriceCache cache = new PriceCache(article -> 50);
        assertEquals(50, cache.priceInCents("pencil"));
        assertEquals(50, cache.priceInCents("pencil"));
        assertEquals(1, cache.lookups());
    }

    @Test
    void unknownArticlesHaveTheDefaultPrice() {
        PriceCache cache = new PriceCache(article -> {
            throw new FileNotFoundException(article);
        });
        assertEquals(PriceCache.DEFAULT_PRICE, cache.priceInCents("unicorn"));
    }

    @Test
    void asksASilentStoreTwice() {
        PriceCache cache = new PriceCache(article -> {
            throw new IOException("silence");
        });
        assertEquals(PriceCache.DEFAULT_PRICE, cache.priceInCents("stapler"));
        assertEquals(2, cache.lookups());
    }
}
