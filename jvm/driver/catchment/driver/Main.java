package catchment.driver;

import catchment.runtime.Worker;
import java.security.Security;
import java.util.Arrays;
import java.util.List;

/**
 * Runs tests on demand: {@code catchment.driver.Main <framework> [key=value...]}.
 *
 * <p>Everything runs on the main thread with the application class loader, as in the JVMs of build tools. The only
 * partner is {@link Worker}.
 */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        Framework framework = open(arguments);
        if (framework != null) {
            Worker.ready(framework.description());
            for (String[] command = Worker.next(); command != null; command = Worker.next()) {
                Surroundings before = new Surroundings();
                obey(framework, command[0], Arrays.asList(command).subList(1, command.length));
                if (!isRestored(before)) {
                    break;
                }
            }
            close(framework);
        }
        // Threads that tests have left behind must not keep the JVM alive.
        System.exit(0);
    }

    /** The framework asked for, or null when it has been said why it cannot be used. */
    private static Framework open(String[] arguments) {
        try {
            if (arguments.length == 0) {
                throw new Unusable("the driver was not told a framework");
            }
            Arguments behind = new Arguments(Arrays.asList(arguments).subList(1, arguments.length));
            behind.setProperties();
            forgetAddresses();
            return Frameworks.open(arguments[0], behind);
        } catch (Unusable unusable) {
            Worker.unusable(unusable.getMessage());
        } catch (Throwable other) {
            Worker.unusable(Diagnosis.of(other));
        }
        return null;
    }

    /** Lookups of network names are told apart by test, so the JDK must not remember those of another test. */
    private static void forgetAddresses() {
        Security.setProperty("networkaddress.cache.ttl", "0");
        Security.setProperty("networkaddress.cache.negative.ttl", "0");
    }

    private static void obey(Framework framework, String verb, List<String> operands) {
        switch (verb) {
            case "discover":
                guarded("cannot list the tests: ", () -> framework.discover(operands));
                Worker.discovered();
                break;
            case "suite":
                guarded("cannot run the suite to its end: ", () -> suite(framework, operands));
                Worker.suiteFinished();
                break;
            default:
                test(framework, operands.get(0));
        }
    }

    /** JUnit's platform does not go on after an OutOfMemoryError, whoever has thrown it. Another JVM can. */
    private static void suite(Framework framework, List<String> classes) {
        try {
            framework.suite(classes);
        } catch (OutOfMemoryError thrown) {
            Worker.outOfMemory();
        }
    }

    /** A JVM that does not let itself be put back is no place for another test. */
    private static boolean isRestored(Surroundings before) {
        try {
            before.restore();
            return true;
        } catch (Throwable thrown) {
            Worker.unusable("a test has changed its JVM for good: " + Diagnosis.of(thrown));
            return false;
        }
    }

    private static void guarded(String introduction, Runnable act) {
        try {
            act.run();
        } catch (Throwable thrown) {
            Worker.problem(introduction + Diagnosis.of(thrown));
        }
    }

    private static void test(Framework framework, String unit) {
        Verdict verdict;
        Worker.started(unit);
        try {
            verdict = framework.test(unit);
        } catch (NotRun gone) {
            verdict = Verdict.skipped(gone);
        } catch (Throwable thrown) {
            verdict = Verdict.failed(thrown);
        }
        Worker.finished(unit, verdict.code(), verdict.reason());
    }

    private static void close(Framework framework) {
        try {
            framework.close();
        } catch (Throwable ignored) {
            // Nobody is left to be told: the last answer has been given.
        }
    }
}
