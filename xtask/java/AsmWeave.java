import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * The peer of {@code cargo xtask bench weave}: the same classes woven by ASM.
 *
 * <p>{@code AsmWeave CLASSES KINDS WARM-UP}: CLASSES holds all classes, each after its length; KINDS is usage or all.
 * After the warm-up it prints the number of bytes written and the time of the first pass, in nanoseconds; then, for each
 * line it reads, that of one pass more. Times are CPU times, which is what a single core would spend: in the first pass
 * that of the process, compiling included; later that of the weaving thread and of the collections its garbage made
 * necessary.
 *
 * <p>The probes are the same as ours, but for what they would need beyond one pass: neighbouring rows of an exception table
 * with a type and the same range count as a try (no pairs are found, nothing is filtered), the gaps that {@code finally}
 * leaves in a try are outside it, and blocks behind the code are not protected by the handlers around them.
 */
public final class AsmWeave {
    private AsmWeave() {}

    public static void main(String[] arguments) throws IOException {
        List<byte[]> classes = read(Path.of(arguments[0]));
        boolean all = arguments[1].equals("all");
        int warmUp = Integer.parseInt(arguments[2]);
        long before = processNanoseconds();
        long written = weaveAll(classes, all);
        long first = processNanoseconds() - before;
        for (int pass = 1; pass < warmUp; pass++) {
            weaveAll(classes, all);
        }
        System.out.println(written);
        System.out.println(first);
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in));
        while (requests.readLine() != null) {
            long start = nanoseconds();
            weaveAll(classes, all);
            System.out.println(nanoseconds() - start);
        }
    }

    private static long processNanoseconds() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
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
            ClassReader reader = new OffsetReader(bytes);
            ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
            // New blocks need the frames of others, which only expanded frames tell.
            reader.accept(new WeavingClass(writer, all), ClassReader.EXPAND_FRAMES);
            try {
                written += writer.toByteArray().length;
            } catch (org.objectweb.asm.MethodTooLargeException e) {
                // Our weaver skips such a method.
            }
        }
        return written;
    }

    /** Tells labels where they are, as probes of tries must know. */
    private static final class OffsetReader extends ClassReader {
        OffsetReader(byte[] bytes) {
            super(bytes);
        }

        @Override
        protected Label readLabel(int offset, Label[] labels) {
            Label label = super.readLabel(offset, labels);
            if (label.info == null) {
                label.info = offset;
            }
            return label;
        }
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
            return hasCode ? new ProbingMethod(next, all, name.equals("<init>"), () -> nextId++) : next;
        }
    }
}
