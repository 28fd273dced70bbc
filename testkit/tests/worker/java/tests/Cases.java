package tests;

import app.Once;
import app.Shapes;

/** What the tests see is what they return. */
final class Cases {
    static Object plain() {
        return Shapes.plain(() -> {});
    }

    static Object plainThrice() {
        return Shapes.plain(() -> {}) + Shapes.plain(() -> {}) + Shapes.plain(() -> {});
    }

    static Object passes() {
        Shapes.plain(() -> {});
        return null;
    }

    static Object nested() {
        return Shapes.nested();
    }

    static Object multi() {
        return Shapes.multi();
    }

    static Object checked() {
        return Shapes.checked();
    }

    static Object siblings() {
        return Shapes.siblings();
    }

    static Object inLambda() throws Exception {
        return Shapes.inLambda();
    }

    static Object inInitialiser() {
        return Once.SEEN;
    }

    static Object otherThread() throws Exception {
        String[] seen = new String[1];
        Thread thread = new Thread(() -> seen[0] = Shapes.plain(() -> {}));
        thread.start();
        thread.join();
        return seen[0];
    }

    static Object loop() {
        return Shapes.loop();
    }

    static Object cause() throws Throwable {
        return Shapes.cause();
    }

    static Object trace() {
        return Shapes.trace();
    }

    static Object rethrow() {
        return Shapes.rethrow();
    }
}
