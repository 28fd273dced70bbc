package catchment.driver;

import catchment.runtime.Worker;
import java.util.Optional;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** A unit that can be run alone by its unique id. */
final class PlatformUnit {
    final String id;
    final String className;
    final String name;
    /** Why it is more than one test; null if it is one. */
    final String shared;

    PlatformUnit(TestPlan plan, TestIdentifier identifier, String shared) {
        id = identifier.getUniqueId();
        className = classOf(plan, identifier);
        name = nameOf(identifier);
        this.shared = shared;
    }

    void announce() {
        Worker.unit(id, className, name, shared);
    }

    /** The class of the nearest source upwards: dynamic tests have none of their own. */
    private static String classOf(TestPlan plan, TestIdentifier identifier) {
        Optional<TestIdentifier> each = Optional.of(identifier);
        while (each.isPresent()) {
            TestSource source = each.get().getSource().orElse(null);
            if (source instanceof MethodSource) {
                return ((MethodSource) source).getClassName();
            }
            if (source instanceof ClassSource) {
                return ((ClassSource) source).getClassName();
            }
            each = plan.getParent(each.get());
        }
        return "";
    }

    /** As in XML reports: {@code parses}, {@code parses(String)[2]}. */
    private static String nameOf(TestIdentifier identifier) {
        String name = identifier.getLegacyReportingName();
        return name.endsWith("()") ? name.substring(0, name.length() - 2) : name;
    }
}
