package com.acme.orders;

import java.io.IOException;

/** Where prices come from: slow, and not always there. */
public interface PriceStore {
    long priceInCents(String article) throws IOException;
}
