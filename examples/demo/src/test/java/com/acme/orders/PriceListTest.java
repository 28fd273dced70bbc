package com.acme.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PriceListTest {
    @TempDir Path folder;

    @Test
    void looksIntoTheCopy() throws IOException {
        Path copy = Files.writeString(folder.resolve("copy"), "pencil=50\n");
        Path original = Files.writeString(folder.resolve("original"), "pencil=50\neraser=200\n");
        assertEquals(50, new PriceList(copy, original).priceInCents("pencil"));
    }

    @Test
    void doesWithoutTheCopy() throws IOException {
        Path original = Files.writeString(folder.resolve("original"), "pencil=50\neraser=200\n");
        assertEquals(200, new PriceList(folder.resolve("gone"), original).priceInCents("eraser"));
    }
}
