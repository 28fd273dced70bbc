package catchment.runtime;

/**
 * Which exception classes arrived at each counter, how often, and where the first few came from; in a worker, the first few
 * of each test.
 *
 * <p>Keeps names, never classes or exceptions, so nothing of the application stays alive because of it. Reading takes no
 * lock: arrays are replaced, not changed, and whoever reads a stale or half-published one finds nothing in it and asks
 * again under the lock. Runs no code of the application, and whatever goes wrong here stays here: the count of the
 * clause itself is already kept.
 */
final class Exceptions {
    private static final int ORIGINS_KEPT = 3;
    /** More classes than this at one counter are generated ones; they are counted together, without a name. */
    private static final int CLASSES_KEPT = 256;
    private static final int PAGE_SHIFT = 10;
    private static final int PAGE_MASK = (1 << PAGE_SHIFT) - 1;

    private static final Object LOCK = new Object();
    /** By counter: page, place in the page, then the classes seen there. */
    private static volatile Seen[][][] pages = new Seen[16][][];

    private Exceptions() {}

    private static final class Seen {
        final String exception;
        final int counter;
        /** Changed under the lock only; a stale value read outside costs one more look. */
        int originsLeft = ORIGINS_KEPT;
        /** In which they are left; under the lock as well. */
        long test;

        Seen(String exception, int counter) {
            this.exception = exception;
            this.counter = counter;
        }
    }

    static void seen(Throwable thrown, int counter) {
        try {
            String exception = thrown.getClass().getName();
            Seen seen = find(seenAt(counter), exception);
            if (seen == null) {
                seen = register(counter, exception);
            }
            if (seen != null) {
                keep(seen, thrown, counter);
            }
        } catch (Throwable lostDetail) {
            // No stack or no memory left. The report shows the difference as exceptions of unknown class.
        }
    }

    private static void keep(Seen seen, Throwable thrown, int counter) {
        if (seen.counter >= 0) {
            Probes.count(seen.counter);
        }
        if ((seen.originsLeft > 0 || seen.test != Probes.test()) && takeOrigin(seen)) {
            Agent.origin(thrown, counter, seen.exception);
        }
    }

    private static boolean takeOrigin(Seen seen) {
        synchronized (LOCK) {
            long test = Probes.test();
            if (seen.test != test) {
                seen.test = test;
                seen.originsLeft = ORIGINS_KEPT;
            }
            return seen.originsLeft-- > 0;
        }
    }

    private static Seen[] seenAt(int counter) {
        Seen[][][] known = pages;
        int page = counter >>> PAGE_SHIFT;
        Seen[][] places = page < known.length ? known[page] : null;
        return places == null ? null : places[counter & PAGE_MASK];
    }

    private static Seen find(Seen[] known, String exception) {
        if (known != null) {
            for (Seen seen : known) {
                if (seen != null && seen.exception.equals(exception)) {
                    return seen;
                }
            }
        }
        return null;
    }

    private static Seen register(int counter, String exception) {
        synchronized (LOCK) {
            Seen[] known = seenAt(counter);
            Seen seen = find(known, exception);
            int size = known == null ? 0 : known.length;
            if (seen != null || size >= CLASSES_KEPT) {
                return seen;
            }
            Seen[] more = new Seen[size + 1];
            for (int i = 0; i < size; i++) {
                more[i] = known[i];
            }
            Seen[][] places = placesFor(counter);
            seen = new Seen(exception, Agent.exceptionType(counter, exception));
            more[size] = seen;
            places[counter & PAGE_MASK] = more;
            return seen;
        }
    }

    private static Seen[][] placesFor(int counter) {
        int page = counter >>> PAGE_SHIFT;
        Seen[][][] known = pages;
        if (page >= known.length) {
            Seen[][][] more = new Seen[Math.max(page + 1, known.length * 2)][][];
            System.arraycopy(known, 0, more, 0, known.length);
            known = more;
        }
        if (known[page] == null) {
            known[page] = new Seen[PAGE_MASK + 1][];
        }
        pages = known;
        return known[page];
    }
}
