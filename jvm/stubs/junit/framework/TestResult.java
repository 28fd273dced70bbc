package junit.framework;

public class TestResult {
    public void addListener(TestListener listener) {}
}
