package catchment.driver;

import catchment.runtime.Worker;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/** Listens to the run of a whole suite and tells of its units. */
final class PlatformSuite implements TestExecutionListener {
    private final Set<String> uncuttable;
    private final Progress progress = new Progress();
    private final Map<String, Host> hosts = new HashMap<>();
    /** The units of running tests that were registered during the run. */
    private final Map<String, String> registered = new HashMap<>();
    private PlatformUnits units;

    PlatformSuite(Set<String> uncuttable) {
        this.uncuttable = uncuttable;
    }

    /** A planned container with tests that were registered during the run. */
    private static final class Host {
        final PlatformUnit unit;
        int tests;
        /** Of all its tests, and of containers among them. */
        final Verdict verdict = new Verdict();
        boolean isBroken;

        Host(PlatformUnit unit) {
            this.unit = unit;
        }
    }

    @Override
    public synchronized void testPlanExecutionStarted(TestPlan plan) {
        units = new PlatformUnits(plan, uncuttable);
    }

    @Override
    public synchronized void executionStarted(TestIdentifier identifier) {
        if (identifier.isTest()) {
            progress.enter(unitOfStarted(identifier));
        }
    }

    @Override
    public synchronized void executionSkipped(TestIdentifier identifier, String reason) {
        if (units.isKnown(identifier)) {
            neverRan(identifier, PlatformSingle.whySkipped(identifier, reason));
        } else {
            hostOf(identifier).verdict.add(PlatformSingle.whySkipped(identifier, reason));
        }
    }

    @Override
    public synchronized void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        Verdict verdict = PlatformSingle.verdictOf(result);
        if (identifier.isTest()) {
            testFinished(identifier, verdict);
        } else if (units.isKnown(identifier)) {
            containerFinished(identifier, verdict, result.getStatus() == TestExecutionResult.Status.SUCCESSFUL);
        } else if (verdict.isFailed()) {
            Host host = hostOf(identifier);
            host.isBroken = true;
            host.verdict.add(verdict);
        }
    }

    synchronized void end() {
        progress.leave();
    }

    private void testFinished(TestIdentifier identifier, Verdict verdict) {
        String unit = unitOfRunning(identifier);
        progress.enter(unit).add(verdict);
        if (!units.isKnown(identifier)) {
            hostOf(identifier).verdict.add(verdict);
            registered.remove(identifier.getUniqueId());
        }
        if (unit.equals(identifier.getUniqueId())) {
            progress.leave();
        }
    }

    private void containerFinished(TestIdentifier container, Verdict verdict, boolean isSuccessful) {
        Host host = hosts.remove(container.getUniqueId());
        PlatformUnit own = units.planned(container);
        boolean isEmpty = host == null && own != null && own.id.equals(container.getUniqueId());
        if (isEmpty) {
            progress.never(own.id, isSuccessful ? new Verdict() : verdict);
        } else if (host != null) {
            host.isBroken |= !isSuccessful;
            hostFinished(host, verdict, isSuccessful);
        } else if (!isSuccessful && !neverRan(container, verdict) && verdict.isFailed()) {
            Worker.problem("after the tests of " + container.getDisplayName() + ": " + Diagnosis.of(verdict.reason()));
        }
        if (progress.of(container.getUniqueId()) != null) {
            progress.leave();
        }
    }

    private void hostFinished(Host host, Verdict verdict, boolean isSuccessful) {
        boolean isShared = progress.of(host.unit.id) != null;
        if (isShared || host.isBroken) {
            Verdict all = progress.enter(host.unit.id);
            all.add(host.verdict);
            if (!isSuccessful) {
                all.add(verdict);
            }
            progress.leave();
        }
    }

    private boolean neverRan(TestIdentifier node, Verdict verdict) {
        boolean[] isTaken = {false};
        units.below(node, unit -> {
            Verdict open = progress.of(unit.id);
            if (open != null) {
                open.add(verdict);
                isTaken[0] = true;
            } else {
                isTaken[0] |= progress.never(unit.id, verdict);
            }
        });
        return isTaken[0];
    }

    private String unitOfStarted(TestIdentifier test) {
        if (units.isKnown(test)) {
            return unitOfRunning(test);
        }
        Host host = hostOf(test);
        host.tests++;
        boolean isAlone = host.tests <= PlatformUnits.LIMIT && PlatformUnits.isOfJupiter(test);
        PlatformUnit unit = isAlone ? units.alone(test) : host.unit;
        if (isAlone) {
            unit.announce();
        }
        registered.put(test.getUniqueId(), unit.id);
        return unit.id;
    }

    private String unitOfRunning(TestIdentifier test) {
        PlatformUnit planned = units.planned(test);
        return planned == null ? registered.getOrDefault(test.getUniqueId(), test.getUniqueId()) : planned.id;
    }

    private Host hostOf(TestIdentifier test) {
        TestIdentifier host = units.hostOf(test);
        return hosts.computeIfAbsent(host.getUniqueId(), id -> new Host(units.unitOfHost(host)));
    }
}
