package catchment.driver;

import catchment.runtime.Worker;
import java.util.HashSet;
import java.util.Set;

/**
 * The open unit of a running suite. One at a time: when another begins, the open one has ended.
 *
 * <p>A unit whose parts do not follow each other is reported once for each stretch; the controller adds them up.
 */
final class Progress {
    private final Set<String> reported = new HashSet<>();
    private String open;
    private Verdict verdict;

    /** A part of this unit begins. */
    synchronized Verdict enter(String unit) {
        if (!unit.equals(open)) {
            leave();
            open = unit;
            verdict = new Verdict();
            reported.add(unit);
            Worker.started(unit);
        }
        return verdict;
    }

    /** The open unit, if any, has ended. */
    synchronized void leave() {
        if (open != null) {
            String ended = open;
            open = null;
            Worker.finished(ended, verdict.code(), verdict.reason());
        }
    }

    /** The verdict of this unit so far, null unless it is open. */
    synchronized Verdict of(String unit) {
        return unit.equals(open) ? verdict : null;
    }

    /** A unit that is over without having run, unless it has been seen before. Whether it had not. */
    synchronized boolean never(String unit, Verdict why) {
        if (reported.contains(unit)) {
            return false;
        }
        enter(unit).add(why);
        leave();
        return true;
    }
}
