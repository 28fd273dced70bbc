public class Blind {
    static class Gone {
        static void go() { }
    }
    static native void raw();
    public static void main(String[] args) throws Exception {
        raw();
        Class.forName(args[0]).getDeclaredConstructor().newInstance();
        Gone.go();
    }
}
