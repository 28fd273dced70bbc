package com.acme.orders;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Imports a handful of orders, good and bad. */
public final class Main {
    private static final List<String> LINES = Arrays.asList(
            "alice;pencil;12",
            "bob;pencil;many",
            "",
            "carol;eraser;2",
            "dave",
            "erin;unicorn;1",
            "frank;stapler;3");

    private Main() {}

    public static void main(String[] args) throws IOException {
        Importer importer = new Importer(new PriceCache(Main::priceInCents));
        importer.importAll(LINES);
        Path folder = Files.createTempDirectory("orders");
        Journal journal = new Journal(folder.resolve("journal.txt"));
        System.out.println("journal had " + journal.size() + " lines");
        journal.write(importer.accepted());
        System.out.println("journal has " + journal.size() + " lines");
        System.out.println("rejected " + importer.rejected());
        writeIntoNowhere(folder);
        defaultQuantities();
        Files.delete(folder.resolve("journal.txt"));
        Files.delete(folder);
    }

    private static void writeIntoNowhere(Path folder) {
        try {
            new Journal(folder.resolve("missing").resolve("journal.txt")).write(LINES);
        } catch (UncheckedIOException e) {
            System.out.println(e.getMessage());
        }
    }

    private static void defaultQuantities() {
        OrderParser parser = new OrderParser();
        System.out.println("quantities " + parser.quantityOf("3") + ", " + parser.quantityOf(null));
        try {
            parser.quantityOf("a few");
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
    }

    private static long priceInCents(String article) throws IOException {
        switch (article) {
            case "pencil":
                return 50;
            case "unicorn":
                throw new FileNotFoundException("no such article: " + article);
            case "stapler":
                throw new IOException("the store does not answer");
            default:
                return 200;
        }
    }
}
