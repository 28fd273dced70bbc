package catchment.runtime;

/**
 * The agent as the test driver in a worker sees it: the driver asks for its next order and reports what happens. The
 * agent talks to the controller and does everything else.
 *
 * <p>Called by one thread at a time. Outside a worker there is nothing to do: {@link #next} gives null.
 */
public final class Worker {
    public static final int PASSED = 0;
    public static final int FAILED = 1;
    /** Disabled, or an assumption did not hold. */
    public static final int SKIPPED = 2;

    private Worker() {}

    /**
     * Waits for what to do next; null: end. The first element is the verb.
     *
     * <pre>
     * {"discover", class...}  list the tests: {@link #unit} for each, then {@link #discovered}
     * {"suite", class...}     run all tests: {@link #started} and {@link #finished} for each, then {@link
     * #suiteFinished} {"test", id}            run one test: {@link #started}, {@link #finished} </pre>
     */
    public static native String[] next();

    /** The driver has found what it needs and is about to ask for the first time. */
    public static native void ready(String framework);

    /** The driver cannot work here, or no longer, and why, in one line. Ends the JVM. */
    public static native void unusable(String oneLine);

    /**
     * One test: the smallest unit that can be run again alone. Also for tests that only show while a suite runs.
     *
     * @param shared why it cannot be cut smaller, or null
     */
    public static native void unit(String id, String className, String name, String shared);

    /** Something odd, in one line; told with the end of the discovery or the suite. */
    public static native void problem(String what);

    public static native void discovered();

    /** From here on what happens is this test's, and the injection asked for, if any, is armed. */
    public static native void started(String id);

    /** @param failure why it failed, or was skipped; may be null */
    public static native void finished(String id, int outcome, Throwable failure);

    public static native void suiteFinished();

    /** A test took all memory, and the framework gave up: nothing more can be run here. Ends the JVM. */
    public static native void outOfMemory();
}
