package com.acme.orders;

import java.util.ArrayList;
import java.util.List;

/** Turns lines into priced orders and notes what was rejected. */
public final class Importer {
    private final OrderParser parser = new OrderParser();
    private final PriceCache prices;
    private final List<String> accepted = new ArrayList<>();
    private final List<String> rejected = new ArrayList<>();

    public Importer(PriceCache prices) {
        this.prices = prices;
    }

    public void importAll(List<String> lines) {
        for (String line : lines) {
            if (line.isEmpty()) {
                continue;
            }
            try {
                Order order = parser.parse(line);
                long total = Math.multiplyExact(order.quantity, prices.priceInCents(order.article));
                accepted.add(order.customer + " pays " + total);
            } catch (BadOrderException e) {
                rejected.add(line);
            } catch (ArithmeticException e) {
                rejected.add(line + " (too much)");
            }
        }
    }

    /** Orders may be taken back until they are sent; nothing in this example does. */
    public void cancel(String entry) {
        try {
            accepted.remove(accepted.indexOf(entry));
        } catch (IndexOutOfBoundsException e) {
            throw new IllegalArgumentException("no such order: " + entry, e);
        }
    }

    public List<String> accepted() {
        return accepted;
    }

    public List<String> rejected() {
        return rejected;
    }
}
