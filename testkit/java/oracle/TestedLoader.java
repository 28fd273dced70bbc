import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Opcodes;

/**
 * Loads the tested classes itself, everything else from the JDK or from an index, and makes up what is nowhere.
 *
 * <p>Made-up classes keep a missing dependency from ending the verification of a class before it begins. They are
 * interfaces where possible, since the verifier lets everything pass as an interface.
 */
final class TestedLoader extends ClassLoader {
    private final Map<String, byte[]> tested;
    private final ClassIndex others;
    private final Set<String> superclasses = new HashSet<>();

    TestedLoader(Map<String, byte[]> tested, ClassIndex others) {
        super(TestedLoader.class.getClassLoader());
        this.tested = tested;
        this.others = others;
        tested.values().forEach(this::rememberSuperclass);
    }

    /** Binary names of the tested classes. */
    List<String> testedNames() {
        return tested.keySet().stream().map(it -> it.substring(0, it.length() - ".class".length()).replace('/', '.')).toList();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            if (known != null) {
                return known;
            }
            byte[] own = tested.get(entryName(name));
            if (own != null) {
                loadTwin(name);
                return defineClass(name, own, 0, own.length);
            }
            if (name.startsWith("java.")) {
                return super.loadClass(name, resolve);
            }
            return loadOther(name, resolve);
        }
    }

    /**
     * Loads the JDK's own class of this name, if there is one. Otherwise the first loader to agree with the JDK on a class
     * would have its way, and a second one with its own class of that name would fail.
     */
    private void loadTwin(String name) {
        try {
            super.loadClass(name, false);
        } catch (ClassNotFoundException e) {
            // The usual case.
        }
    }

    private Class<?> loadOther(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("org.objectweb.asm.")) {
            try {
                return super.loadClass(name, resolve);
            } catch (ClassNotFoundException e) {
                // Not in the JDK.
            }
        }
        byte[] found = others.find(entryName(name));
        byte[] bytes = found != null ? found : madeUp(name.replace('.', '/'));
        rememberSuperclass(bytes);
        return defineClass(name, bytes, 0, bytes.length);
    }

    private static String entryName(String name) {
        return name.replace('.', '/') + ".class";
    }

    private void rememberSuperclass(byte[] bytes) {
        try {
            superclasses.add(new ClassReader(bytes).getSuperName());
        } catch (RuntimeException e) {
            // Loading it will tell what is wrong with it.
        }
    }

    private byte[] madeUp(String name) {
        ClassWriter writer = new ClassWriter(0);
        if (name.matches(".*(Exception|Error|Throwable|Fault|Failure)")) {
            writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, name, null, "java/lang/RuntimeException", null);
        } else if (superclasses.contains(name)) {
            writer.visit(Opcodes.V1_8, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER, name, null, "java/lang/Object", null);
        } else {
            int access = Opcodes.ACC_PUBLIC | Opcodes.ACC_INTERFACE | Opcodes.ACC_ABSTRACT;
            writer.visit(Opcodes.V1_8, access, name, null, "java/lang/Object", null);
        }
        writer.visitEnd();
        return writer.toByteArray();
    }
}
