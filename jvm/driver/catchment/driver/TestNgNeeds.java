package catchment.driver;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.testng.annotations.Test;

/**
 * Other methods of its class that a TestNG method depends on: TestNG refuses to run it without them.
 *
 * <p>Read from the annotations rather than asked from TestNG, which would have to make an object of the class. Groups
 * of other classes are not followed.
 */
final class TestNgNeeds {
    private final Method[] methods;

    private TestNgNeeds(Class<?> testClass) {
        methods = testClass.getMethods();
    }

    /** The method itself and all that it needs, by name or group, directly or not. */
    static Set<String> of(Class<?> testClass, String name) {
        TestNgNeeds needs = new TestNgNeeds(testClass);
        Set<String> needed = new LinkedHashSet<>();
        List<String> rest = new ArrayList<>();
        rest.add(name);
        for (int next = 0; next < rest.size(); next++) {
            if (needed.add(rest.get(next))) {
                needs.addDirect(rest.get(next), rest);
            }
        }
        return needed;
    }

    private void addDirect(String name, List<String> needed) {
        for (Method dependent : methods) {
            if (dependent.getName().equals(name)) {
                for (Method method : methods) {
                    if (isNeeded(method, dependent)) {
                        needed.add(method.getName());
                    }
                }
            }
        }
    }

    private static boolean isNeeded(Method method, Method dependent) {
        Set<String> patterns = new LinkedHashSet<>();
        Set<String> groups = new LinkedHashSet<>();
        Set<String> own = new LinkedHashSet<>();
        for (Test test : testsOf(dependent)) {
            patterns.addAll(Arrays.asList(test.dependsOnMethods()));
            groups.addAll(Arrays.asList(test.dependsOnGroups()));
        }
        for (Test test : testsOf(method)) {
            own.addAll(Arrays.asList(test.groups()));
        }
        boolean isByName = patterns.stream().anyMatch(pattern -> names(pattern, method));
        return isByName || own.stream().anyMatch(group -> groups.stream().anyMatch(group::matches));
    }

    /** A name, one with its class in front, or a regular expression. */
    private static boolean names(String pattern, Method method) {
        String full = method.getDeclaringClass().getName() + "." + method.getName();
        return pattern.equals(method.getName()) || full.equals(pattern) || full.endsWith("." + pattern)
                || method.getName().matches(pattern);
    }

    /** The annotations of a method and of its class. */
    private static List<Test> testsOf(Method method) {
        List<Test> tests = new ArrayList<>();
        for (AnnotatedElement each : Arrays.asList(method, method.getDeclaringClass())) {
            Test test = each.getAnnotation(Test.class);
            if (test != null) {
                tests.add(test);
            }
        }
        return tests;
    }
}
