package catchment.runtime;

import java.lang.invoke.LambdaForm;
import jdk.internal.vm.annotation.Hidden;

/**
 * The way into the agent, which registers these methods before anything else of the runtime runs.
 *
 * <p>No static initialiser here: the agent needs this class before the JDK's internals are open to the runtime.
 */
final class Agent {
    private Agent() {}

    /** Address of the first counter. */
    static native long counters();

    /** Address of the table of slot owners. */
    static native long owners();

    /** Address of the switches; {@code crates/agent/src/mapping.rs} draws them. */
    static native long switches();

    /** Address of the switches of single probes, mostly try entries, one byte for each counter. */
    static native long entrySwitches();

    /** The number of methods that can be marked as entered; none unless this JVM is equipped for it. */
    static native int marks();

    /** A class initialiser begins. */
    static native void initialiserBegins();

    /** A class initialiser has ended. */
    static native void initialiserEnds();

    /** The exception that this try entry is to throw; null: none, this time. */
    @Hidden
    @LambdaForm.Hidden
    static native Throwable inject(int counter);

    /** The object that the clause of this counter goes on with instead of what it caught; null: that very object. */
    @Hidden
    @LambdaForm.Hidden
    static native Throwable exchange(int counter);

    /** While an experiment runs: a clause has caught this. */
    static native void caught(Throwable thrown, int counter);

    /** While an experiment follows what passes this try: this leaves it. */
    static native void passed(Throwable thrown, int counter);

    /** A method of the application is being left by this exception. */
    static native void escaped(Throwable thrown);

    /**
     * Gives the exceptions of one class at one counter a counter of their own.
     *
     * @return its number, or -1 when there is no room left
     */
    static native int exceptionType(int counter, String exception);

    /** Notes where this exception came from. Calls no method that a class of the application may override. */
    static native void origin(Throwable thrown, int counter, String exception);
}
