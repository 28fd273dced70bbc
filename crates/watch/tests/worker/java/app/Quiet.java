package app;

/** Takes no cause. */
public class Quiet extends Exception {
    public Quiet(String message) {
        super(message);
    }
}
