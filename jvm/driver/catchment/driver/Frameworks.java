package catchment.driver;

/** Finds the framework and says in one line why it cannot be used. */
final class Frameworks {
    private Frameworks() {}

    static Framework open(String name, Arguments arguments) {
        switch (name) {
            case "junit-platform":
                // First: the other class cannot even be loaded where the launcher is missing.
                PlatformLauncher launcher = PlatformLauncher.open();
                return new JUnitPlatform(launcher, arguments);
            case "junit4":
                return openJUnit(arguments);
            case "testng":
                requireTestNg();
                return new TestNg(arguments);
            default:
                throw new Unusable("the driver does not know the framework '" + name + "'");
        }
    }

    private static void requireTestNg() {
        if (!Classes.isHere("org.testng.TestNG")) {
            throw new Unusable("TestNG is not on the class path: add org.testng:testng to the test dependencies");
        }
    }

    /** JUnit 3 alone has its own runner; wherever there is a JUnit 4, it runs both. */
    private static Framework openJUnit(Arguments arguments) {
        if (Classes.isHere("org.junit.runner.Request")) {
            return new JUnit4(arguments);
        }
        if (Classes.isHere("junit.framework.TestSuite")) {
            return new JUnit3();
        }
        throw new Unusable("JUnit is not on the class path: add junit:junit:4.13.2 to the test dependencies");
    }
}
