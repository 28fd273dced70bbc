package catchment.runtime;

import java.lang.invoke.LambdaForm;
import jdk.internal.vm.annotation.Hidden;

/**
 * Throws at the beginning of armed tries. Which are armed, and what they throw, is the agent's business.
 *
 * <p>Methods on the way to the exception are hidden from stack traces, under the name that old and new JDKs have for
 * it: a program that looks at the trace sees its own try at the top.
 */
final class Injector {
    private Injector() {}

    @Hidden
    @LambdaForm.Hidden
    static void enter(int id) {
        Throwable injected = null;
        try {
            injected = Agent.inject(id);
        } catch (VirtualMachineError ours) {
            // No stack or no memory left to build it: this execution goes on, and is counted as not fired.
        }
        if (injected != null) {
            Injector.<RuntimeException>raise(injected);
        }
    }

    /** Throws any exception, declared or not. */
    @SuppressWarnings("unchecked")
    @Hidden
    @LambdaForm.Hidden
    private static <T extends Throwable> void raise(Throwable injected) throws T {
        throw (T) injected;
    }
}
