package com.acme.orders;

/** One line of an import file. */
public final class Order {
    final String customer;
    final String article;
    final int quantity;

    Order(String customer, String article, int quantity) {
        this.customer = customer;
        this.article = article;
        this.quantity = quantity;
    }
}
