package catchment.runtime;

/** Probe methods that do nothing, for linking and running woven classes without the agent. */
public final class Probes {
    private Probes() {}

    public static void tryEnter(int id) {}

    public static void tryExit(int id) {}

    public static void tryEscape(Throwable thrown, int id) {}

    public static void caught(Throwable thrown, int id) {}

    public static Throwable exchange(Throwable thrown, int id) {
        return thrown;
    }

    public static void throwing(Throwable thrown, int id) {}

    public static void call(int id) {}

    public static void methodEnter(int id) {}

    public static void methodExit(int id) {}

    public static void methodEscape(Throwable thrown, int id) {}
}
