package driver;

import catchment.runtime.Worker;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Runs the static methods of a class as tests. A test says what it saw by returning it, which counts as a failure. */
public final class Driver {
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            Worker.unusable(arguments[0]);
            return;
        }
        Worker.ready("by hand");
        for (String[] order = Worker.next(); order != null; order = Worker.next()) {
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
                    Worker.unit(order[i] + "#" + method.getName(), order[i], method.getName(), null);
                }
            }
        }
        Worker.problem("nothing odd");
        Worker.discovered();
    }

    private static void suite(String[] order) throws Exception {
        Worker.unit("late", order[1], "late", "shown by the suite");
        Worker.finished("late", Worker.SKIPPED, null);
        for (int i = 1; i < order.length; i++) {
            run(order[i]);
        }
        Worker.problem("nothing odd in the suite");
        Worker.suiteFinished();
    }

    private static void run(String id) throws Exception {
        int split = id.indexOf('#');
        Method method = Class.forName(id.substring(0, split)).getDeclaredMethod(id.substring(split + 1));
        method.setAccessible(true);
        Worker.started(id);
        Throwable failure = null;
        try {
            Object seen = method.invoke(null);
            failure = seen == null ? null : new AssertionError(seen);
        } catch (InvocationTargetException thrown) {
            failure = thrown.getCause();
        }
        Worker.finished(id, failure == null ? Worker.PASSED : Worker.FAILED, failure);
    }
}
