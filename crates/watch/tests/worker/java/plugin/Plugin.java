package plugin;

/** Lies where only a class loader of its own finds it. */
public final class Plugin implements Runnable {
    public static final class Failure extends RuntimeException {}

    public String seen;

    @Override
    public void run() {
        try {
            seen = String.valueOf("through");
        } catch (Failure e) {
            seen = "caught";
        }
    }
}
