package four;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** The JVM sets this property itself, whatever its command line says. */
public class PropertiesTest {
    @Test
    public void areAsTheBuildToolSetsThem() {
        assertEquals("1.2=x", System.getProperty("java.specification.version"));
    }
}
