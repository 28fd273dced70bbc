package catchment.driver;

import catchment.runtime.Worker;
import java.util.List;

/** A framework that finds the units of each test class by itself. */
abstract class ClassByClass implements Framework {
    @Override
    public final void discover(List<String> classes) {
        for (Class<?> testClass : Classes.loadAll(classes)) {
            try {
                announce(testClass);
            } catch (Throwable thrown) {
                Worker.problem("cannot list the tests of " + testClass.getName() + ": " + Diagnosis.of(thrown));
            }
        }
    }

    /** Names the units of this class. */
    abstract void announce(Class<?> testClass) throws Throwable;
}
