package catchment.driver;

import catchment.runtime.Worker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.testng.ITestNGListener;
import org.testng.ITestNGMethod;
import org.testng.TestNG;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlInclude;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

/**
 * TestNG, 6.8 and later. A unit is a method of a class, {@code class#method}, with all its rows, instances and
 * overloads: what one {@code include} can name. A unit that depends on others runs after them, and fails when one of
 * them fails.
 *
 * <p>TestNG's reporters stay off: they would write a folder of files.
 */
final class TestNg implements Framework {
    private static final char SEPARATOR = '#';

    private final List<String> includedGroups;
    private final List<String> excludedGroups;

    TestNg(Arguments arguments) {
        includedGroups = groups(arguments.all(Arguments.INCLUDE_TAGS));
        excludedGroups = groups(arguments.all(Arguments.EXCLUDE_TAGS));
        // Fails here, not later, when a library that TestNG needs is missing.
        testNg();
    }

    private static List<String> groups(List<String> lists) {
        List<String> groups = new ArrayList<>();
        for (String list : lists) {
            groups.addAll(Arrays.asList(list.trim().split("\\s*,\\s*")));
        }
        return groups;
    }

    @Override
    public String description() {
        String version = TestNG.class.getPackage().getImplementationVersion();
        return "TestNG " + (version == null ? constantVersion() : version);
    }

    /** Versions before 7 have it in a constant, which a compiler would copy. */
    private static String constantVersion() {
        try {
            return String.valueOf(Classes.load("org.testng.internal.Version").getField("VERSION").get(null));
        } catch (ReflectiveOperationException | LinkageError absent) {
            return "of unknown version";
        }
    }

    static String unitOf(ITestNGMethod method) {
        return method.getTestClass().getName() + SEPARATOR + method.getMethodName();
    }

    @Override
    public void discover(List<String> classes) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (ITestNGMethod method : methodsOf(Classes.loadAll(classes))) {
            counts.merge(unitOf(method), 1, Integer::sum);
        }
        counts.forEach((unit, count) -> {
            int separator = unit.indexOf(SEPARATOR);
            String shared = count > 1 ? "several methods or instances have this name" : null;
            Worker.unit(unit, unit.substring(0, separator), unit.substring(separator + 1), shared);
        });
        if (counts.isEmpty()) {
            Worker.problem("TestNG finds no test in the test classes");
        }
    }

    @Override
    public void suite(List<String> classes) {
        TestNgSuite listener = new TestNgSuite();
        try {
            run(selected(Classes.loadAll(classes)), listener);
        } finally {
            listener.end();
        }
    }

    @Override
    public Verdict test(String unit) {
        int separator = Math.max(0, unit.indexOf(SEPARATOR));
        Class<?> testClass;
        try {
            testClass = Classes.load(unit.substring(0, separator));
        } catch (ClassNotFoundException absent) {
            return Verdict.failed(absent);
        }
        XmlClass selected = new XmlClass(testClass.getName(), 0);
        selected.setIncludedMethods(includes(TestNgNeeds.of(testClass, unit.substring(separator + 1))));
        TestNgSingle listener = new TestNgSingle(unit);
        run(Collections.singletonList(selected), listener);
        return listener.verdict();
    }

    private static List<XmlInclude> includes(Set<String> methods) {
        List<XmlInclude> includes = new ArrayList<>();
        methods.forEach(method -> includes.add(new XmlInclude(method)));
        return includes;
    }

    /** All test methods that TestNG would run. It is stopped before it runs anything, set-up included. */
    private List<ITestNGMethod> methodsOf(List<Class<?>> classes) {
        TestNgMethods listener = new TestNgMethods();
        try {
            run(selected(classes), listener);
        } catch (TestNgMethods.Stop expected) {
            // It has seen what it is there for.
        }
        return listener.methods();
    }

    /** Numbered, because TestNG runs classes by number. */
    private static List<XmlClass> selected(List<Class<?>> classes) {
        List<XmlClass> selected = new ArrayList<>();
        for (Class<?> each : classes) {
            selected.add(new XmlClass(each.getName(), selected.size()));
        }
        return selected;
    }

    private void run(List<XmlClass> classes, ITestNGListener listener) {
        XmlSuite suite = new XmlSuite();
        suite.setName("TestSuite");
        suite.setDataProviderThreadCount(1);
        XmlTest test = new XmlTest(suite);
        test.setName("Command line test");
        test.setXmlClasses(new ArrayList<>(classes));
        test.setIncludedGroups(includedGroups);
        test.setExcludedGroups(excludedGroups);
        TestNG testNg = testNg();
        try {
            testNg.addListener((Object) listener);
        } catch (NoSuchMethodError laterVersion) {
            testNg.addListener(listener);
        }
        testNg.setXmlSuites(Collections.singletonList(suite));
        testNg.run();
    }

    private static TestNG testNg() {
        TestNG testNg = new TestNG(false);
        testNg.setVerbose(0);
        return testNg;
    }
}
