import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FrameNode;
import org.objectweb.asm.tree.IincInsnNode;
import org.objectweb.asm.tree.IntInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.JumpInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.LdcInsnNode;
import org.objectweb.asm.tree.LineNumberNode;
import org.objectweb.asm.tree.LocalVariableAnnotationNode;
import org.objectweb.asm.tree.LocalVariableNode;
import org.objectweb.asm.tree.LookupSwitchInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.MultiANewArrayInsnNode;
import org.objectweb.asm.tree.TableSwitchInsnNode;
import org.objectweb.asm.tree.TryCatchBlockNode;
import org.objectweb.asm.tree.TypeAnnotationNode;
import org.objectweb.asm.tree.TypeInsnNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Everything the code of a method says, as lines of text. Positions are numbers of instructions, so that two codes with
 * the same lines mean the same whatever their byte offsets.
 */
final class CodeText {
    /** What a label means once probes are taken away. */
    interface Positions {
        /** The instructions that count. */
        List<AbstractInsnNode> instructions();

        /** Where a jump to {@code label} ends up. */
        String jumpTarget(LabelNode label);

        /** The number of the first instruction at or behind {@code label}. */
        int place(LabelNode label);

        /** The number of the first instruction at or behind {@code node}; -1 if it belongs to added code. */
        int placeOfNode(AbstractInsnNode node);

        /** Like {@link #place}, for a label that must stand directly at its instruction. */
        String exactPlace(LabelNode label);

        /** Whether this row of the exception table was added. */
        boolean isAdded(TryCatchBlockNode row);
    }

    private final MethodNode method;
    private final Positions positions;
    private final List<String> lines = new ArrayList<>();

    private CodeText(MethodNode method, Positions positions) {
        this.method = method;
        this.positions = positions;
    }

    static List<String> of(MethodNode method, Positions positions) {
        CodeText text = new CodeText(method, positions);
        text.addInstructions();
        text.addFrames();
        text.addLineNumbers();
        text.addTryBlocks();
        text.addVariables();
        text.addVariableAnnotations(method.visibleLocalVariableAnnotations);
        text.addVariableAnnotations(method.invisibleLocalVariableAnnotations);
        text.lines.add("max locals " + method.maxLocals);
        return text.lines;
    }

    private void addInstructions() {
        int index = 0;
        for (AbstractInsnNode insn : positions.instructions()) {
            lines.add(index + ": " + insn.getOpcode() + operands(insn));
            addTypeAnnotations(insn.visibleTypeAnnotations);
            addTypeAnnotations(insn.invisibleTypeAnnotations);
            index++;
        }
    }

    private String operands(AbstractInsnNode insn) {
        if (insn instanceof IntInsnNode it) {
            return " " + it.operand;
        } else if (insn instanceof VarInsnNode it) {
            return " " + it.var;
        } else if (insn instanceof TypeInsnNode it) {
            return " " + it.desc;
        } else if (insn instanceof FieldInsnNode it) {
            return " " + it.owner + "." + it.name + " " + it.desc;
        } else if (insn instanceof MethodInsnNode it) {
            return " " + it.owner + "." + it.name + it.desc + (it.itf ? " interface" : "");
        } else if (insn instanceof InvokeDynamicInsnNode it) {
            return " " + it.name + it.desc + " " + it.bsm + Arrays.toString(it.bsmArgs);
        } else if (insn instanceof JumpInsnNode it) {
            return " -> " + positions.jumpTarget(it.label);
        } else if (insn instanceof LdcInsnNode it) {
            return " " + it.cst.getClass().getSimpleName() + " " + it.cst;
        } else if (insn instanceof IincInsnNode it) {
            return " " + it.var + " by " + it.incr;
        } else if (insn instanceof TableSwitchInsnNode it) {
            return " " + it.min + ".." + it.max + targets(it.labels) + " else " + positions.jumpTarget(it.dflt);
        } else if (insn instanceof LookupSwitchInsnNode it) {
            return " " + it.keys + targets(it.labels) + " else " + positions.jumpTarget(it.dflt);
        } else if (insn instanceof MultiANewArrayInsnNode it) {
            return " " + it.desc + " " + it.dims;
        }
        return "";
    }

    private List<String> targets(List<LabelNode> labels) {
        return labels.stream().map(positions::jumpTarget).toList();
    }

    /** Several frames may fall on one instruction when probes stood between them; they must agree. */
    private void addFrames() {
        Map<Integer, String> frames = new TreeMap<>();
        for (AbstractInsnNode node : method.instructions) {
            if (node instanceof FrameNode frame && positions.placeOfNode(node) >= 0) {
                String text = types(frame.local) + types(frame.stack);
                frames.merge(positions.placeOfNode(node), text, (one, two) -> one.equals(two) ? one : one + " and " + two);
            }
        }
        frames.forEach((place, text) -> lines.add("frame at " + place + " " + text));
    }

    private String types(List<Object> types) {
        if (types == null) {
            return "[]";
        }
        return types.stream().map(it -> it instanceof LabelNode label ? "new at " + positions.exactPlace(label) : it).toList().toString();
    }

    private void addLineNumbers() {
        int end = positions.instructions().size();
        for (AbstractInsnNode node : method.instructions) {
            // ASM does not show a line number behind the last instruction when nothing follows.
            if (node instanceof LineNumberNode line && positions.place(line.start) < end) {
                lines.add("line " + line.line + " at " + positions.place(line.start));
            }
        }
    }

    private void addTryBlocks() {
        for (TryCatchBlockNode row : method.tryCatchBlocks) {
            if (positions.isAdded(row)) {
                continue;
            }
            lines.add("try " + range(row.start, row.end) + " handler " + positions.place(row.handler) + " " + row.type);
            addTypeAnnotations(row.visibleTypeAnnotations);
            addTypeAnnotations(row.invisibleTypeAnnotations);
        }
    }

    private void addVariables() {
        if (method.localVariables == null) {
            return;
        }
        for (LocalVariableNode it : method.localVariables) {
            lines.add("variable " + it.index + " " + it.name + " " + it.desc + " " + it.signature + " " + range(it.start, it.end));
        }
    }

    private void addVariableAnnotations(List<LocalVariableAnnotationNode> annotations) {
        if (annotations == null) {
            return;
        }
        for (LocalVariableAnnotationNode it : annotations) {
            StringBuilder ranges = new StringBuilder();
            for (int i = 0; i < it.start.size(); i++) {
                ranges.append(' ').append(range(it.start.get(i), it.end.get(i))).append(" in ").append(it.index.get(i));
            }
            lines.add("variable annotation" + ranges);
            addTypeAnnotations(List.of(it));
        }
    }

    private String range(LabelNode start, LabelNode end) {
        return positions.place(start) + ".." + positions.place(end);
    }

    private void addTypeAnnotations(List<? extends TypeAnnotationNode> annotations) {
        if (annotations == null) {
            return;
        }
        for (TypeAnnotationNode it : annotations) {
            // The number of the row is part of the reference, and rows are added: see addTryBlocks for its place.
            boolean onRow = it.typeRef >>> 24 == 0x42;
            lines.add("  @" + it.desc + " ref " + (onRow ? "row" : Integer.toHexString(it.typeRef)) + " path " + it.typePath + " " + values(it));
        }
    }

    private static String values(AnnotationNode annotation) {
        if (annotation.values == null) {
            return "";
        }
        List<String> texts = new ArrayList<>();
        for (Object value : annotation.values) {
            texts.add(value instanceof AnnotationNode inner ? inner.desc + values(inner) : String.valueOf(value instanceof Object[] array ? Arrays.toString(array) : value.getClass().isArray() ? "array" : value));
        }
        return texts.toString();
    }
}
