package catchment.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Supplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.platform.engine.TestEngine;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherFactory;

/** The Platform's launcher, in one session where it knows sessions, and what to say when it cannot be had. */
final class PlatformLauncher {
    private static final String LAUNCHER = "org.junit.platform.launcher.core.LauncherFactory";
    private static final String ENGINE = "org.junit.platform.engine.TestEngine";

    private Launcher launcher;
    private AutoCloseable session;
    private final List<String> engines = new ArrayList<>();
    private final List<String> broken = new ArrayList<>();

    private PlatformLauncher() {}

    static PlatformLauncher open() {
        if (!Classes.isHere(ENGINE)) {
            throw new Unusable("the JUnit Platform has no test engine on the class path: "
                    + "add org.junit.jupiter:junit-jupiter-engine to the test dependencies");
        }
        if (!Classes.isHere(LAUNCHER)) {
            throw new Unusable("the JUnit Platform has no launcher on the class path: add "
                    + "org.junit.platform:junit-platform-launcher:" + versionOf(ENGINE) + " to the test dependencies");
        }
        PlatformLauncher opened = new PlatformLauncher();
        try {
            opened.findEngines();
            opened.start();
        } catch (Unusable unusable) {
            throw unusable;
        } catch (Throwable thrown) {
            throw opened.unfit(thrown);
        }
        return opened;
    }

    Launcher get() {
        return launcher;
    }

    String description() {
        return "JUnit Platform " + versionOf(LAUNCHER) + " (" + String.join(", ", engines) + ")";
    }

    void close() {
        try {
            if (session != null) {
                session.close();
            }
        } catch (Exception thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    /**
     * Tries the launcher on a class without tests: engines that do not fit it fail here rather than in the middle of
     * a run. Launchers before 1.6 only log that an engine fails and go on without it.
     */
    void check(Supplier<TestPlan> discovery) {
        LoggedThrowables logged = new LoggedThrowables();
        Logger logger = Logger.getLogger("org.junit.platform.launcher");
        logger.addHandler(logged);
        Set<String> answering;
        try {
            answering = discovery.get().getRoots().stream().map(TestIdentifier::getUniqueId).collect(Collectors.toSet());
        } catch (Throwable thrown) {
            throw unfit(thrown);
        } finally {
            logger.removeHandler(logged);
        }
        if (!Classes.isHere("org.junit.platform.launcher.LauncherDiscoveryListener")) {
            engines.stream().filter(engine -> !answering.contains("[engine:" + engine.split(" ")[0] + "]")).forEach(broken::add);
        }
        if (broken.size() == engines.size()) {
            throw unfit(logged.first());
        }
        broken.replaceAll(engine -> "the engine " + engine + " fails: " + Diagnosis.of(logged.first()));
    }

    /** The problem of engines that fail while others work. */
    List<String> problems() {
        return broken;
    }

    /** The problem of a launcher that fails before any test has run. */
    private Unusable unfit(Throwable thrown) {
        String launcherVersion = versionOf(LAUNCHER);
        String engineVersion = versionOf(ENGINE);
        String parts = "launcher " + launcherVersion + ", engine API " + engineVersion + ", " + String.join(", ", engines);
        String cause = Diagnosis.oneLine(Diagnosis.root(thrown));
        return new Unusable("the parts of the JUnit Platform on the class path do not fit together (" + parts + "): " + cause
                + "; give junit-platform-launcher, junit-platform-engine and the engines versions of one release");
    }

    /** The problem where no engine finds a test. */
    String whyNoTests() {
        String found = "no engine finds a test in the test classes (engines: " + String.join(", ", engines) + ")";
        if (Classes.isHere("org.junit.jupiter.api.Test") && !hasEngine("junit-jupiter")) {
            return found + ": add org.junit.jupiter:junit-jupiter-engine:" + versionOf("org.junit.jupiter.api.Test");
        }
        if (Classes.isHere("org.junit.Test") && !hasEngine("junit-vintage")) {
            return found + ": for JUnit 4 tests add org.junit.vintage:junit-vintage-engine";
        }
        return found;
    }

    private boolean hasEngine(String id) {
        return engines.stream().anyMatch(engine -> engine.startsWith(id));
    }

    private void findEngines() {
        for (TestEngine engine : ServiceLoader.load(TestEngine.class)) {
            engines.add(engine.getId() + engine.getVersion().map(version -> " " + version).orElse(""));
        }
        if (engines.isEmpty()) {
            throw new Unusable("the JUnit Platform has no test engine on the class path: "
                    + "add org.junit.jupiter:junit-jupiter-engine, or junit-vintage-engine for JUnit 4 tests");
        }
    }

    private void start() {
        try {
            LauncherSession opened = LauncherFactory.openSession();
            session = opened;
            launcher = opened.getLauncher();
        } catch (NoSuchMethodError | NoClassDefFoundError beforeSessions) {
            launcher = LauncherFactory.create();
        }
    }

    private static final class LoggedThrowables extends Handler {
        private Throwable first;

        Throwable first() {
            return first == null ? new IllegalStateException("it does not answer") : first;
        }

        @Override
        public void publish(LogRecord record) {
            if (first == null) {
                first = record.getThrown();
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    private static String versionOf(String className) {
        try {
            Package itsPackage = Classes.load(className).getPackage();
            String version = itsPackage == null ? null : itsPackage.getImplementationVersion();
            return version == null ? "of unknown version" : version;
        } catch (ClassNotFoundException | LinkageError absent) {
            return "absent";
        }
    }
}
