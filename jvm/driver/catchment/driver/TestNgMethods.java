package catchment.driver;

import java.util.ArrayList;
import java.util.List;
import org.testng.ISuite;
import org.testng.ISuiteListener;
import org.testng.ITestNGMethod;

/** Asks a suite for its methods when it is about to start, and stops it. */
final class TestNgMethods implements ISuiteListener {
    private final List<ITestNGMethod> methods = new ArrayList<>();

    List<ITestNGMethod> methods() {
        return methods;
    }

    @Override
    public void onStart(ISuite suite) {
        methods.addAll(suite.getAllMethods());
        throw new Stop();
    }

    @Override
    public void onFinish(ISuite suite) {}

    static final class Stop extends Error {
        Stop() {
            super("enough seen", null, false, false);
        }
    }
}
