package catchment.driver;

import catchment.runtime.Worker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;

/**
 * The JUnit Platform, 1.3 and later: Jupiter, Vintage and whatever other engine is on the class path. Ids are unique
 * ids of the Platform; {@link PlatformUnits} says what is a unit.
 *
 * <p>The launcher is made once. Listeners that the project has registered stay: they may belong to the set-up of its
 * tests.
 */
final class JUnitPlatform implements Framework {
    private final PlatformLauncher launcher;
    private final Arguments arguments;

    JUnitPlatform(PlatformLauncher launcher, Arguments arguments) {
        this.launcher = launcher;
        this.arguments = arguments;
        List<DiscoverySelector> harmless = selectors(Collections.singletonList(Main.class));
        launcher.check(() -> launcher.get().discover(LauncherDiscoveryRequestBuilder.request().selectors(harmless).build()));
    }

    @Override
    public String description() {
        return launcher.description();
    }

    @Override
    public void discover(List<String> classes) {
        TestPlan plan = select(classes).plan;
        Set<PlatformUnit> units = new PlatformUnits(plan, uncuttable(plan)).all();
        units.forEach(PlatformUnit::announce);
        launcher.problems().forEach(Worker::problem);
        if (units.isEmpty()) {
            Worker.problem(launcher.whyNoTests());
        }
    }

    @Override
    public void suite(List<String> classes) {
        Selection selection = select(classes);
        PlatformSuite listener = new PlatformSuite(uncuttable(selection.plan));
        execute(selection.selectors, listener);
        listener.end();
    }

    @Override
    public Verdict test(String unit) {
        PlatformSingle listener = new PlatformSingle(unit);
        List<DiscoverySelector> selectors = new ArrayList<>();
        selectors.add(DiscoverySelectors.selectUniqueId(unit));
        execute(selectors, listener);
        return listener.verdict();
    }

    @Override
    public void close() {
        launcher.close();
    }

    private void execute(List<DiscoverySelector> selectors, TestExecutionListener listener) {
        launcher.get().execute(request(selectors), listener);
    }

    private TestPlan plan(List<DiscoverySelector> selectors) {
        return launcher.get().discover(request(selectors));
    }

    /** Classes and what is planned for them. */
    private static final class Selection {
        final List<DiscoverySelector> selectors;
        final TestPlan plan;

        Selection(List<DiscoverySelector> selectors, TestPlan plan) {
            this.selectors = selectors;
            this.plan = plan;
        }
    }

    /**
     * Selects the classes that can be loaded and that no engine chokes on: one broken class makes the discovery of
     * all fail. Only when that happens is each asked for alone.
     */
    private Selection select(List<String> names) {
        List<Class<?>> classes = Classes.loadAll(names);
        try {
            return selection(classes);
        } catch (Throwable oneOfThem) {
            return selection(classes.stream().filter(this::isFitting).collect(Collectors.toList()));
        }
    }

    private Selection selection(List<Class<?>> classes) {
        List<DiscoverySelector> selectors = selectors(classes);
        return new Selection(selectors, plan(selectors));
    }

    private boolean isFitting(Class<?> testClass) {
        try {
            plan(selectors(Collections.singletonList(testClass)));
            return true;
        } catch (Throwable thrown) {
            Worker.problem("cannot list the tests of " + testClass.getName() + ": " + Diagnosis.of(thrown));
            return false;
        }
    }

    /** The containers of which Vintage cannot run a single test, because their runner takes no filter. */
    private Set<String> uncuttable(TestPlan plan) {
        Map<String, String> firstLeaves = PlatformUnits.firstLeavesOfVintage(plan);
        Set<String> uncuttable = new HashSet<>();
        if (!firstLeaves.isEmpty()) {
            List<DiscoverySelector> selectors = new ArrayList<>();
            firstLeaves.values().forEach(leaf -> selectors.add(DiscoverySelectors.selectUniqueId(leaf)));
            Map<String, Integer> left = PlatformUnits.leavesPerParent(plan(selectors));
            left.forEach((parent, count) -> {
                if (count > 1) {
                    uncuttable.add(parent);
                }
            });
        }
        return uncuttable;
    }

    private static List<DiscoverySelector> selectors(List<Class<?>> classes) {
        List<DiscoverySelector> selectors = new ArrayList<>();
        classes.forEach(each -> selectors.add(DiscoverySelectors.selectClass(each)));
        return selectors;
    }

    private LauncherDiscoveryRequest request(List<DiscoverySelector> selectors) {
        LauncherDiscoveryRequestBuilder builder = LauncherDiscoveryRequestBuilder.request().selectors(selectors);
        if (!arguments.all(Arguments.INCLUDE_TAGS).isEmpty()) {
            builder.filters(TagFilter.includeTags(arguments.array(Arguments.INCLUDE_TAGS)));
        }
        if (!arguments.all(Arguments.EXCLUDE_TAGS).isEmpty()) {
            builder.filters(TagFilter.excludeTags(arguments.array(Arguments.EXCLUDE_TAGS)));
        }
        if (!arguments.all(Arguments.INCLUDE_ENGINES).isEmpty()) {
            builder.filters(EngineFilter.includeEngines(arguments.array(Arguments.INCLUDE_ENGINES)));
        }
        if (!arguments.all(Arguments.EXCLUDE_ENGINES).isEmpty()) {
            builder.filters(EngineFilter.excludeEngines(arguments.array(Arguments.EXCLUDE_ENGINES)));
        }
        parameters().forEach(builder::configurationParameter);
        return builder.build();
    }

    private Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String each : arguments.all(Arguments.PARAMETER)) {
            int equals = each.indexOf('=');
            parameters.put(equals < 0 ? each : each.substring(0, equals), equals < 0 ? "" : each.substring(equals + 1));
        }
        // Behind the given ones. One test at a time, on this thread; the Platform's own listeners and advice are
        // silent.
        parameters.put("junit.jupiter.execution.parallel.enabled", "false");
        parameters.put("junit.vintage.execution.parallel.enabled", "false");
        parameters.put("junit.vintage.discovery.issue.reporting.enabled", "false");
        parameters.put("junit.platform.listeners.uid.tracking.enabled", "false");
        parameters.put("junit.platform.reporting.open.xml.enabled", "false");
        return parameters;
    }
}
