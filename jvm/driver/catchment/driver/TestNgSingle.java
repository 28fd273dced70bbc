package catchment.driver;

import org.testng.ITestResult;

/** Listens to the run of one unit. Whatever fails, fails it: only what it needs runs with it. */
final class TestNgSingle extends TestNgListener {
    private final String wanted;
    private final Verdict verdict = new Verdict();

    TestNgSingle(String wanted) {
        this.wanted = wanted;
    }

    Verdict verdict() {
        return verdict;
    }

    @Override
    void begin(String unit) {}

    @Override
    void end(String unit, Verdict ended) {
        if (unit.equals(wanted) || ended.isFailed()) {
            verdict.add(ended);
        }
    }

    @Override
    void configurationFailed(ITestResult result) {
        verdict.fail(result.getThrowable());
    }
}
