package com.acme.orders;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Prices, remembered once they are known. */
public final class PriceCache {
    static final long DEFAULT_PRICE = 100;
    private static final int ATTEMPTS = 2;

    private final PriceStore store;
    private final Map<String, Long> known = new HashMap<>();
    private int lookups;

    public PriceCache(PriceStore store) {
        this.store = store;
    }

    /** Never fails because of the store: an unknown article has the default price. */
    public long priceInCents(String article) {
        Long price = known.get(article);
        if (price != null) {
            return price;
        }
        try {
            long fetched = fetch(article);
            known.put(article, fetched);
            return fetched;
        } catch (FileNotFoundException e) {
            known.put(article, DEFAULT_PRICE);
            return DEFAULT_PRICE;
        } catch (IOException e) {
            return DEFAULT_PRICE;
        }
    }

    /** The store sometimes answers at the second attempt only. */
    private long fetch(String article) throws IOException {
        IOException last = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                return store.priceInCents(article);
            } catch (FileNotFoundException e) {
                throw e;
            } catch (IOException e) {
                last = e;
            } finally {
                lookups++;
            }
        }
        throw last;
    }

    int lookups() {
        return lookups;
    }
}
