package org.testng;

public interface ISuiteListener extends ITestNGListener {
    void onStart(ISuite suite);

    void onFinish(ISuite suite);
}
