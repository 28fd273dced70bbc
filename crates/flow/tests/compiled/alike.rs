//! Clauses that do the same, and such that only look like it.

use crate::classes::{compile, tries};
use catchment_classfile::ClassFile;
use catchment_flow::{Retype, are_alike, retype_clauses};
use catchment_pairs::{CompiledTry, pairs_of};

const HEAD: &str = "import java.io.*; public class T { static void fail() throws IOException {}
static void log(Object o) {} static int n;
";

/// Per pair of bodies whether two clauses with them are alike, both made to catch the same type.
fn alike(bodies: &[(&str, &str)], behind: &str) -> Vec<bool> {
    let method = |(number, (one, other)): (usize, &(&str, &str))| {
        format!(
            "static String m{number}(int k) throws IOException {{ while (true) {{
            try {{ fail(); }} catch (FileNotFoundException e) {{ {one} }} catch (EOFException e) {{ {other} }} {behind}
            log(1); }} }}\n"
        )
    };
    let methods: String = bodies.iter().enumerate().map(method).collect();
    let bytes = compile(&format!("{HEAD}{methods} }}"), &["-g"]);
    let class = ClassFile::parse(&bytes).expect("a class");
    let pairs = pairs_of(&class);
    let with_two = |number: usize| {
        let mut tries = tries(&class, &pairs, &format!("m{number}")).into_iter();
        tries.find(|compiled_try| compiled_try.clauses.len() > 1).expect("a try with two clauses")
    };
    (0..bodies.len()).map(|number| are_alike_retyped(&class, with_two(number))).collect()
}

fn are_alike_retyped(class: &ClassFile<'_>, compiled_try: &CompiledTry) -> bool {
    let retypes = [0, 1].map(|clause| Retype { compiled_try, clause, to: "java.io.IOException" });
    let bytes = retype_clauses(class, &retypes).expect("retyped");
    are_alike(&ClassFile::parse(&bytes).expect("a class"), compiled_try, 0, 1).expect("followed")
}

#[test]
fn clauses_of_the_same_text_do_the_same() {
    let bodies = [
        "",
        "return null;",
        "continue;",
        "log(e); return \"none\";",
        "return e.getMessage() + k;",
        "return \"no \" + e;",
        "if (k > 1) { log(e); } else { n++; }",
        "switch (k) { case 1: log(1); break; case 5: log(5); break; default: return null; }",
        "try { fail(); } catch (IOException again) { log(again); } finally { n--; }",
        "for (int i = 0; i < k; i++) { log(i); }",
        "throw e;",
        "log(1L); log(2.5); log(String.class);",
    ];
    for behind in ["", "finally { log(n); }"] {
        for (body, is_alike) in bodies.iter().zip(alike(&bodies.map(|body| (body, body)), behind)) {
            assert!(is_alike, "{body} {behind}");
        }
    }
}

#[test]
fn clauses_that_differ_in_anything_do_not() {
    let bodies = [
        ("return null;", "return \"none\";"),
        ("return \"no \" + k;", "return \"none \" + k;"),
        ("continue;", ""),
        ("log(e);", "log(1);"),
        ("log(1);", "log(2);"),
        ("n++;", "n--;"),
        ("k++;", "k--;"),
        ("if (k > 1) log(1);", "if (k < 1) log(1);"),
        ("if (k > 1) log(1); else log(2);", "if (k > 1) log(2); else log(1);"),
        ("switch (k) { case 1: log(1); }", "switch (k) { case 2: log(1); }"),
        ("try { fail(); } catch (IOException x) { }", "try { fail(); } catch (Exception x) { }"),
        ("try { fail(); } catch (IOException x) { }", "fail();"),
        // The class behind an `instanceof` is resolved, which may fail.
        (
            "try { if ((Object) e instanceof ObjectStreamException) k = 1; } catch (LinkageError x) { log(1); }",
            "try { if ((Object) e instanceof ObjectStreamException) k = 1; } catch (LinkageError x) { log(2); }",
        ),
        ("log(e.getMessage());", "log(e.getLocalizedMessage());"),
        ("Runnable r = () -> log(1); r.run();", "Runnable r = () -> log(2); r.run();"),
    ];
    for behind in ["", "finally { log(n); }"] {
        for (bodies, is_alike) in bodies.iter().zip(alike(&bodies, behind)) {
            assert!(!is_alike, "{bodies:?} {behind}");
        }
    }
}
