package catchment.driver;

import java.io.InputStream;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Properties;
import java.util.TimeZone;

/**
 * Properties of its JVM that a test may change and forget to put back; the next test must not see them.
 *
 * <p>System properties that were changed or removed are put back. Those that were <em>added</em> stay: a static
 * initialiser sets them once per JVM, and taking them away would break every later test of that class.
 */
final class Surroundings {
    private final SecurityManager security = System.getSecurityManager();
    private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
    private final Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
    private final InputStream in = System.in;
    private final PrintStream out = System.out;
    private final PrintStream err = System.err;
    private final Locale locale = Locale.getDefault();
    private final Locale display = Locale.getDefault(Locale.Category.DISPLAY);
    private final Locale format = Locale.getDefault(Locale.Category.FORMAT);
    private final TimeZone zone = TimeZone.getDefault();
    private final Properties properties = System.getProperties();
    private final Properties values = (Properties) properties.clone();

    void restore() {
        // First: it may forbid everything else.
        if (System.getSecurityManager() != security) {
            System.setSecurityManager(security);
        }
        // Clears the flag.
        Thread.interrupted();
        Thread.currentThread().setContextClassLoader(loader);
        Thread.setDefaultUncaughtExceptionHandler(handler);
        restoreStreams();
        restoreLocale();
        if (!zone.equals(TimeZone.getDefault())) {
            TimeZone.setDefault(zone);
        }
        restoreProperties();
    }

    private void restoreStreams() {
        if (System.in != in) {
            System.setIn(in);
        }
        if (System.out != out) {
            System.setOut(out);
        }
        if (System.err != err) {
            System.setErr(err);
        }
    }

    private void restoreLocale() {
        boolean isSame = locale.equals(Locale.getDefault())
                && display.equals(Locale.getDefault(Locale.Category.DISPLAY))
                && format.equals(Locale.getDefault(Locale.Category.FORMAT));
        if (!isSame) {
            Locale.setDefault(locale);
            Locale.setDefault(Locale.Category.DISPLAY, display);
            Locale.setDefault(Locale.Category.FORMAT, format);
        }
    }

    private void restoreProperties() {
        Properties current = System.getProperties();
        if (current != properties) {
            // A whole new object: what it holds beyond the old one is no different from an added property.
            properties.putAll(current);
            System.setProperties(properties);
        }
        for (Object key : values.keySet()) {
            Object value = values.get(key);
            if (!value.equals(properties.get(key))) {
                properties.put(key, value);
            }
        }
    }
}
