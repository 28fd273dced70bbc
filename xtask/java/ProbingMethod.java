import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Puts probes into one method while it streams by. */
final class ProbingMethod extends MethodVisitor {
    private static final String PROBES = "catchment/runtime/Probes";
    private static final String ID = "(I)V";
    private static final String THROWABLE_AND_ID = "(Ljava/lang/Throwable;I)V";

    private final boolean all;
    private final boolean escapes;
    private final IntSupplier ids;
    private final Label start = new Label();
    private final Map<Label, Integer> entries = new HashMap<>();
    private final Map<Label, Integer> handlers = new HashMap<>();
    /** Labels since the last instruction: their probes go behind the frame. */
    private final List<Label> pending = new ArrayList<>();

    ProbingMethod(MethodVisitor next, boolean all, boolean escapes, IntSupplier ids) {
        super(Opcodes.ASM9, next);
        this.all = all;
        this.escapes = escapes;
        this.ids = ids;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (all) {
            super.visitLabel(start);
            probe("methodEnter");
        }
    }

    @Override
    public void visitTryCatchBlock(Label from, Label to, Label handler, String type) {
        if (type != null) {
            entries.computeIfAbsent(from, it -> ids.getAsInt());
            handlers.computeIfAbsent(handler, it -> ids.getAsInt());
        }
        super.visitTryCatchBlock(from, to, handler, type);
    }

    @Override
    public void visitLabel(Label label) {
        super.visitLabel(label);
        if (!entries.isEmpty()) {
            pending.add(label);
        }
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        if (escapes) {
            Label end = new Label();
            super.visitLabel(end);
            super.visitTryCatchBlock(start, end, end, null);
            super.visitFrame(Opcodes.F_FULL, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
            throwableProbe("methodEscape", ids.getAsInt());
            super.visitInsn(Opcodes.ATHROW);
        }
        super.visitMaxs(maxStack, maxLocals);
    }

    private void flush() {
        if (pending.isEmpty()) {
            return;
        }
        for (Label label : pending) {
            Integer handler = handlers.get(label);
            if (handler != null) {
                throwableProbe("caught", handler);
            }
            Integer entry = entries.get(label);
            if (entry != null) {
                push(entry);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, PROBES, "tryEnter", ID, false);
            }
        }
        pending.clear();
    }

    private void probe(String name) {
        push(ids.getAsInt());
        super.visitMethodInsn(Opcodes.INVOKESTATIC, PROBES, name, ID, false);
    }

    private void throwableProbe(String name, int id) {
        super.visitInsn(Opcodes.DUP);
        push(id);
        super.visitMethodInsn(Opcodes.INVOKESTATIC, PROBES, name, THROWABLE_AND_ID, false);
    }

    private void push(int value) {
        if (value <= 5) {
            super.visitInsn(Opcodes.ICONST_0 + value);
        } else if (value <= Byte.MAX_VALUE) {
            super.visitIntInsn(Opcodes.BIPUSH, value);
        } else if (value <= Short.MAX_VALUE) {
            super.visitIntInsn(Opcodes.SIPUSH, value);
        } else {
            super.visitLdcInsn(value);
        }
    }

    @Override
    public void visitInsn(int opcode) {
        flush();
        if (all && opcode == Opcodes.ATHROW) {
            throwableProbe("throwing", ids.getAsInt());
        } else if (all && opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN) {
            probe("methodExit");
        }
        super.visitInsn(opcode);
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        flush();
        if (all) {
            probe("call");
        }
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        flush();
        if (all) {
            probe("call");
        }
        super.visitInvokeDynamicInsn(name, descriptor, bootstrap, arguments);
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        flush();
        super.visitIntInsn(opcode, operand);
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
        flush();
        super.visitVarInsn(opcode, variable);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        flush();
        super.visitTypeInsn(opcode, type);
    }

    @Override
    public void visitFieldInsn(int opcode, String owner, String name, String descriptor) {
        flush();
        super.visitFieldInsn(opcode, owner, name, descriptor);
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        flush();
        super.visitJumpInsn(opcode, label);
    }

    @Override
    public void visitLdcInsn(Object value) {
        flush();
        super.visitLdcInsn(value);
    }

    @Override
    public void visitIincInsn(int variable, int increment) {
        flush();
        super.visitIincInsn(variable, increment);
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... labels) {
        flush();
        super.visitTableSwitchInsn(min, max, otherwise, labels);
    }

    @Override
    public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
        flush();
        super.visitLookupSwitchInsn(otherwise, keys, labels);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        flush();
        super.visitMultiANewArrayInsn(descriptor, dimensions);
    }
}
