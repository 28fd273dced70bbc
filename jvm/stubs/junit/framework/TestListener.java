package junit.framework;

public interface TestListener {
    void addError(Test test, Throwable error);

    void addFailure(Test test, AssertionFailedError failure);

    void endTest(Test test);

    void startTest(Test test);
}
