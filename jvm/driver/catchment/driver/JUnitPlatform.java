package catchment.driver;

import catchment.runtime.Lab;
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
 * The JUnit Platform, 1.3 and later: Jupiter, Vintage and whatever other engine is on the class path. Ids are unique ids of
 * the Platform; {@link PlatformUnits} says what is a unit.
 *
 * <p>The launcher is made once. Listeners that the project has registered stay: they may belong to the set-up of its tests.
 */
final class JUnitPlatform implements Framework {
    private final PlatformLauncher launcher;
    private final Arguments arguments;

    JUnitPlatform(PlatformLauncher launcher, Arguments arguments) {
        this.launcher = launcher;
        this.arguments = arguments;
        try {
            // Engines that do not fit the launcher fail here rather than in the middle of a run.
            launcher.get().discover(request(classes(Collections.singletonList(Main.class))));
        } catch (Throwable thrown) {
            throw launcher.unfit(thrown);
        }
    }

    @Override
    public String description() {
        return launcher.description();
    }

    @Override
    public void discover(List<String> classes) {
        Set<PlatformUnit> units = units(fitting(classes)).all();
        units.forEach(PlatformUnit::announce);
        if (units.isEmpty()) {
            Lab.problem(launcher.whyNoTests());
        }
    }

    @Override
    public void suite(List<String> classes) {
        List<Class<?>> fitting = fitting(classes);
        PlatformSuite listener = new PlatformSuite(uncuttable(plan(fitting)));
        execute(classes(fitting), listener);
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

    private PlatformUnits units(List<Class<?>> classes) {
        TestPlan plan = plan(classes);
        return new PlatformUnits(plan, uncuttable(plan));
    }

    private TestPlan plan(List<Class<?>> classes) {
        return launcher.get().discover(request(classes(classes)));
    }

    /**
     * The classes that can be loaded and that no engine chokes on: one broken class makes the discovery of all fail. Only
     * when that happens is each asked for alone.
     */
    private List<Class<?>> fitting(List<String> names) {
        List<Class<?>> classes = Classes.loadAll(names);
        try {
            plan(classes);
            return classes;
        } catch (Throwable oneOfThem) {
            return classes.stream().filter(this::isFitting).collect(Collectors.toList());
        }
    }

    private boolean isFitting(Class<?> testClass) {
        try {
            plan(Collections.singletonList(testClass));
            return true;
        } catch (Throwable thrown) {
            Lab.problem("cannot list the tests of " + testClass.getName() + ": " + Diagnosis.of(thrown));
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
            Map<String, Integer> left = PlatformUnits.leavesPerParent(launcher.get().discover(request(selectors)));
            left.forEach((parent, count) -> {
                if (count > 1) {
                    uncuttable.add(parent);
                }
            });
        }
        return uncuttable;
    }

    private static List<DiscoverySelector> classes(List<Class<?>> classes) {
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
        // Behind the given ones. One test at a time, on this thread; and no files from the Platform's own listeners.
        parameters.put("junit.jupiter.execution.parallel.enabled", "false");
        parameters.put("junit.vintage.execution.parallel.enabled", "false");
        parameters.put("junit.platform.listeners.uid.tracking.enabled", "false");
        parameters.put("junit.platform.reporting.open.xml.enabled", "false");
        return parameters;
    }
}
