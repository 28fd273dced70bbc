package com.acme.orders;

/** Reads lines such as {@code alice;pencil;12}. */
public final class OrderParser {
    /** Whatever is wrong with the line, the caller sees one kind of exception. */
    public Order parse(String line) throws BadOrderException {
        String[] fields = line.split(";");
        try {
            return new Order(fields[0], fields[1], Integer.parseInt(fields[2].trim()));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new BadOrderException("not an order: " + line, e);
        }
    }

    /** A quantity may be left out; a wrong one is an error. */
    public int quantityOf(String text) {
        try {
            return Integer.parseInt(text.trim());
        } catch (NullPointerException e) {
            return 1;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a quantity: " + text, e);
        }
    }
}
