package catchment.driver;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Cuts a test plan into units.
 *
 * <ul>
 *   <li>A leaf of the plan is a unit: a test, or a <em>host</em>, a container without children, which finds its tests
 *       when it runs (parameterised, repeated and dynamic tests, class templates, whole specifications of other engines).
 *   <li>While a suite runs, the first {@value #LIMIT} tests of a Jupiter host are units too, under their own unique
 *       ids, by which Jupiter can run them alone. They take the place of the host, unless the host is reported as well.
 *   <li>The host is reported itself when it had more tests than that, when it had none, or when something failed that
 *       is no test of it. It then stands for all its tests, those reported before included.
 *   <li>Hosts of other engines are always one unit. So are the classes of which Vintage cannot run a single test.
 * </ul>
 */
final class PlatformUnits {
    static final int LIMIT = 64;
    private static final String JUPITER = "[engine:junit-jupiter]";
    private static final String VINTAGE = "[engine:junit-vintage]";

    private final TestPlan plan;
    private final Set<String> uncuttable;
    /** The unit of each leaf that was in the plan before anything ran. */
    private final Map<String, PlatformUnit> planned = new LinkedHashMap<>();
    private final Set<String> known = new HashSet<>();

    PlatformUnits(TestPlan plan, Set<String> uncuttable) {
        this.plan = plan;
        this.uncuttable = uncuttable;
        for (TestIdentifier engine : plan.getRoots()) {
            known.add(engine.getUniqueId());
            plan.getChildren(engine).forEach(child -> add(child, null));
        }
    }

    private void add(TestIdentifier node, PlatformUnit around) {
        known.add(node.getUniqueId());
        Set<TestIdentifier> children = plan.getChildren(node);
        PlatformUnit unit = around == null ? unitOfAll(node, children) : around;
        if (children.isEmpty()) {
            planned.put(node.getUniqueId(), unit == null ? single(node) : unit);
        }
        children.forEach(child -> add(child, unit));
    }

    /** The unit that all below this node belong to, or null. */
    private PlatformUnit unitOfAll(TestIdentifier node, Set<TestIdentifier> children) {
        if (uncuttable.contains(node.getUniqueId())) {
            return new PlatformUnit(plan, node, "its runner cannot run a single test");
        }
        boolean isTestOfTests = node.isTest() && !children.isEmpty();
        return isTestOfTests ? new PlatformUnit(plan, node, "it holds other tests") : null;
    }

    private PlatformUnit single(TestIdentifier leaf) {
        return new PlatformUnit(plan, leaf, leaf.isTest() ? null : "its tests are found when it runs");
    }

    Set<PlatformUnit> all() {
        return new LinkedHashSet<>(planned.values());
    }

    /** The unit of a planned leaf, else null. */
    PlatformUnit planned(TestIdentifier leaf) {
        return planned.get(leaf.getUniqueId());
    }

    boolean isKnown(TestIdentifier node) {
        return known.contains(node.getUniqueId());
    }

    /** The units below a planned node, or its own. */
    void below(TestIdentifier node, Consumer<PlatformUnit> action) {
        PlatformUnit own = planned(node);
        if (own != null) {
            action.accept(own);
        } else {
            plan.getChildren(node).forEach(child -> below(child, action));
        }
    }

    /** The nearest planned node above one that was registered during the run. */
    TestIdentifier hostOf(TestIdentifier registered) {
        Optional<TestIdentifier> each = Optional.of(registered);
        while (each.isPresent() && !isKnown(each.get())) {
            each = plan.getParent(each.get());
        }
        return each.orElse(registered);
    }

    /** The unit of a planned container whose tests were registered during the run; named now if it was none before. */
    PlatformUnit unitOfHost(TestIdentifier host) {
        PlatformUnit own = planned(host);
        if (own == null) {
            own = new PlatformUnit(plan, host, "some of its tests are found when it runs");
            own.announce();
        }
        return own;
    }

    /** The unit of a test that was registered during the run. */
    PlatformUnit alone(TestIdentifier registered) {
        return new PlatformUnit(plan, registered, null);
    }

    /** Only Jupiter can run the tests that a host finds alone, by their unique ids. */
    static boolean isOfJupiter(TestIdentifier node) {
        return node.getUniqueId().contains(JUPITER);
    }

    /** Containers of Vintage with several leaves, each with the first of them. */
    static Map<String, String> firstLeavesOfVintage(TestPlan plan) {
        Map<String, String> first = new LinkedHashMap<>();
        Set<String> several = new HashSet<>();
        forEachLeaf(plan, (parent, leaf) -> {
            if (parent.startsWith(VINTAGE) && first.putIfAbsent(parent, leaf) != null) {
                several.add(parent);
            }
        });
        first.keySet().retainAll(several);
        return first;
    }

    static Map<String, Integer> leavesPerParent(TestPlan plan) {
        Map<String, Integer> counts = new HashMap<>();
        forEachLeaf(plan, (parent, leaf) -> counts.merge(parent, 1, Integer::sum));
        return counts;
    }

    private static void forEachLeaf(TestPlan plan, BiConsumer<String, String> action) {
        plan.getRoots().forEach(root -> forEachLeaf(plan, root, action));
    }

    private static void forEachLeaf(TestPlan plan, TestIdentifier node, BiConsumer<String, String> action) {
        for (TestIdentifier child : plan.getChildren(node)) {
            if (plan.getChildren(child).isEmpty()) {
                action.accept(node.getUniqueId(), child.getUniqueId());
            } else {
                forEachLeaf(plan, child, action);
            }
        }
    }
}
