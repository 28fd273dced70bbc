import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/**
 * Positions in a woven method, seen as if nothing had been woven.
 *
 * <pre>
 *   woven code:   inline part                                         | appended blocks
 *                 original instructions, between them                 | (push id; tryExit or tryEnter)+; goto TARGET
 *                   push id; invokestatic Probes.xxx                  | dup; push id; tryEscape or methodEscape; athrow
 *                   dup; push id; invokestatic Probes.caught/throwing |
 *                   dup; checkcast; push id; invokestatic caught      |
 *                   [checkcast;] push id; invokestatic exchange; checkcast
 *                   goto over a caught probe                          |
 * </pre>
 *
 * A jump to an appended block means a jump to its TARGET. Anything that does not fit this picture is an
 * {@link Unexpected}.
 */
final class StrippedCode implements CodeText.Positions {
    private static final String CAUGHT = "caught";
    private static final String EXCHANGE = "exchange";
    static final String PROBES = "catchment/runtime/Probes";

    /** Woven code that is not made as the picture says. */
    static final class Unexpected extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unexpected(String message) {
            super(message, null, false, false);
        }
    }

    private final List<AbstractInsnNode> real;
    private final PlainCode raw;
    /** Which of the real instructions belong to probes. */
    private final boolean[] probe;
    private final List<AbstractInsnNode> kept = new ArrayList<>();
    private final List<Integer> keptRaw = new ArrayList<>();
    /** Where the appended blocks begin. */
    private int tail;
    /** Appended blocks by their first instruction: where they go, or null for those that throw. */
    private final Map<Integer, LabelNode> blocks = new HashMap<>();
    private int probes;

    StrippedCode(MethodNode woven, PlainCode original) {
        raw = new PlainCode(woven);
        real = raw.instructions();
        probe = new boolean[real.size()];
        markProbes();
        alignWith(original);
        readBlocks();
    }

    /** How many probe calls were taken away. */
    int probes() {
        return probes;
    }

    private void markProbes() {
        for (int at = 0; at < real.size(); at++) {
            if (!(real.get(at) instanceof MethodInsnNode call && call.owner.equals(PROBES))) {
                continue;
            }
            if (at < 1 || !isPush(real.get(at - 1))) {
                throw new Unexpected("probe at " + at + " without its number");
            }
            boolean exchange = call.name.equals(EXCHANGE);
            int start = exchange ? startOfExchange(at) : startOfProbe(at, call);
            int end = exchange ? at + 1 : at;
            if (exchange && (end == real.size() || real.get(end).getOpcode() != Opcodes.CHECKCAST)) {
                throw new Unexpected("exchange at " + at + " whose result is not cast");
            }
            for (int part = start; part <= end; part++) {
                markProbe(part);
            }
            probes++;
        }
    }

    private int startOfProbe(int at, MethodInsnNode call) {
        if (!call.desc.startsWith("(Ljava/lang/Throwable;")) {
            return at - 1;
        }
        int start = at - 2;
        if (start > 0 && real.get(start).getOpcode() == Opcodes.CHECKCAST) {
            start--;
        }
        if (start < 0 || real.get(start).getOpcode() != Opcodes.DUP) {
            throw new Unexpected("probe at " + at + " without a copy of the exception");
        }
        return start;
    }

    /** A handler stands behind a jump, ours or another, so that a cast in front is the probe's. */
    private int startOfExchange(int at) {
        return at > 1 && real.get(at - 2).getOpcode() == Opcodes.CHECKCAST ? at - 2 : at - 1;
    }

    private void markProbe(int at) {
        AbstractInsnNode insn = real.get(at);
        if (insn.visibleTypeAnnotations != null || insn.invisibleTypeAnnotations != null) {
            throw new Unexpected("a type annotation has moved to the probe at " + at);
        }
        probe[at] = true;
    }

    private static boolean isPush(AbstractInsnNode insn) {
        int opcode = insn.getOpcode();
        return opcode >= Opcodes.ICONST_0 && opcode <= Opcodes.ICONST_5
                || opcode == Opcodes.BIPUSH
                || opcode == Opcodes.SIPUSH
                || insn instanceof LdcInsnNode constant && constant.cst instanceof Integer;
    }

    /** Finds the instructions of the original: all that are neither probes nor jumps over a caught probe. */
    private void alignWith(PlainCode original) {
        int wanted = original.instructions().size();
        int at = 0;
        for (; at < real.size() && kept.size() < wanted; at++) {
            if (!probe[at] && !(isBypass(at) && !goesToNext(original, kept.size()))) {
                kept.add(real.get(at));
                keptRaw.add(at);
            }
        }
        if (kept.size() < wanted) {
            throw new Unexpected("only " + kept.size() + " of " + wanted + " instructions are left");
        }
        tail = at;
    }

    /** A goto in front of a caught probe that leads just behind it. */
    private boolean isBypass(int at) {
        if (real.get(at).getOpcode() != Opcodes.GOTO || at + 1 >= real.size() || !probe[at + 1]) {
            return false;
        }
        int target = raw.place(((JumpInsnNode) real.get(at)).label);
        int behind = at + 1;
        while (behind < target && behind < real.size() && probe[behind]) {
            behind++;
        }
        return target > at + 1 && behind == target && isCaughtProbe(at + 1);
    }

    private boolean isCaughtProbe(int at) {
        int call = at;
        while (!(real.get(call) instanceof MethodInsnNode)) {
            call++;
        }
        String name = ((MethodInsnNode) real.get(call)).name;
        return name.equals(CAUGHT) || name.equals(EXCHANGE);
    }

    /** An original goto to the next instruction looks the same, but then nothing falls through, so no bypass is made. */
    private static boolean goesToNext(PlainCode original, int index) {
        return original.instructions().get(index) instanceof JumpInsnNode jump
                && jump.getOpcode() == Opcodes.GOTO
                && original.place(jump.label) == index + 1;
    }

    private void readBlocks() {
        int start = tail;
        while (start < real.size()) {
            int end = start;
            while (end < real.size() && probe[end]) {
                end++;
            }
            if (end == start || end == real.size()) {
                throw new Unexpected("unknown code behind the method at " + start);
            }
            blocks.put(start, readBlock(start, end));
            start = end + 1;
        }
    }

    private LabelNode readBlock(int start, int end) {
        AbstractInsnNode last = real.get(end);
        String names = probeNames(start, end);
        if (last.getOpcode() == Opcodes.GOTO && names.matches("(tryExit )*(tryEnter )*")) {
            return ((JumpInsnNode) last).label;
        }
        if (last.getOpcode() == Opcodes.ATHROW && names.matches("(tryEscape|methodEscape) ")) {
            return null;
        }
        throw new Unexpected("unknown block behind the method: " + names + last.getOpcode());
    }

    private String probeNames(int start, int end) {
        StringBuilder names = new StringBuilder();
        for (int at = start; at < end; at++) {
            if (real.get(at) instanceof MethodInsnNode call) {
                names.append(call.name).append(' ');
            }
        }
        return names.toString();
    }

    @Override
    public List<AbstractInsnNode> instructions() {
        return kept;
    }

    @Override
    public String jumpTarget(LabelNode label) {
        int at = raw.place(label);
        for (int hops = 0; blocks.get(at) != null && hops <= blocks.size(); hops++) {
            at = raw.place(blocks.get(at));
        }
        return at < tail ? String.valueOf(keptFrom(at)) : "appended code";
    }

    @Override
    public int place(LabelNode label) {
        int at = raw.place(label);
        return at < 0 ? at : keptFrom(at);
    }

    @Override
    public int placeOfNode(AbstractInsnNode node) {
        int at = raw.placeOfNode(node);
        return at < tail ? keptFrom(at) : -1;
    }

    @Override
    public String exactPlace(LabelNode label) {
        int index = place(label);
        boolean exact = index < kept.size() && keptRaw.get(index) == raw.place(label);
        return exact ? String.valueOf(index) : "a probe before " + index;
    }

    @Override
    public boolean isAdded(TryCatchBlockNode row) {
        return raw.place(row.handler) >= tail || raw.place(row.start) >= tail;
    }

    /** The number of the first kept instruction at or behind the real instruction {@code at}. */
    private int keptFrom(int at) {
        int low = 0;
        int high = keptRaw.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (keptRaw.get(middle) < at) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
