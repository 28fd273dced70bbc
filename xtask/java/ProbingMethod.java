import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Puts probes into one method while it streams by: on entry, in front of calls, throws and returns, where exceptions
 * leave it; on entry of its tries, where control leaves them by falling, jumping or returning, where exceptions leave
 * them, and in its handlers.
 *
 * <p>Labels carry their offsets, see {@link AsmWeave}. All instructions between two labels lie in the same tries, since
 * tries begin and end at labels.
 */
final class ProbingMethod extends MethodVisitor {
    private static final String PROBES = "catchment/runtime/Probes";
    private static final String ID = "(I)V";
    private static final String THROWABLE_AND_ID = "(Ljava/lang/Throwable;I)V";

    private final boolean all;
    private final boolean constructor;
    private final IntSupplier ids;
    private final Label start = new Label();
    private boolean started;
    /** Constructed objects whose constructor was not called yet, while {@code this} is one. */
    private int allocated;
    /** Null in the many methods that have none. */
    private Tries tries;

    ProbingMethod(MethodVisitor next, boolean all, boolean constructor, IntSupplier ids) {
        super(Opcodes.ASM9, next);
        this.all = all;
        this.constructor = constructor;
        this.ids = ids;
    }

    /** The rows of one try: same range, a type each. */
    private static final class Try {
        final int from;
        final int to;
        final Label fromLabel;
        final Label toLabel;
        final Label escape = new Label();
        final int enterId;
        final int exitId;
        final int escapeId;
        int firstHandler;

        Try(Label from, Label to, IntSupplier ids) {
            this.from = offset(from);
            this.to = offset(to);
            fromLabel = from;
            toLabel = to;
            enterId = ids.getAsInt();
            exitId = ids.getAsInt();
            escapeId = ids.getAsInt();
        }

        boolean holds(int offset) {
            return from <= offset && offset < to;
        }
    }

    /** A block behind the code on the way of jumps out of tries. */
    private record Block(Label label, Label target, List<Try> left) {}

    private record Frame(Object[] locals, Object[] stack) {}

    /** What a method with tries needs to know while it streams by. */
    private static final class Tries {
        final List<Try> list = new ArrayList<>();
        final Map<Integer, Integer> handlers = new HashMap<>();
        final Map<Integer, Frame> frames = new HashMap<>();
        /** Where loops inside a try come back to: behind its entry probe. */
        final Map<Integer, Label> behindEntries = new HashMap<>();
        final List<Block> blocks = new ArrayList<>();
        /** The try whose rows are being visited. */
        Try current;
        int position;
        /** A label since the last instruction: its probes go behind the frame. */
        boolean pending;
        boolean fallsThrough = true;

        /** Those left by going from here to {@code target}, innermost first. */
        List<Try> left(int target) {
            List<Try> left = null;
            for (Try it : list) {
                if (it.holds(position) && !it.holds(target)) {
                    left = left == null ? new ArrayList<>() : left;
                    left.add(it);
                }
            }
            return left == null ? List.of() : left;
        }
    }

    private static int offset(Label label) {
        return (Integer) label.info;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        if (all) {
            if (!constructor) {
                start();
            }
            probe("methodEnter", ids.getAsInt());
        }
    }

    /** From here on exceptions that leave the method are seen. */
    private void start() {
        super.visitLabel(start);
        started = true;
    }

    @Override
    public void visitTryCatchBlock(Label from, Label to, Label handler, String type) {
        Try current = tries == null ? null : tries.current;
        if (current != null && (type == null || current.fromLabel != from || current.toLabel != to)) {
            endRows();
            current = null;
        }
        if (type != null) {
            if (tries == null) {
                tries = new Tries();
            }
            if (current == null) {
                current = new Try(from, to, ids);
                current.firstHandler = offset(handler);
                tries.list.add(current);
                tries.current = current;
            }
            tries.handlers.computeIfAbsent(offset(handler), it -> ids.getAsInt());
        }
        super.visitTryCatchBlock(from, to, handler, type);
    }

    /** Behind the clauses of a try comes the row that sees the rest leave it. */
    private void endRows() {
        Try ended = tries.current;
        super.visitTryCatchBlock(ended.fromLabel, ended.toLabel, ended.escape, null);
        tries.current = null;
    }

    @Override
    public void visitLabel(Label label) {
        if (tries != null) {
            if (tries.current != null) {
                endRows();
            }
            if (tries.fallsThrough) {
                exit(tries.left(offset(label)));
            }
            tries.position = offset(label);
            tries.pending = true;
        }
        super.visitLabel(label);
    }

    @Override
    public void visitFrame(int type, int localCount, Object[] locals, int stackCount, Object[] stack) {
        super.visitFrame(type, localCount, locals, stackCount, stack);
        if (tries != null) {
            // The reader fills the same arrays again.
            Frame frame = new Frame(Arrays.copyOf(locals, localCount), Arrays.copyOf(stack, stackCount));
            tries.frames.put(tries.position, frame);
        }
    }

    private void visitFrame(Frame frame, Object... stack) {
        super.visitFrame(Opcodes.F_NEW, frame.locals.length, frame.locals, stack.length, stack);
    }

    @Override
    public void visitMaxs(int maxStack, int maxLocals) {
        if (tries != null) {
            tries.blocks.forEach(this::visitBlock);
            tries.list.forEach(this::visitEscape);
        }
        if (all && started) {
            Label end = new Label();
            super.visitLabel(end);
            super.visitTryCatchBlock(start, end, end, null);
            super.visitFrame(Opcodes.F_NEW, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
            throwableProbe("methodEscape", ids.getAsInt());
            super.visitInsn(Opcodes.ATHROW);
        }
        super.visitMaxs(maxStack, maxLocals);
    }

    private void visitBlock(Block block) {
        Frame frame = tries.frames.get(offset(block.target));
        super.visitLabel(block.label);
        if (frame != null) {
            visitFrame(frame, frame.stack);
        }
        exit(block.left);
        super.visitJumpInsn(Opcodes.GOTO, block.target);
    }

    private void visitEscape(Try it) {
        Frame frame = tries.frames.get(it.firstHandler);
        super.visitLabel(it.escape);
        if (frame != null) {
            visitFrame(frame, "java/lang/Throwable");
        }
        throwableProbe("tryEscape", it.escapeId);
        super.visitInsn(Opcodes.ATHROW);
    }

    private void exit(List<Try> left) {
        for (int index = left.size() - 1; index >= 0; index--) {
            probe("tryExit", left.get(index).exitId);
        }
    }

    /** What stands in front of every instruction. */
    private void flush() {
        if (tries != null) {
            tries.fallsThrough = true;
            if (tries.pending) {
                tries.pending = false;
                flushPending();
            }
        }
    }

    private void flushPending() {
        Integer handler = tries.handlers.get(tries.position);
        if (handler != null) {
            throwableProbe("caught", handler);
        }
        boolean entered = false;
        for (Try it : tries.list) {
            if (it.from == tries.position) {
                probe("tryEnter", it.enterId);
                entered = true;
            }
        }
        Frame frame = tries.frames.get(tries.position);
        if (entered && frame != null) {
            Label behind = new Label();
            super.visitLabel(behind);
            visitFrame(frame, frame.stack);
            tries.behindEntries.put(tries.position, behind);
        }
    }

    /** Where a jump to {@code target} goes. */
    private Label aim(Label target) {
        if (tries == null) {
            return target;
        }
        int to = offset(target);
        List<Try> left = tries.left(to);
        if (left.isEmpty()) {
            boolean inside = tries.list.stream().anyMatch(it -> it.from == to && it.holds(tries.position));
            return inside ? tries.behindEntries.getOrDefault(to, target) : target;
        }
        for (Block block : tries.blocks) {
            if (block.target == target && block.left.equals(left)) {
                return block.label;
            }
        }
        Block block = new Block(new Label(), target, left);
        tries.blocks.add(block);
        return block.label;
    }

    private Label[] aim(Label[] targets) {
        if (tries == null) {
            return targets;
        }
        Label[] aimed = new Label[targets.length];
        Arrays.setAll(aimed, index -> aim(targets[index]));
        return aimed;
    }

    private void goesNowhere() {
        if (tries != null) {
            tries.fallsThrough = false;
        }
    }

    private void probe(String name, int id) {
        push(id);
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
        boolean returns = opcode >= Opcodes.IRETURN && opcode <= Opcodes.RETURN;
        if (returns && tries != null) {
            exit(tries.left(Integer.MAX_VALUE));
        }
        if (all && opcode == Opcodes.ATHROW) {
            throwableProbe("throwing", ids.getAsInt());
        } else if (all && returns) {
            probe("methodExit", ids.getAsInt());
        }
        super.visitInsn(opcode);
        if (returns || opcode == Opcodes.ATHROW) {
            goesNowhere();
        }
    }

    @Override
    public void visitMethodInsn(int opcode, String owner, String name, String descriptor, boolean isInterface) {
        flush();
        if (all) {
            probe("call", ids.getAsInt());
        }
        super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
        if (all && !started && opcode == Opcodes.INVOKESPECIAL && name.equals("<init>") && allocated-- == 0) {
            start();
        }
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String descriptor, Handle bootstrap, Object... arguments) {
        flush();
        if (all) {
            probe("call", ids.getAsInt());
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
        if (opcode == Opcodes.RET) {
            goesNowhere();
        }
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        flush();
        if (opcode == Opcodes.NEW) {
            allocated++;
        }
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
        super.visitJumpInsn(opcode, aim(label));
        if (opcode == Opcodes.GOTO) {
            goesNowhere();
        }
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
        super.visitTableSwitchInsn(min, max, aim(otherwise), aim(labels));
        goesNowhere();
    }

    @Override
    public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] labels) {
        flush();
        super.visitLookupSwitchInsn(aim(otherwise), keys, aim(labels));
        goesNowhere();
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        flush();
        super.visitMultiANewArrayInsn(descriptor, dimensions);
    }
}
