package catchment.driver;

import catchment.runtime.Worker;
import java.util.LinkedHashMap;
import java.util.Map;
import org.testng.ITestNGMethod;
import org.testng.ITestResult;
import org.testng.SkipException;

/**
 * Listens to the run of a whole suite and tells of its units.
 *
 * <p>TestNG skips tests whose set-up has failed, or that of others before them; here they have failed. A failing
 * tear-down after which nothing was skipped is a problem that belongs to no unit.
 */
final class TestNgSuite extends TestNgListener {
    private final Progress progress = new Progress();
    /** Failed set-ups and tear-downs, and whether a unit has failed for it. */
    private final Map<ITestResult, Boolean> broken = new LinkedHashMap<>();

    @Override
    void begin(String unit) {
        progress.enter(unit);
    }

    @Override
    void end(String unit, Verdict verdict) {
        progress.enter(unit).add(verdict);
    }

    @Override
    void configurationFailed(ITestResult result) {
        broken.put(result, false);
    }

    @Override
    Verdict whySkipped(ITestResult skipped) {
        if (!(skipped.getThrowable() instanceof SkipException)) {
            for (ITestResult each : broken.keySet()) {
                if (isFor(each, skipped)) {
                    broken.put(each, true);
                    return Verdict.failed(each.getThrowable());
                }
            }
        }
        return Verdict.skipped(skipped.getThrowable());
    }

    private static boolean isFor(ITestResult configuration, ITestResult test) {
        ITestNGMethod method = configuration.getMethod();
        boolean isForAll = method.isBeforeSuiteConfiguration()
                || method.isBeforeTestConfiguration()
                || method.isBeforeGroupsConfiguration();
        return isForAll || configuration.getTestClass().getName().equals(test.getTestClass().getName());
    }

    synchronized void end() {
        progress.leave();
        broken.forEach((result, isTold) -> {
            if (!isTold) {
                String place = result.getTestClass().getName() + "." + result.getMethod().getMethodName();
                Worker.problem("after the tests: " + place + ": " + Diagnosis.of(result.getThrowable()));
            }
        });
    }
}
