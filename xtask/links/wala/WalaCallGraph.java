import com.ibm.wala.classLoader.CallSiteReference;
import com.ibm.wala.classLoader.Language;
import com.ibm.wala.core.util.config.AnalysisScopeReader;
import com.ibm.wala.ipa.callgraph.AnalysisCacheImpl;
import com.ibm.wala.ipa.callgraph.AnalysisOptions;
import com.ibm.wala.ipa.callgraph.AnalysisOptions.ReflectionOptions;
import com.ibm.wala.ipa.callgraph.AnalysisScope;
import com.ibm.wala.ipa.callgraph.CGNode;
import com.ibm.wala.ipa.callgraph.CallGraph;
import com.ibm.wala.ipa.callgraph.Entrypoint;
import com.ibm.wala.ipa.callgraph.IAnalysisCacheView;
import com.ibm.wala.ipa.callgraph.impl.Util;
import com.ibm.wala.ipa.cha.ClassHierarchy;
import com.ibm.wala.ipa.cha.ClassHierarchyFactory;
import com.ibm.wala.types.MethodReference;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Set;
import java.util.TreeSet;

/**
 * WALA's call graph of a program with the JDK that runs this. Arguments: `0` for one object per class or `0-1` for one per
 * allocation site (strings, string builders and exceptions merged); the class path; the class with `main`; optionally a file
 * for the methods. Prints methods and edges, an edge being a call site and a target method.
 */
public class WalaCallGraph {
    public static void main(String[] arguments) throws Exception {
        AnalysisScope scope = AnalysisScopeReader.instance.makeJavaBinaryAnalysisScope(arguments[1], null);
        ClassHierarchy hierarchy = ClassHierarchyFactory.make(scope);
        String main = "L" + arguments[2].replace('.', '/');
        Iterable<Entrypoint> entries = Util.makeMainEntrypoints(hierarchy, main);
        AnalysisOptions options = new AnalysisOptions(scope, entries);
        options.setReflectionOptions(ReflectionOptions.STRING_ONLY);
        IAnalysisCacheView cache = new AnalysisCacheImpl();
        boolean perClass = arguments[0].equals("0");
        CallGraph graph = (perClass
                        ? Util.makeZeroCFABuilder(Language.JAVA, options, cache, hierarchy)
                        : Util.makeZeroOneCFABuilder(Language.JAVA, options, cache, hierarchy))
                .makeCallGraph(options, null);
        Set<String> methods = new TreeSet<>();
        Set<String> edges = new TreeSet<>();
        for (CGNode node : graph) {
            methods.add(name(node));
            addEdges(graph, node, edges);
        }
        System.out.println("methods " + methods.size());
        System.out.println("edges " + edges.size());
        if (arguments.length > 3) {
            write(methods, arguments[3]);
        }
    }

    /** Contexts are few but there are some, so that a site may stand in several nodes. */
    private static void addEdges(CallGraph graph, CGNode node, Set<String> edges) {
        for (Iterator<CallSiteReference> sites = node.iterateCallSites(); sites.hasNext(); ) {
            CallSiteReference site = sites.next();
            for (CGNode target : graph.getPossibleTargets(node, site)) {
                edges.add(name(node) + "@" + site.getProgramCounter() + ">" + name(target));
            }
        }
    }

    private static String name(CGNode node) {
        MethodReference method = node.getMethod().getReference();
        String type = method.getDeclaringClass().getName().toString().substring(1);
        return type + "." + method.getName() + ":" + method.getDescriptor();
    }

    private static void write(Set<String> methods, String file) throws IOException {
        try (PrintWriter out = new PrintWriter(file, StandardCharsets.UTF_8)) {
            methods.forEach(out::println);
        }
    }
}
