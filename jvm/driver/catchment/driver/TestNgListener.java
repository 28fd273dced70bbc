package catchment.driver;

import org.testng.IConfigurationListener;
import org.testng.ITestContext;
import org.testng.ITestListener;
import org.testng.ITestResult;

/** Turns TestNG's events into verdicts on units. */
abstract class TestNgListener implements ITestListener, IConfigurationListener {
    /** A part of this unit begins. */
    abstract void begin(String unit);

    /** A part of this unit has ended, perhaps without having begun. */
    abstract void end(String unit, Verdict verdict);

    /** A method that sets something up or tears it down. */
    abstract void configurationFailed(ITestResult result);

    private static String unitOf(ITestResult result) {
        return TestNg.unitOf(result.getMethod());
    }

    @Override
    public final synchronized void onTestStart(ITestResult result) {
        begin(unitOf(result));
    }

    @Override
    public final synchronized void onTestSuccess(ITestResult result) {
        Verdict verdict = new Verdict();
        verdict.pass();
        end(unitOf(result), verdict);
    }

    @Override
    public final void onTestFailedButWithinSuccessPercentage(ITestResult result) {
        onTestSuccess(result);
    }

    @Override
    public final synchronized void onTestFailure(ITestResult result) {
        end(unitOf(result), Verdict.failed(result.getThrowable()));
    }

    @Override
    public final synchronized void onTestSkipped(ITestResult result) {
        end(unitOf(result), whySkipped(result));
    }

    /** Skipped, or failed if its set-up did. */
    Verdict whySkipped(ITestResult result) {
        return Verdict.skipped(result.getThrowable());
    }

    @Override
    public final synchronized void onConfigurationFailure(ITestResult result) {
        configurationFailed(result);
    }

    @Override
    public final void onConfigurationSuccess(ITestResult result) {}

    @Override
    public final void onConfigurationSkip(ITestResult result) {}

    @Override
    public final void onStart(ITestContext context) {}

    @Override
    public final void onFinish(ITestContext context) {}
}
