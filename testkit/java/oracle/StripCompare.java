import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Attribute;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Takes our probes out of woven classes again and compares everything with the original.
 *
 * <p>{@code StripCompare ORIGINAL WOVEN} compares two jars or folders; without arguments it reads such pairs, separated by
 * a tab, from standard input until that ends. Answers per pair, fields separated by tabs:
 *
 * <pre>
 *   difference ENTRY METHOD WHAT
 *   unreadable ENTRY WHAT          ASM cannot read the original
 *   done CLASSES METHODS PROBES
 * </pre>
 */
public final class StripCompare {
    /** Where the low byte of the version stands in a class file. */
    private static final int MAJOR_VERSION = 7;

    private final PrintStream out;
    private int methods;
    private int probes;

    private StripCompare(PrintStream out) {
        this.out = out;
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        if (arguments.length == 2) {
            new StripCompare(out).compare(Path.of(arguments[0]), Path.of(arguments[1]));
            return;
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] pair = line.split("\t");
            new StripCompare(out).compare(Path.of(pair[0]), Path.of(pair[1]));
        }
    }

    private void compare(Path original, Path woven) throws IOException {
        Map<String, byte[]> originals = Archives.classesOf(original);
        Map<String, byte[]> wovens = Archives.classesOf(woven);
        originals.forEach((entry, bytes) -> {
            byte[] other = wovens.get(entry);
            if (other == null) {
                difference(entry, "", "the class is missing");
            } else if (!Arrays.equals(bytes, other)) {
                compareClass(entry, bytes, other);
            }
        });
        say("done", originals.size(), methods, probes);
        out.flush();
    }

    private void compareClass(String entry, byte[] originalBytes, byte[] wovenBytes) {
        ClassNode original;
        try {
            original = read(originalBytes);
        } catch (RuntimeException e) {
            say("unreadable", entry, e);
            return;
        }
        try {
            compareNodes(entry, original, read(wovenBytes));
        } catch (RuntimeException e) {
            difference(entry, "", "ASM cannot read the woven class: " + e);
        }
    }

    private static ClassNode read(byte[] bytes) {
        ClassNode node = new ClassNode();
        // Below version 50 frames mean nothing, and the weaver leaves them out like every attribute it does not know.
        boolean hasFrames = bytes[MAJOR_VERSION] >= 50;
        new ClassReader(bytes).accept(node, hasFrames ? ClassReader.EXPAND_FRAMES : ClassReader.SKIP_FRAMES);
        return node;
    }

    private void compareNodes(String entry, ClassNode original, ClassNode woven) {
        if (original.methods.size() != woven.methods.size()) {
            difference(entry, "", "the number of methods has changed");
            return;
        }
        for (int i = 0; i < original.methods.size(); i++) {
            methods++;
            compareMethod(entry, original.methods.get(i), woven.methods.get(i));
            removeCode(original.methods.get(i), woven.methods.get(i));
        }
        if (!Arrays.equals(write(original), write(woven))) {
            difference(entry, "", "something outside the code has changed");
        }
    }

    private void compareMethod(String entry, MethodNode original, MethodNode woven) {
        String name = original.name + original.desc;
        try {
            PlainCode plain = new PlainCode(original);
            StrippedCode stripped = new StrippedCode(woven, plain);
            probes += stripped.probes();
            String difference = firstDifference(CodeText.of(original, plain), CodeText.of(woven, stripped));
            if (difference != null) {
                difference(entry, name, difference);
            }
            if (woven.maxStack < original.maxStack || woven.maxStack > Math.max(3, original.maxStack + 2)) {
                difference(entry, name, "max stack " + original.maxStack + " became " + woven.maxStack);
            }
        } catch (StrippedCode.Unexpected e) {
            difference(entry, name, e.getMessage());
        }
    }

    private static String firstDifference(List<String> original, List<String> woven) {
        for (int i = 0; i < Math.min(original.size(), woven.size()); i++) {
            if (!original.get(i).equals(woven.get(i))) {
                return "was: " + original.get(i) + " is: " + woven.get(i);
            }
        }
        if (original.size() > woven.size()) {
            return "lost: " + original.get(woven.size());
        }
        return original.size() < woven.size() ? "added: " + woven.get(original.size()) : null;
    }

    /** What is left is compared as bytes. */
    private static void removeCode(MethodNode original, MethodNode woven) {
        for (MethodNode method : List.of(original, woven)) {
            method.instructions.clear();
            method.tryCatchBlocks.clear();
            method.localVariables = null;
            method.visibleLocalVariableAnnotations = null;
            method.invisibleLocalVariableAnnotations = null;
        }
        if (original.attrs != null) {
            original.attrs.removeIf(it -> isDropped(it, woven));
        }
    }

    /** Nobody can move the offsets in an unknown attribute of the code, so the weaver leaves it out. */
    private static boolean isDropped(Attribute attribute, MethodNode woven) {
        boolean there = woven.attrs != null && woven.attrs.stream().anyMatch(it -> it.type.equals(attribute.type));
        return !there && attribute.type.equals("CharacterRangeTable");
    }

    private static byte[] write(ClassNode node) {
        ClassWriter writer = new ClassWriter(0);
        node.accept(writer);
        return writer.toByteArray();
    }

    private void difference(String entry, String method, String what) {
        say("difference", entry, method, what);
    }

    private void say(Object... fields) {
        String line = String.join("\t", Arrays.stream(fields).map(it -> String.valueOf(it).replaceAll("\\s+", " ")).toList());
        out.println(line);
    }
}
