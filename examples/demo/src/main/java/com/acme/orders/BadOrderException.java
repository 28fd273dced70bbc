package com.acme.orders;

/** A line that is no order. */
public final class BadOrderException extends Exception {
    private static final long serialVersionUID = 1L;

    BadOrderException(String message, Throwable cause) {
        super(message, cause);
    }
}
