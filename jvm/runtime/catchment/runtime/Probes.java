package catchment.runtime;

import java.lang.invoke.LambdaForm;
import jdk.internal.misc.Unsafe;
import jdk.internal.vm.annotation.ForceInline;
import jdk.internal.vm.annotation.Hidden;

/**
 * The methods woven classes call.
 *
 * <p>A counter lives in a file mapped by the agent, so that it outlives the JVM however it ends. It is the sum of nine
 * slots: slot 0 is shared and takes atomic adds, each of the others belongs to one thread at a time, which uses plain
 * adds. So counts are exact with any number of threads, and one thread alone pays for no atomics. The layout is drawn
 * in {@code crates/protocol/src/counters.rs}.
 *
 * <p>Threads are told apart by the number in {@code Thread.tid}, read directly: {@code getId} can be overridden, and
 * holding a thread would keep it alive.
 *
 * <p>A probe may run when the stack is nearly full. An overflow inside it is the probe's own and is not shown to the
 * program, which would have had the stack for itself. (The JDK's reserved stack would keep the count too, but the JVM
 * prints a warning on stdout whenever it is used.)
 *
 * <p>In a worker the agent also switches on more than counting: a try entry, a call or a throw may throw, what
 * clauses catch is then told to the agent, and so is that an exception leaves a method.
 */
public final class Probes {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    private static final long COUNTERS = Agent.counters();
    private static final long OWNERS = Agent.owners();
    private static final long EXPERIMENT = Agent.switches();
    private static final long ESCAPES = EXPERIMENT + 8;
    private static final long TEST = EXPERIMENT + 16;
    private static final long ENTRIES = Agent.entrySwitches();
    private static final long THREAD_NUMBER = UNSAFE.objectFieldOffset(Thread.class, "tid");

    /**
     * One byte for each method. Woven code writes 1 into it itself, without a call: methods are entered more often than
     * anything else happens, and single tests run mostly interpreted.
     */
    public static final byte[] ENTERED = new byte[Agent.marks()];

    private static final int COUNTERS_PER_CHUNK_SHIFT = 12;
    private static final int COUNTERS_PER_CHUNK_MASK = (1 << COUNTERS_PER_CHUNK_SHIFT) - 1;
    private static final int OWNED_SLOTS_MASK = 7;
    private static final long SLOT_BYTES = 8L << COUNTERS_PER_CHUNK_SHIFT;
    private static final long CHUNK_BYTES = 9 * SLOT_BYTES;

    private Probes() {}

    @ForceInline
    @Hidden
    @LambdaForm.Hidden
    public static void tryEnter(int id) {
        try {
            count(id);
        } catch (StackOverflowError ours) {
            // See above.
        }
        if (UNSAFE.getByte(ENTRIES + id) != 0) {
            Injector.enter(id);
        }
    }

    @ForceInline
    public static void tryExit(int id) {
        try {
            count(id);
        } catch (StackOverflowError ours) {
            // See above.
        }
    }

    public static void tryEscape(Throwable thrown, int id) {
        try {
            count(id);
            if (UNSAFE.getLong(EXPERIMENT) == 0) {
                Exceptions.arrived(thrown, id);
            } else if (UNSAFE.getByte(ENTRIES + id) != 0) {
                Agent.passed(thrown, id);
            }
        } catch (StackOverflowError ours) {
            // See above.
        }
    }

    public static void caught(Throwable thrown, int id) {
        try {
            count(id);
            if (UNSAFE.getLong(EXPERIMENT) == 0) {
                Exceptions.arrived(thrown, id);
            } else {
                Agent.caught(thrown, id);
            }
        } catch (StackOverflowError ours) {
            // See above.
        }
    }

    /** As {@link #caught}; the clause goes on with what this gives. Only in JVMs that are equipped for it. */
    @Hidden
    @LambdaForm.Hidden
    public static Throwable exchange(Throwable thrown, int id) {
        caught(thrown, id);
        try {
            if (UNSAFE.getByte(ENTRIES + id) != 0) {
                Throwable other = Agent.exchange(id);
                if (other != null) {
                    return other;
                }
            }
        } catch (VirtualMachineError ours) {
            // No stack or no memory left to build it: the clause keeps what it has, counted as not fired.
        }
        return thrown;
    }

    @ForceInline
    @Hidden
    @LambdaForm.Hidden
    public static void throwing(Throwable thrown, int id) {
        try {
            count(id);
        } catch (StackOverflowError ours) {
            // See above.
        }
        if (UNSAFE.getByte(ENTRIES + id) != 0) {
            Injector.enter(id);
        }
    }

    @ForceInline
    @Hidden
    @LambdaForm.Hidden
    public static void call(int id) {
        try {
            count(id);
        } catch (StackOverflowError ours) {
            // See above.
        }
        if (UNSAFE.getByte(ENTRIES + id) != 0) {
            Injector.enter(id);
        }
    }

    @ForceInline
    public static void methodEnter(int id) {
        try {
            count(id);
        } catch (StackOverflowError ours) {
            // See above.
        }
    }

    @ForceInline
    public static void methodExit(int id) {
        try {
            count(id);
        } catch (StackOverflowError ours) {
            // See above.
        }
    }

    /** Not counted, as are its ends. What runs meanwhile is no test's own. */
    public static void initialiserEnter(int id) {
        try {
            Agent.initialiserBegins();
        } catch (StackOverflowError ours) {
            // See above.
        }
    }

    public static void initialiserExit(int id) {
        try {
            Agent.initialiserEnds();
        } catch (StackOverflowError ours) {
            // See above.
        }
    }

    public static void initialiserEscape(Throwable thrown, int id) {
        try {
            Agent.initialiserEnds();
            if (UNSAFE.getLong(ESCAPES) != 0) {
                Agent.escaped(thrown);
            }
        } catch (StackOverflowError ours) {
            // See above.
        }
    }

    /** As {@link #initialiserEscape}, where nobody asks what leaves the class. */
    public static void initialiserFail(Throwable thrown, int id) {
        initialiserExit(id);
    }

    /** Not counted: whoever asks for these probes wants to know where exceptions go, not how often. */
    @ForceInline
    public static void methodEscape(Throwable thrown, int id) {
        try {
            if (UNSAFE.getLong(ESCAPES) != 0) {
                Agent.escaped(thrown);
            }
        } catch (StackOverflowError ours) {
            // See above.
        }
    }

    @ForceInline
    static void count(int id) {
        long thread = UNSAFE.getLong(Thread.currentThread(), THREAD_NUMBER);
        long shared = COUNTERS
                + (long) (id >>> COUNTERS_PER_CHUNK_SHIFT) * CHUNK_BYTES
                + (long) (id & COUNTERS_PER_CHUNK_MASK) * 8;
        long place = thread & OWNED_SLOTS_MASK;
        if (UNSAFE.getLong(OWNERS + place * 8) == thread) {
            long mine = shared + (place + 1) * SLOT_BYTES;
            UNSAFE.putLong(mine, UNSAFE.getLong(mine) + 1);
        } else {
            countAsStranger(thread, shared);
        }
    }

    /** The number of the running test in this JVM; 0 where nobody counts them. */
    static long test() {
        return UNSAFE.getLong(TEST);
    }

    /** A thread without a slot takes its place if that is free, and counts in the shared slot until then. */
    private static void countAsStranger(long thread, long shared) {
        UNSAFE.compareAndSetLong(null, OWNERS + (thread & OWNED_SLOTS_MASK) * 8, 0, thread);
        UNSAFE.getAndAddLong(null, shared, 1);
    }
}
