package catchment.runtime;

/**
 * Exception classes that arrived at each counter, how often, and the origins of the first few; in a worker, of the
 * first few of each test.
 *
 * <p>Keeps names, never classes or exceptions, so nothing of the application stays alive because of it. Reading takes
 * no lock: arrays are replaced, not changed, and whoever reads a stale or half-published one finds nothing in it and
 * asks again under the lock. Runs no code of the application, and whatever goes wrong here stays here: the count of
 * the clause itself is already kept.
 */
final class Exceptions {
    private static final int ORIGINS_KEPT = 3;
    /** More classes than this at one counter are generated ones; they are counted together, without a name. */
    private static final int CLASSES_KEPT = 256;
    private static final int PAGE_SHIFT = 10;
    private static final int PAGE_MASK = (1 << PAGE_SHIFT) - 1;

    private static final Object LOCK = new Object();
    /** By counter: page, slot in the page, then the classes that arrived there. */
    private static volatile ExceptionClass[][][] pages = new ExceptionClass[16][][];

    private Exceptions() {}

    /** A class of which exceptions arrived at a counter. */
    private static final class ExceptionClass {
        final String exception;
        final int counter;
        /** Changed under the lock only; a stale value read outside costs one more look. */
        int originsLeft = ORIGINS_KEPT;
        /** The test in which they are left; under the lock as well. */
        long test;

        ExceptionClass(String exception, int counter) {
            this.exception = exception;
            this.counter = counter;
        }
    }

    static void arrived(Throwable thrown, int counter) {
        try {
            String exception = thrown.getClass().getName();
            ExceptionClass found = find(classesAt(counter), exception);
            if (found == null) {
                found = register(counter, exception);
            }
            if (found != null) {
                keep(found, thrown, counter);
            }
        } catch (Throwable lostDetail) {
            // No stack or no memory left. The report shows the difference as exceptions of unknown class.
        }
    }

    private static void keep(ExceptionClass found, Throwable thrown, int counter) {
        if (found.counter >= 0) {
            Probes.count(found.counter);
        }
        if ((found.originsLeft > 0 || found.test != Probes.test()) && takeOrigin(found)) {
            Agent.origin(thrown, counter, found.exception);
        }
    }

    private static boolean takeOrigin(ExceptionClass found) {
        synchronized (LOCK) {
            long test = Probes.test();
            if (found.test != test) {
                found.test = test;
                found.originsLeft = ORIGINS_KEPT;
            }
            return found.originsLeft-- > 0;
        }
    }

    private static ExceptionClass[] classesAt(int counter) {
        ExceptionClass[][][] known = pages;
        int page = counter >>> PAGE_SHIFT;
        ExceptionClass[][] slots = page < known.length ? known[page] : null;
        return slots == null ? null : slots[counter & PAGE_MASK];
    }

    private static ExceptionClass find(ExceptionClass[] known, String exception) {
        if (known != null) {
            for (ExceptionClass found : known) {
                if (found != null && found.exception.equals(exception)) {
                    return found;
                }
            }
        }
        return null;
    }

    private static ExceptionClass register(int counter, String exception) {
        synchronized (LOCK) {
            ExceptionClass[] known = classesAt(counter);
            ExceptionClass found = find(known, exception);
            int size = known == null ? 0 : known.length;
            if (found != null || size >= CLASSES_KEPT) {
                return found;
            }
            ExceptionClass[] more = new ExceptionClass[size + 1];
            for (int i = 0; i < size; i++) {
                more[i] = known[i];
            }
            ExceptionClass[][] slots = slotsFor(counter);
            found = new ExceptionClass(exception, Agent.exceptionType(counter, exception));
            more[size] = found;
            slots[counter & PAGE_MASK] = more;
            return found;
        }
    }

    private static ExceptionClass[][] slotsFor(int counter) {
        int page = counter >>> PAGE_SHIFT;
        ExceptionClass[][][] known = pages;
        if (page >= known.length) {
            ExceptionClass[][][] more = new ExceptionClass[Math.max(page + 1, known.length * 2)][][];
            System.arraycopy(known, 0, more, 0, known.length);
            known = more;
        }
        if (known[page] == null) {
            known[page] = new ExceptionClass[PAGE_MASK + 1][];
        }
        pages = known;
        return known[page];
    }
}
