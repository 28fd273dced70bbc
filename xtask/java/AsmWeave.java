import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The peer of {@code cargo xtask bench weave}: the same classes woven by ASM.
 *
 * <p>{@code AsmWeave CLASSES KINDS WARM-UP PASSES}: CLASSES holds all classes, each after its length; KINDS is usage or
 * all. Prints the time of each pass after the warm-up in nanoseconds, then the number of bytes written. The time is the
 * CPU time of the weaving thread and of the collections its garbage made necessary, which is what a single core would
 * spend; compiling is left out.
 *
 * <p>ASM does less here than our weaver: every exception table row counts as a try, and jumps out of tries and uncaught
 * exceptions of a try get no probe.
 */
public final class AsmWeave {
    private AsmWeave() {}

    public static void main(String[] arguments) throws IOException {
        List<byte[]> classes = read(Path.of(arguments[0]));
        boolean all = arguments[1].equals("all");
        int warmUp = Integer.parseInt(arguments[2]);
        int passes = Integer.parseInt(arguments[3]);
        long written = 0;
        for (int pass = 0; pass < warmUp + passes; pass++) {
            long start = nanoseconds();
            written = weaveAll(classes, all);
            if (pass >= warmUp) {
                System.out.println(nanoseconds() - start);
            }
        }
        System.out.println("bytes " + written);
    }

    private static long nanoseconds() {
        long collecting = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collecting += collector.getCollectionTime();
        }
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() + collecting * 1_000_000;
    }

    private static List<byte[]> read(Path path) throws IOException {
        List<byte[]> classes = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 20))) {
            for (int length = in.readInt(); length > 0; length = in.readInt()) {
                classes.add(in.readNBytes(length));
            }
        }
        return classes;
    }

    private static long weaveAll(List<byte[]> classes, boolean all) {
        long written = 0;
        for (byte[] bytes : classes) {
            ClassReader reader = new ClassReader(bytes);
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            reader.accept(new WeavingClass(writer, all), 0);
            try {
                written += writer.toByteArray().length;
            } catch (org.objectweb.asm.MethodTooLargeException e) {
                // Our weaver skips such a method.
            }
        }
        return written;
    }

    private static final class WeavingClass extends ClassVisitor {
        private final boolean all;
        private int nextId;

        WeavingClass(ClassVisitor next, boolean all) {
            super(Opcodes.ASM9, next);
            this.all = all;
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor next = super.visitMethod(access, name, descriptor, signature, exceptions);
            boolean hasCode = (access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0;
            boolean escapes = all && !name.equals("<init>");
            return hasCode ? new ProbingMethod(next, all, escapes, () -> nextId++) : next;
        }
    }
}
