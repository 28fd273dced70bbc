package catchment.driver;

import catchment.runtime.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.manipulation.Filterable;
import org.junit.runner.manipulation.NoTestsRemainException;

/**
 * A test class with its runner, cut into units.
 *
 * <p>A unit is a leaf of the runner's tree of descriptions; leaves of one name run together. Where a filter has no
 * effect, the branch below the root that holds the leaf is the unit, or the class, if its own runner takes no filter.
 * That is tried out once: a second runner is told to keep the first leaf of each branch only.
 *
 * <p>Ids: {@code class::leaf}, {@code class::branch}, or {@code class} for all of it.
 */
final class JUnit4Class {
    private static final String SEPARATOR = "::";
    /** JUnit's name for the only test of a class without a runner: {@code @Parameters} or {@code suite()} threw. */
    private static final String NO_RUNNER = "initializationError";
    /** Runners of flat classes whose filters are known to work. */
    private static final List<String> KNOWN = Arrays.asList(
            "org.junit.runners.JUnit4",
            "org.junit.runners.BlockJUnit4ClassRunner",
            "org.junit.internal.runners.JUnit4ClassRunner");

    private final String name;
    private final Runner runner;
    private final Map<String, JUnit4Unit> unitOfLeaf = new LinkedHashMap<>();
    private final JUnit4Unit whole;

    private JUnit4Class(String name, Runner runner, String whyWhole) {
        this.name = name;
        this.runner = runner;
        this.whole = new JUnit4Unit(name, name, name, true, whyWhole);
    }

    /** The class with all its tests. */
    static JUnit4Class cut(Class<?> testClass, CategoryFilter categories) throws NoTestsRemainException {
        Runner runner = JUnit4Runners.build(testClass, categories);
        Description root = runner.getDescription();
        JUnit4Class result = new JUnit4Class(testClass.getName(), runner, whyWhole(runner, root));
        Set<String> uncut = leavesThatStay(testClass, categories, runner, root);
        if (uncut != null && !root.getChildren().isEmpty()) {
            root.getChildren().forEach(branch -> result.addBranch(branch, uncut));
        }
        return result;
    }

    /** The class with a runner that runs nothing but this unit, or that tells why there is none. */
    static JUnit4Class only(String unit, CategoryFilter categories) {
        int separator = unit.indexOf(SEPARATOR);
        String className = separator < 0 ? unit : unit.substring(0, separator);
        try {
            Class<?> testClass = Classes.load(className);
            Runner runner = JUnit4Runners.build(testClass, categories);
            if (separator >= 0) {
                Set<String> wanted = new LinkedHashSet<>();
                collectLeavesOf(unit, className, runner.getDescription(), wanted);
                if (wanted.isEmpty()) {
                    wanted.addAll(failuresInPlaceOf(unit, className, runner.getDescription()));
                }
                keep(runner, wanted);
            }
            return new JUnit4Class(className, runner, null);
        } catch (ClassNotFoundException | NoTestsRemainException gone) {
            throw NotRun.gone(unit);
        }
    }

    String name() {
        return name;
    }

    Runner runner() {
        return runner;
    }

    /** The unit a running test belongs to; the class as a whole for tests that are not in the tree. */
    JUnit4Unit unitOf(Description leaf) {
        JUnit4Unit unit = unitOfLeaf.getOrDefault(keyOf(leaf), whole);
        boolean isNew = unit == whole && !unitOfLeaf.isEmpty() && !unitOfLeaf.containsValue(whole);
        if (isNew) {
            unitOfLeaf.put(keyOf(leaf), whole);
            Worker.unit(whole.id, whole.className, whole.name, "some of its tests show only when it runs");
        }
        return unit;
    }

    /** The units below this description, which may lack its children or be no part of the tree: then all. */
    Set<JUnit4Unit> unitsBelow(Description description) {
        Set<JUnit4Unit> units = new LinkedHashSet<>();
        for (String leaf : leavesOf(description)) {
            if (unitOfLeaf.containsKey(leaf)) {
                units.add(unitOfLeaf.get(leaf));
            }
        }
        if (units.isEmpty()) {
            units.addAll(unitOfLeaf.values());
        }
        if (units.isEmpty()) {
            units.add(whole);
        }
        return units;
    }

    /** Names the units to the controller. */
    void announce() {
        Set<JUnit4Unit> units = new LinkedHashSet<>(unitOfLeaf.values());
        if (units.isEmpty()) {
            units.add(whole);
        }
        for (JUnit4Unit unit : units) {
            Worker.unit(unit.id, unit.className, unit.name, unit.shared);
        }
    }

    private static String whyWhole(Runner runner, Description root) {
        if (root.getChildren().isEmpty()) {
            boolean isIgnored = runner.getClass().getSimpleName().startsWith("Ignored");
            return isIgnored ? null : "its runner " + runner.getClass().getName() + " does not name its tests";
        }
        return "its runner " + runner.getClass().getName() + " cannot run a single test";
    }

    /** The leaves a filter did not take away although it should have; null if no filter can be used at all. */
    private static Set<String> leavesThatStay(
            Class<?> testClass, CategoryFilter categories, Runner runner, Description root) {
        Set<String> all = leavesOf(root);
        if (KNOWN.contains(runner.getClass().getName()) || all.size() == 1) {
            return new LinkedHashSet<>();
        }
        if (!(runner instanceof Filterable)) {
            return null;
        }
        Set<String> first = new LinkedHashSet<>();
        collectFirstLeaves(root, first);
        Set<String> stayed;
        try {
            Runner second = JUnit4Runners.build(testClass, categories);
            keep(second, first);
            stayed = leavesOf(second.getDescription());
        } catch (NoTestsRemainException confused) {
            return null;
        }
        if (!stayed.containsAll(first)) {
            return null;
        }
        stayed.removeAll(first);
        boolean isRootUncut = root.getChildren().stream()
                .anyMatch(child -> child.getChildren().isEmpty() && stayed.contains(keyOf(child)));
        return isRootUncut ? null : stayed;
    }

    /** A runner that takes no filter runs everything: its unit is then all of it. */
    private static void keep(Runner runner, Set<String> leaves) throws NoTestsRemainException {
        if (runner instanceof Filterable) {
            ((Filterable) runner).filter(new LeafFilter(leaves));
        }
    }

    private static void collectFirstLeaves(Description node, Set<String> first) {
        boolean isFirst = true;
        for (Description child : node.getChildren()) {
            if (!child.getChildren().isEmpty()) {
                collectFirstLeaves(child, first);
            } else if (isFirst) {
                first.add(keyOf(child));
                isFirst = false;
            }
        }
    }

    private void addBranch(Description branch, Set<String> uncut) {
        Set<String> leaves = leavesOf(branch);
        boolean isCut = leaves.stream().noneMatch(uncut::contains);
        if (isCut) {
            addLeaves(branch);
            return;
        }
        String display = Names.stable(branch.getDisplayName());
        String itsClass = Classes.isHere(display) ? display : name;
        JUnit4Unit unit =
                new JUnit4Unit(name + SEPARATOR + display, itsClass, display, true, "its tests cannot be run one by one");
        leaves.forEach(leaf -> unitOfLeaf.put(leaf, unit));
    }

    private void addLeaves(Description node) {
        if (!node.getChildren().isEmpty()) {
            node.getChildren().forEach(this::addLeaves);
            return;
        }
        String key = keyOf(node);
        JUnit4Unit known = unitOfLeaf.get(key);
        if (known == null) {
            unitOfLeaf.put(key, single(node));
        } else if (known.shared == null) {
            known.shared = "several tests have this name";
        }
    }

    private JUnit4Unit single(Description leaf) {
        String key = keyOf(leaf);
        return new JUnit4Unit(idOf(name, leaf), Names.classOf(key, name), Names.methodOf(key), false, null);
    }

    private static void collectLeavesOf(String unit, String className, Description node, Set<String> found) {
        if (idOf(className, node).equals(unit)) {
            found.addAll(leavesOf(node));
        } else {
            node.getChildren().forEach(child -> collectLeavesOf(unit, className, child, found));
        }
    }

    private static Set<String> failuresInPlaceOf(String unit, String className, Description root) {
        String leaf = unit.substring(className.length() + SEPARATOR.length());
        List<String> classes = Arrays.asList(className, Names.classOf(leaf, className));
        Set<String> found = leavesOf(root);
        found.removeIf(each -> !Names.methodOf(each).equals(NO_RUNNER) || !classes.contains(Names.classOf(each, "")));
        if (found.isEmpty()) {
            throw NotRun.gone(unit);
        }
        return found;
    }

    static Set<String> leavesOf(Description node) {
        Set<String> leaves = new LinkedHashSet<>();
        List<Description> rest = new ArrayList<>();
        rest.add(node);
        for (int next = 0; next < rest.size(); next++) {
            Description each = rest.get(next);
            if (each.getChildren().isEmpty()) {
                leaves.add(keyOf(each));
            }
            rest.addAll(each.getChildren());
        }
        return leaves;
    }

    static String keyOf(Description leaf) {
        return Names.stable(leaf.getDisplayName());
    }

    private static String idOf(String className, Description node) {
        String key = keyOf(node);
        String own = "(" + className + ")";
        return className + SEPARATOR + (key.endsWith(own) ? key.substring(0, key.length() - own.length()) : key);
    }

    /** Keeps leaves by name. */
    static final class LeafFilter extends Filter {
        private final Set<String> leaves;

        LeafFilter(Set<String> leaves) {
            this.leaves = leaves;
        }

        @Override
        public boolean shouldRun(Description description) {
            List<Description> children = description.getChildren();
            return children.isEmpty()
                    ? leaves.contains(keyOf(description))
                    : children.stream().anyMatch(this::shouldRun);
        }

        @Override
        public String describe() {
            return leaves.toString();
        }
    }
}
