package driver;

import catchment.runtime.Lab;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Runs the static methods of a class as tests. A test says what it saw by returning it, which counts as a failure. */
public final class Driver {
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            Lab.unusable(arguments[0]);
            return;
        }
        Lab.ready("by hand");
        for (String[] order = Lab.next(); order != null; order = Lab.next()) {
            switch (order[0]) {
                case "discover":
                    discover(order);
                    break;
                case "suite":
                    suite(order);
                    break;
                default:
                    run(order[1]);
            }
        }
    }

    private static void discover(String[] order) throws Exception {
        for (int i = 1; i < order.length; i++) {
            for (Method method : Class.forName(order[i]).getDeclaredMethods()) {
                if (!method.isSynthetic() && method.getParameterCount() == 0) {
                    Lab.unit(order[i] + "#" + method.getName(), order[i], method.getName(), null);
                }
            }
        }
        Lab.problem("nothing odd");
        Lab.discovered();
    }

    private static void suite(String[] order) throws Exception {
        Lab.unit("late", order[1], "late", "shown by the suite");
        Lab.finished("late", Lab.SKIPPED, null);
        for (int i = 1; i < order.length; i++) {
            run(order[i]);
        }
        Lab.problem("nothing odd in the suite");
        Lab.suiteFinished();
    }

    private static void run(String id) throws Exception {
        int split = id.indexOf('#');
        Method method = Class.forName(id.substring(0, split)).getDeclaredMethod(id.substring(split + 1));
        method.setAccessible(true);
        Lab.started(id);
        Throwable failure = null;
        try {
            Object seen = method.invoke(null);
            failure = seen == null ? null : new AssertionError(seen);
        } catch (InvocationTargetException thrown) {
            failure = thrown.getCause();
        }
        Lab.finished(id, failure == null ? Lab.PASSED : Lab.FAILED, failure);
    }
}
