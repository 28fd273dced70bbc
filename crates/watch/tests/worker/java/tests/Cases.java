package tests;

import app.Caught;
import app.Copies;
import app.Once;
import app.Shapes;
import app.Types;
import java.io.File;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

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

    static Object copies() {
        return Copies.caught(0) + ", " + Copies.caught(1) + ", " + Copies.caught(2);
    }

    static Object copiesMore() {
        return copies() + ", " + Copies.caught(0);
    }

    static Object holding() {
        return Copies.holding();
    }

    static Object wrapping() {
        return Copies.wrapping();
    }

    static Object misread() {
        return Copies.misread(false);
    }

    static Object misreadAndWrapped() {
        return Copies.misreadAndWrapped(false);
    }

    static Object caughtOne() {
        return Caught.one();
    }

    static Object caughtThrice() {
        return Caught.one() + ", " + Caught.one() + ", " + Caught.one();
    }

    static Object caughtNarrower() {
        return Caught.narrower();
    }

    static Object caughtSeveral() {
        return Caught.several(true) + ", " + Caught.several(false);
    }

    static Object caughtOfThisPackage() {
        return Caught.ofThisPackage();
    }

    static Object caughtWithin() {
        return Caught.within();
    }

    static Object caughtAndPassedOn() {
        return Caught.passedOn();
    }

    static Object caughtInThread() {
        return CompletableFuture.supplyAsync(Caught::one).join();
    }

    static Object traceOfCaught() {
        return Caught.trace();
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

    /** By reflection: there are none before Java 21. */
    static Object virtualThread() throws Exception {
        String[] seen = new String[1];
        Runnable body = () -> seen[0] = Shapes.plain(() -> {});
        ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body)).join();
        return seen[0];
    }

    static Object ownTypeInVirtualThread() throws Exception {
        Object[] seen = new Object[1];
        Runnable body = () -> seen[0] = Types.abstractType();
        ((Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, body)).join();
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

    static Object hidden() {
        return Types.hidden();
    }

    static Object abstractType() {
        return Types.abstractType();
    }

    static Object renewed() {
        return Types.renewed();
    }

    static Object worn() {
        return Types.worn(true);
    }

    static Object wornNot() {
        return Types.worn(false);
    }

    static Object grumpy() {
        return Types.grumpy();
    }

    static Object forgetful() {
        return Types.forgetful();
    }

    static Object broken() {
        return Types.broken();
    }

    static Object unchecked() {
        return Types.unchecked();
    }

    static Object vm() {
        return Types.vm();
    }

    static Object coded() {
        return Types.coded(true);
    }

    static Object codedNot() {
        return Types.coded(false);
    }

    static Object wrapped() {
        return Types.wrapped(true);
    }

    static Object wrappedNot() {
        return Types.wrapped(false);
    }

    static Object listing() {
        return Types.listing();
    }

    static Object sealed() throws Exception {
        return Class.forName("modern.Sealed").getMethod("run").invoke(null);
    }

    static Object sealedAfterOneOfIts() throws Exception {
        return Class.forName("modern.Sealed").getMethod("runAfterBig").invoke(null);
    }

    /** Many class loaders, and in each several threads that are there first. */
    static Object raced() throws Exception {
        URL[] place = {new File(System.getProperty("plugin")).toURI().toURL()};
        int caught = 0;
        for (int round = 0; round < 50; round++) {
            try (URLClassLoader loader = new URLClassLoader(place)) {
                Runnable[] plugins = new Runnable[4];
                Thread[] threads = new Thread[plugins.length];
                CyclicBarrier start = new CyclicBarrier(plugins.length);
                for (int i = 0; i < plugins.length; i++) {
                    plugins[i] = (Runnable) loader.loadClass("plugin.Raced").getConstructor().newInstance();
                    threads[i] = new Thread(together(start, plugins[i]));
                    threads[i].start();
                }
                for (int i = 0; i < plugins.length; i++) {
                    threads[i].join();
                    caught += plugins[i].toString().equals("caught") ? 1 : 0;
                }
            }
        }
        return caught + " caught";
    }

    private static Runnable together(CyclicBarrier start, Runnable body) {
        return () -> {
            try {
                start.await();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            body.run();
        };
    }

    /** A new class loader each time. */
    static Object plugin() throws Exception {
        URL[] place = {new File(System.getProperty("plugin")).toURI().toURL()};
        try (URLClassLoader loader = new URLClassLoader(place)) {
            Runnable plugin = (Runnable) loader.loadClass("plugin.Plugin").getConstructor().newInstance();
            plugin.run();
            return plugin.getClass().getField("seen").get(plugin);
        }
    }

    static Object blue() {
        try {
            Shapes.fail();
        } catch (UnsupportedOperationException expected) {
            return null;
        }
        return "no exception";
    }

    static Object blueFiveTimes() {
        for (int i = 0; i < 5; i++) {
            blue();
        }
        return null;
    }

    static Object blueOnceThoughRethrown() {
        return expectFailure(() -> Shapes.run(Shapes::fail));
    }

    static Object blueByReference() {
        return expectFailure(Shapes::fail);
    }

    static Object blueByReflection() throws Exception {
        try {
            Shapes.class.getMethod("fail").invoke(null);
        } catch (ReflectiveOperationException expected) {
            return null;
        }
        return "no exception";
    }

    private static Object expectFailure(Runnable body) {
        try {
            body.run();
        } catch (UnsupportedOperationException expected) {
            return null;
        }
        return "no exception";
    }

    static Object white() {
        return Shapes.failInside();
    }

    static Object leavesThread() {
        Thread thread = new Thread(() -> sleep(60_000), "left behind");
        thread.setDaemon(true);
        thread.start();
        return null;
    }

    static Object leavesTimer() {
        ScheduledExecutorService timer = Executors.newScheduledThreadPool(1, task -> daemon(task, "timer"));
        timer.schedule(() -> sleep(1), 60, TimeUnit.SECONDS);
        return null;
    }

    /** A fixed pool, and one whose threads end after a while: neither is given another task. */
    static Object leavesIdlePools() throws Exception {
        Executors.newFixedThreadPool(1, task -> daemon(task, "fixed")).submit(() -> sleep(1)).get();
        Executors.newCachedThreadPool(task -> daemon(task, "cached")).submit(() -> sleep(1)).get();
        return null;
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    static Object leavesNoThread() throws Exception {
        Thread thread = new Thread(() -> sleep(10), "soon gone");
        thread.start();
        CompletableFuture.runAsync(() -> sleep(1)).get();
        return null;
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Object connects() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket near = new Socket(InetAddress.getLoopbackAddress(), server.getLocalPort());
                Socket far = new Socket()) {
            connect(far);
        }
        return null;
    }

    static Object sends() throws IOException {
        try (DatagramSocket socket = new DatagramSocket()) {
            send(socket, InetAddress.getLoopbackAddress());
            send(socket, InetAddress.getByName("240.0.0.1"));
        }
        return null;
    }

    private static void send(DatagramSocket socket, InetAddress address) {
        try {
            socket.send(new DatagramPacket(new byte[1], 1, address, 9));
        } catch (IOException noWayThere) {
            // Of no interest.
        }
    }

    static Object sendsThroughChannel() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            channel.send(ByteBuffer.allocate(1), new InetSocketAddress("240.0.0.1", 9));
        } catch (IOException noWayThere) {
            // Of no interest.
        }
        return null;
    }

    private static void connect(Socket socket) {
        try {
            socket.connect(new InetSocketAddress("240.0.0.1", 9), 500);
        } catch (IOException nobodyThere) {
            // As expected, but some networks answer for everybody.
        }
    }

    static Object exits() {
        System.exit(3);
        return null;
    }

    static Object exitsInHandler() {
        Shapes.exit();
        return null;
    }

    static Object halts() {
        Runtime.getRuntime().halt(4);
        return null;
    }

    static Object fillsMemory() {
        List<byte[]> kept = new ArrayList<>();
        while (true) {
            kept.add(new byte[1 << 20]);
        }
    }

    static Object asksForTooMuch() {
        try {
            return new long[Integer.MAX_VALUE - 8].length;
        } catch (OutOfMemoryError tooMuch) {
            return "too much";
        }
    }

    static Object overflows() {
        try {
            return Shapes.deep(0);
        } catch (StackOverflowError deep) {
            return "too deep";
        }
    }
}
