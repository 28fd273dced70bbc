package ng;

public class NoTestsTest {}
