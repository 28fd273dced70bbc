package com.acme.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {
    @Test
    void remembersLines(@TempDir Path folder) {
        Journal journal = new Journal(folder.resolve("journal.txt"));
        assertEquals(0, journal.size());
        journal.write(Arrays.asList("a", "b"));
        assertEquals(2, journal.size());
    }

    @Test
    void cannotWriteIntoNowhere(@TempDir Path folder) {
        Journal journal = new Journal(folder.resolve("missing").resolve("journal.txt"));
        assertThrows(UncheckedIOException.class, () -> journal.write(Collections.emptyList()));
    }
}
