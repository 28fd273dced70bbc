package five;

class NoTestsTest {}
