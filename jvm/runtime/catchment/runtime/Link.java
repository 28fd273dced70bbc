package catchment.runtime;

/**
 * The way into the agent, which registers these methods before anything else of the runtime runs.
 *
 * <p>No static initialiser here: the agent needs this class before the JDK's internals are open to the runtime.
 */
final class Link {
    private Link() {}

    /** Address of the first counter. */
    static native long counters();

    /** Address of the table of slot owners. */
    static native long owners();

    /**
     * Gives the exceptions of one class at one counter a counter of their own.
     *
     * @return its number, or -1 when there is no room left
     */
    static native int exceptionType(int counter, String exception);

    /** Notes where this exception came from. Calls no method that a class of the application may override. */
    static native void origin(Throwable thrown, int counter, String exception);
}
