package four;

import static org.junit.Assert.assertNull;

import java.security.Permission;
import org.junit.Test;

/** Leaves a guard behind that lets nobody change the JVM; the second one lets nobody take it away. */
public class GuardedTest {
    private static final class Guard extends SecurityManager {
        private final String forbidden;

        Guard(String forbidden) {
            this.forbidden = forbidden;
        }

        @Override
        public void checkPermission(Permission permission) {
            if (permission.getName().equals(forbidden)) {
                throw new SecurityException("no " + forbidden);
            }
        }
    }

    @Test
    public void guards() {
        System.setSecurityManager(new Guard("setContextClassLoader"));
    }

    @Test
    public void sees() {
        assertNull(System.getSecurityManager());
    }

    @Test
    public void staysOnGuard() {
        System.setSecurityManager(new Guard("setSecurityManager"));
    }
}
