package junit.framework;

public abstract class TestCase implements Test {
    public String getName() {
        return null;
    }

    @Override
    public void run(TestResult result) {}
}
