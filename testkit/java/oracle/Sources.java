import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Handle;
import org.objectweb.asm.ConstantDynamic;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.analysis.Analyzer;
import org.objectweb.asm.tree.analysis.AnalyzerException;
import org.objectweb.asm.tree.analysis.Frame;
import org.objectweb.asm.tree.analysis.SourceInterpreter;
import org.objectweb.asm.tree.analysis.SourceValue;

/**
 * Says where the references come from that instructions use. {@code Sources PATH} goes through the classes of a jar or
 * folder and prints, fields separated by tabs:
 *
 * <pre>
 *   method CLASS NAME_AND_DESCRIPTOR
 *   use INSTRUCTION OPERAND;OPERAND...   of calls, putfield, athrow and areturn that control reaches
 *   done
 * </pre>
 *
 * <p>Instructions are counted from 0. An operand is the sorted list of its sources: an instruction, {@code pSLOT} for
 * a parameter, {@code cINSTRUCTION} for what is caught by the handler that begins there. Only references are listed,
 * copies are looked through, and only instructions that can throw lead to handlers, as the JVM has it.
 */
public final class Sources {
    private final MethodNode method;
    private final Map<AbstractInsnNode, String> names = new HashMap<>();

    private Sources(MethodNode method) {
        this.method = method;
        int count = 0;
        for (AbstractInsnNode insn : method.instructions) {
            // A label is named by the instruction behind it.
            names.put(insn, insn.getOpcode() < 0 ? "c" + count : String.valueOf(count++));
        }
    }

    public static void main(String[] arguments) throws IOException, AnalyzerException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (byte[] bytes : Archives.classesOf(Path.of(arguments[0])).values()) {
            ClassNode node = new ClassNode();
            new ClassReader(bytes).accept(node, ClassReader.SKIP_FRAMES | ClassReader.SKIP_DEBUG);
            for (MethodNode method : node.methods) {
                if (method.instructions.size() > 0) {
                    out.println("method\t" + node.name + "\t" + method.name + method.desc);
                    new Sources(method).print(node.name, out);
                }
            }
        }
        out.println("done");
        out.flush();
    }

    private void print(String owner, PrintStream out) throws AnalyzerException {
        Frame<SourceValue>[] frames = new ThrowingAnalyzer().analyze(owner, method);
        int index = 0;
        for (AbstractInsnNode insn : method.instructions) {
            Frame<SourceValue> frame = frames[index++];
            List<String> operands = frame == null ? List.of() : operands(insn, frame);
            if (!operands.isEmpty()) {
                out.println("use\t" + names.get(insn) + "\t" + String.join(";", operands));
            }
        }
    }

    private List<String> operands(AbstractInsnNode insn, Frame<SourceValue> frame) {
        return switch (insn.getOpcode()) {
            case Opcodes.ATHROW, Opcodes.ARETURN -> top(frame, "Ljava/lang/Object;");
            case Opcodes.PUTFIELD -> top(frame, "Ljava/lang/Object;", ((FieldInsnNode) insn).desc);
            case Opcodes.INVOKEDYNAMIC -> top(frame, parameters(((InvokeDynamicInsnNode) insn).desc, false));
            case Opcodes.INVOKESTATIC -> top(frame, parameters(((MethodInsnNode) insn).desc, false));
            case Opcodes.INVOKEVIRTUAL, Opcodes.INVOKESPECIAL, Opcodes.INVOKEINTERFACE ->
                top(frame, parameters(((MethodInsnNode) insn).desc, true));
            default -> List.of();
        };
    }

    private static String[] parameters(String descriptor, boolean hasReceiver) {
        List<String> types = new ArrayList<>();
        if (hasReceiver) {
            types.add("Ljava/lang/Object;");
        }
        for (Type type : Type.getArgumentTypes(descriptor)) {
            types.add(type.getDescriptor());
        }
        return types.toArray(String[]::new);
    }

    /** The sources of the references among the uppermost values. */
    private List<String> top(Frame<SourceValue> frame, String... types) {
        List<String> operands = new ArrayList<>();
        int first = frame.getStackSize() - types.length;
        for (int i = 0; i < types.length; i++) {
            if (types[i].startsWith("L") || types[i].startsWith("[")) {
                TreeSet<String> sources = new TreeSet<>();
                frame.getStack(first + i).insns.forEach(it -> sources.add(names.get(it)));
                operands.add(String.join(",", sources));
            }
        }
        return operands;
    }

    /** Goes to handlers from what can throw only, and not to rows behind one that takes everything. */
    private final class ThrowingAnalyzer extends Analyzer<SourceValue> {
        ThrowingAnalyzer() {
            super(new Origins());
        }

        @Override
        protected boolean newControlFlowExceptionEdge(int insn, TryCatchBlockNode row) {
            for (TryCatchBlockNode other : getHandlers(insn)) {
                if (other == row) {
                    return canThrow(method.instructions.get(insn));
                }
                if (other.type == null) {
                    return false;
                }
            }
            return false;
        }
    }

    private static boolean canThrow(AbstractInsnNode insn) {
        int opcode = insn.getOpcode();
        if (opcode == Opcodes.LDC) {
            Object constant = ((LdcInsnNode) insn).cst;
            return constant instanceof Type || constant instanceof Handle || constant instanceof ConstantDynamic;
        }
        return switch (opcode) {
            case Opcodes.IDIV, Opcodes.LDIV, Opcodes.IREM, Opcodes.LREM, Opcodes.MULTIANEWARRAY -> true;
            default -> opcode >= Opcodes.IALOAD && opcode <= Opcodes.SALOAD
                || opcode >= Opcodes.IASTORE && opcode <= Opcodes.SASTORE
                || opcode >= Opcodes.GETSTATIC && opcode <= Opcodes.MONITOREXIT;
        };
    }

    /** Looks through copies, and gives parameters and caught exceptions a source. */
    private final class Origins extends SourceInterpreter {
        Origins() {
            super(Opcodes.ASM9);
        }

        @Override
        public SourceValue copyOperation(AbstractInsnNode insn, SourceValue value) {
            return value;
        }

        @Override
        public SourceValue newParameterValue(boolean isInstanceMethod, int local, Type type) {
            LabelNode parameter = new LabelNode();
            names.put(parameter, "p" + local);
            return new SourceValue(type.getSize(), parameter);
        }

        @Override
        public SourceValue newExceptionValue(TryCatchBlockNode row, Frame<SourceValue> frame, Type type) {
            return new SourceValue(1, row.handler);
        }
    }
}
