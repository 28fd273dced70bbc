package four;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertSame;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;
import org.junit.Test;

/** Run litters, then sees: nothing of it may be left. */
public class LitteringTest {
    private static final PrintStream OUT = System.out;

    static {
        System.setProperty("four.static", "set once");
    }

    @Test
    public void litters() {
        Thread.currentThread().interrupt();
        Thread.currentThread().setContextClassLoader(new URLClassLoader(new URL[0]));
        System.setOut(new PrintStream(new ByteArrayOutputStream()));
        Locale.setDefault(new Locale("xx"));
        TimeZone.setDefault(TimeZone.getTimeZone("GMT+7"));
        System.clearProperty("user.home");
        Properties fresh = new Properties();
        fresh.putAll(System.getProperties());
        fresh.setProperty("java.io.tmpdir", "nowhere");
        System.setProperties(fresh);
    }

    @Test
    public void sees() {
        assertFalse(Thread.currentThread().isInterrupted());
        assertSame(ClassLoader.getSystemClassLoader(), Thread.currentThread().getContextClassLoader());
        assertSame(OUT, System.out);
        assertFalse("xx".equals(Locale.getDefault().getLanguage()));
        assertFalse("GMT+07:00".equals(TimeZone.getDefault().getID()));
        assertNotNull(System.getProperty("user.home"));
        assertFalse("nowhere".equals(System.getProperty("java.io.tmpdir")));
        assertEquals("set once", System.getProperty("four.static"));
    }
}
