import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.LabelNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TryCatchBlockNode;

/** Positions in a method as it is. */
final class PlainCode implements CodeText.Positions {
    private final List<AbstractInsnNode> instructions = new ArrayList<>();
    /** How many instructions stand before each node. */
    private final Map<AbstractInsnNode, Integer> before = new IdentityHashMap<>();

    PlainCode(MethodNode method) {
        for (AbstractInsnNode node : method.instructions) {
            before.put(node, instructions.size());
            if (node.getOpcode() >= 0) {
                instructions.add(node);
            }
        }
    }

    @Override
    public List<AbstractInsnNode> instructions() {
        return instructions;
    }

    @Override
    public String jumpTarget(LabelNode label) {
        return String.valueOf(place(label));
    }

    /** -1 for a position that is no instruction's: some compilers write such into debug tables. */
    @Override
    public int place(LabelNode label) {
        return before.getOrDefault(label, -1);
    }

    @Override
    public int placeOfNode(AbstractInsnNode node) {
        return before.get(node);
    }

    @Override
    public String exactPlace(LabelNode label) {
        return String.valueOf(place(label));
    }

    @Override
    public boolean isAdded(TryCatchBlockNode row) {
        return false;
    }
}
