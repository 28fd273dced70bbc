package four;

public class NoTestsTest {}
