//! Which code calls come to where that is not plain: lambdas, methods of interfaces, initialisers.

use crate::program::Program;
use catchment_exceptions::LinksAnswer;

/// Where something is raised and what the clause catches that it comes to, a call, and the members of `T` that it needs.
/// Every clause catches a class of its own.
type Case = (&'static str, &'static str, &'static str);

/// Lambdas that implement more than one interface.
const MARKERS: &[Case] = &[
    (
        "T$Item.key -> T$Compared",
        "compares()",
        "static class Compared extends RuntimeException { }
        static class Item { int key() { throw new Compared(); } }
        static void compares() {
            List<Item> items = new ArrayList<>(List.of(new Item(), new Item()));
            try { items.sort(Comparator.comparing(Item::key)); } catch (Compared e) { }
        }",
    ),
    (
        "T.fail -> T$Serialised",
        "serialises()",
        "static class Serialised extends RuntimeException { }
        static void fail() { throw new Serialised(); }
        static Runnable serialisable(Runnable inner) { return (Runnable & Serializable) () -> inner.run(); }
        static void serialises() { try { serialisable(() -> fail()).run(); } catch (Serialised e) { } }",
    ),
    (
        "T$Mark.mark -> T$Marked",
        "marks()",
        "static class Marked extends RuntimeException { }
        interface Mark { default void mark() { throw new Marked(); } }
        static void marks() {
            Runnable it = (Runnable & Mark) () -> { };
            try { ((Mark) it).mark(); } catch (Marked e) { }
        }",
    ),
    (
        "T.alike -> T$Alike",
        "runsAlike()",
        "static class Alike extends RuntimeException { }
        interface AlsoRuns { void run(); }
        static void alike() { throw new Alike(); }
        static void run(AlsoRuns it) { it.run(); }
        static void runsAlike() {
            Object it = (Runnable & AlsoRuns) () -> alike();
            try { run((AlsoRuns) it); } catch (Alike e) { }
        }",
    ),
];

/// Methods of one name in a functional interface.
const OVERLOADS: &[Case] = &[
    (
        "T$Applied.apply -> T$Overloaded",
        "overloads()",
        "static class Overloaded extends RuntimeException { }
        interface Applied { void apply(String text); default void apply() { throw new Overloaded(); } }
        static void overloads() {
            Applied it = text -> { };
            try { it.apply(); } catch (Overloaded e) { }
        }",
    ),
    (
        "T.bridged -> T$Bridged",
        "bridges()",
        "static class Bridged extends RuntimeException { }
        interface Taking<X> { void take(X it); }
        interface TakingText extends Taking<String> { void take(String it); }
        static void bridged() { throw new Bridged(); }
        static void give(Taking<String> taking) { taking.take(null); }
        static void bridges() {
            TakingText taking = it -> bridged();
            try { give(taking); } catch (Bridged e) { }
        }",
    ),
    (
        "T.again -> T$Again",
        "declaresAgain()",
        "static class Again extends RuntimeException { }
        interface Done { default void done() { } }
        interface DoneAgain extends Done { void done(); }
        static void again() { throw new Again(); }
        static void finish(Done it) { it.done(); }
        static void declaresAgain() {
            DoneAgain it = () -> again();
            try { finish(it); } catch (Again e) { }
        }",
    ),
];

/// Which of several methods of one name is meant, and which is called.
const SELECTION: &[Case] = &[
    (
        "T$Below.diamond -> T$Diamond",
        "new Both().callDiamond()",
        "static class Diamond extends RuntimeException { }
        interface Above { default void diamond() { } }
        interface Below extends Above { default void diamond() { throw new Diamond(); } }
        interface AboveAndBelow extends Above, Below { }
        static class Both implements AboveAndBelow {
            void callDiamond() { try { AboveAndBelow.super.diamond(); } catch (Diamond e) { } }
        }",
    ),
    (
        "T$Lower.inherit -> T$Inherited",
        "new Inheriting().inherit()",
        "static class Inherited extends RuntimeException { }
        interface Upper { default void inherit() { } }
        interface Lower extends Upper { default void inherit() { throw new Inherited(); } }
        static class Base implements Upper, Lower { }
        static class Inheriting extends Base {
            public void inherit() { try { super.inherit(); } catch (Inherited e) { } }
        }",
    ),
    (
        "T$Open.show -> T$Shown",
        "shows()",
        "static class Shown extends RuntimeException { }
        interface Closed { private void show() { } default void showIt() { show(); } }
        interface Open { default void show() { throw new Shown(); } }
        static class OpenAndClosed implements Closed, Open { }
        static void shows() { try { new OpenAndClosed().show(); } catch (Shown e) { } }",
    ),
    (
        "T$Visible.see -> T$Recording",
        "sees()",
        "static class Recording extends RuntimeException { }
        interface Visible { default void see() { throw new Recording(); } }
        static class Hiding { private void see() { } }
        static class Hidden extends Hiding implements Visible { }
        static void sees() {
            Visible it = new Hidden();
            try { it.see(); } catch (Recording e) { }
        }",
    ),
    (
        "one.First.hidden -> one.Packaged",
        "packages()",
        "static void packages() { try { new two.Second().callHidden(); } catch (one.Packaged e) { } }",
    ),
    (
        "two.Fourth.hidden -> two.Widened",
        "widens()",
        "static void widens() { try { new two.Fourth().callHidden(); } catch (two.Widened e) { } }",
    ),
];

const CASTS: &[Case] = &[(
    "T.cast -> T$Checked",
    "casts(args)",
    "static class Checked extends Exception { }
    static void cast(boolean isCast, Throwable given) throws Throwable {
        Throwable thrown;
        if (isCast) thrown = (RuntimeException) given; else thrown = given;
        throw thrown;
    }
    static void casts(String[] args) throws Throwable {
        try { cast(args.length > 3, new Checked()); } catch (Checked e) { }
    }",
)];

/// Initialisers that run because of a class below, or because of a method reference.
const INITIALISERS: &[Case] = &[
    (
        "T$Parent.<clinit> -> T$OfParent",
        "makesChild()",
        "static class OfParent extends Error { }
        static class Parent { static { if (System.nanoTime() != 0) throw new OfParent(); } }
        static class Child extends Parent { }
        static void makesChild() { try { new Child(); } catch (OfParent e) { } }",
    ),
    (
        "T$Grandparent.<clinit> -> T$OfGrandparent",
        "makesGrandchild()",
        "static class OfGrandparent extends Error { }
        static class Grandparent { static { if (System.nanoTime() != 0) throw new OfGrandparent(); } }
        static class Grandchild extends Grandparent { static Object own = new Object(); }
        static void makesGrandchild() { try { new Grandchild(); } catch (OfGrandparent e) { } }",
    ),
    (
        "T$OfInterface.raise -> T$OfInterface",
        "implementsCode()",
        "static class OfInterface extends Error { static Object raise() { throw new OfInterface(); } }
        interface WithCode { Object MADE = OfInterface.raise(); default void code() { } }
        static class Coded implements WithCode { }
        static void implementsCode() { try { new Coded(); } catch (OfInterface e) { } }",
    ),
    (
        "T$Made.<clinit> -> T$OfMade",
        "refersToNew()",
        "static class OfMade extends Error { }
        static class Made { static { if (System.nanoTime() != 0) throw new OfMade(); } }
        static void refersToNew() {
            Supplier<Made> maker = Made::new;
            try { maker.get(); } catch (OfMade e) { }
        }",
    ),
    (
        "T$Static.<clinit> -> T$OfStatic",
        "refersToStatic()",
        "static class OfStatic extends Error { }
        static class Static { static { if (System.nanoTime() != 0) throw new OfStatic(); } static void run() { } }
        static void refersToStatic() {
            Runnable runner = Static::run;
            try { runner.run(); } catch (OfStatic e) { }
        }",
    ),
];

const RECORDS: &[Case] = &[(
    "T$Told.toString -> T$Equal",
    "compareRecords()",
    "static class Equal extends RuntimeException { }
    record Pair(Object it) { }
    static class Asking { public boolean equals(Object other) { return other.toString() == null; } }
    static class Told { public String toString() { throw new Equal(); } }
    static void compareRecords() {
        Pair one = new Pair(new Asking()), other = new Pair(new Told());
        try { one.equals(other); } catch (Equal e) { }
    }",
)];

const NATIVES: &[Case] = &[(
    "sun.misc.Unsafe.throwException -> T$Sneaky",
    "throwSneakily()",
    "static class Sneaky extends Exception { static void declared() throws Sneaky { } }
    static void throwSneakily() throws Throwable {
        java.lang.reflect.Field field = sun.misc.Unsafe.class.getDeclaredField(\"theUnsafe\");
        field.setAccessible(true);
        sun.misc.Unsafe unsafe = (sun.misc.Unsafe) field.get(null);
        try { unsafe.throwException(new Sneaky()); Sneaky.declared(); } catch (Sneaky e) { }
    }",
)];

/// Classes of two packages with methods that only their own can see, and one that lets others see it.
const PACKAGES: &[(&str, &str)] = &[
    ("one/Packaged.java", "package one; public class Packaged extends RuntimeException { }"),
    (
        "one/First.java",
        "package one; public class First {
            void hidden() { throw new Packaged(); }
            public void callHidden() { hidden(); }
        }",
    ),
    ("two/Second.java", "package two; public class Second extends one.First { public void hidden() { } }"),
    ("one/Third.java", "package one; public class Third extends First { public void hidden() { } }"),
    ("two/Widened.java", "package two; public class Widened extends RuntimeException { }"),
    (
        "two/Fourth.java",
        "package two; public class Fourth extends one.Third { public void hidden() { throw new Widened(); } }",
    ),
];

const HANDLES: &[Case] = &[(
    "T.convert -> T$Converted",
    "converts()",
    "static class Converted extends RuntimeException { }
    static void convert(Object it) { throw new Converted(); }
    static void converts() throws Throwable {
        MethodType type = MethodType.methodType(void.class, Object.class);
        MethodHandle handle = MethodHandles.lookup().findStatic(T.class, \"convert\", type);
        MethodHandle ofText = handle.asType(MethodType.methodType(void.class, String.class));
        try { ofText.invokeExact(\"\"); } catch (Converted e) { }
    }",
)];

const CASES: &[&[Case]] = &[MARKERS, OVERLOADS, SELECTION, CASTS, INITIALISERS, RECORDS, NATIVES, HANDLES];

fn program() -> Program {
    let cases = || CASES.iter().copied().flatten();
    let calls: String = cases().map(|(_, call, _)| format!("{call}; ")).collect();
    let members: String = cases().map(|(_, _, members)| format!("{members}\n")).collect();
    let main = format!(
        "import java.io.*; import java.lang.invoke.*; import java.util.*; import java.util.function.*;
        public class T {{
            public static void main(String[] args) throws Throwable {{ {calls} }}
            {members}
        }}"
    );
    let files: Vec<_> = [("T.java", main.as_str())].into_iter().chain(PACKAGES.iter().copied()).collect();
    Program::compile_files(&files, Vec::new())
}

pub(crate) fn answer(program: &Program, analysis: &str) -> LinksAnswer {
    let request = program.request(analysis, &["none"]);
    program.search(&request).expect("a program").answer()
}

/// Where exceptions are raised that come to clauses, and what these catch.
fn links(answer: &LinksAnswer) -> Vec<String> {
    let ends = answer.links.iter().map(|link| (&answer.points[link.from].site, &answer.pairs[link.to].pair));
    ends.map(|(from, to)| format!("{}.{} -> {}", from.class, from.method, to.types.join("|"))).collect()
}

#[test]
fn every_analysis_finds_what_the_jvm_calls() {
    let program = program();
    for analysis in ["rta", "pta", "inpta", "2obj"] {
        let found = links(&answer(&program, analysis));
        let cases = CASES.iter().copied().flatten();
        let missing: Vec<_> =
            cases.map(|(link, ..)| *link).filter(|it| !found.contains(&(*it).into())).collect();
        assert!(missing.is_empty(), "{analysis}: {missing:?}");
    }
}
