package com.acme.orders;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Keeps what was imported. */
public final class Journal {
    private final Path file;

    public Journal(Path file) {
        this.file = file;
    }

    public void write(List<String> lines) {
        try (BufferedWriter writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
            for (String line : lines) {
                writer.write(line);
                writer.newLine();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("journal not written", e);
        }
    }

    /** A journal that does not exist yet is empty. */
    public int size() {
        try {
            return Files.readAllLines(file).size();
        } catch (IOException e) {
            return 0;
        }
    }
}
