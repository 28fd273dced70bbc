package driver;

/** A program of which only the start matters. */
public final class Launched {
    private Launched() {}

    public static void main(String[] arguments) {}
}
