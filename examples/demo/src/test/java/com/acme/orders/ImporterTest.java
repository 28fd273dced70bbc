package com.acme.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ImporterTest {
    @Test
    void separatesGoodFromBad() {
        Importer importer = new Importer(new PriceCache(article -> 10));
        importer.importAll(Arrays.asList("alice;pencil;2", "nonsense", "", "bob;pencil;1"));
        assertEquals(Arrays.asList("alice pays 20", "bob pays 10"), importer.accepted());
        assertEquals(Arrays.asList("nonsense"), importer.rejected());
    }

    @Test
    void rejectsWhatNobodyCanPay() {
        Importer importer = new Importer(new PriceCache(article -> Long.MAX_VALUE));
        importer.importAll(Arrays.asList("alice;pencil;2"));
        assertEquals(Arrays.asList("alice;pencil;2 (too much)"), importer.rejected());
    }
}
