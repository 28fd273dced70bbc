package plugin;

/** Catches a type that has to be extended before one can be thrown. */
public final class Raced implements Runnable {
    public abstract static class Failure extends RuntimeException {}

    private String seen;

    @Override
    public void run() {
        try {
            seen = String.valueOf("through");
        } catch (Failure e) {
            seen = "caught";
        }
    }

    @Override
    public String toString() {
        return seen;
    }
}
