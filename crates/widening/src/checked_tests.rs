//! What is said of checked exceptions is what javac says of the same source with the wider type.

use crate::checked::refused_by_checks;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::tests::{compile, with_jdk};
use catchment_classfile::ClassFile;
use catchment_pairs::{Pair, pairs_of};
use catchment_testkit::compilers::{Compiler, Job};
use std::fs;

const NARROW: &str = "catch (FileNotFoundException";
const WIDE: &str = "catch (IOException";
const JAVAC: Compiler = Compiler::Javac { jdk: 17, release: 17 };

/// Lines of cases count from the one behind it.
const HEAD: &str = "import java.io.*; class C { static int n; static void fail() throws IOException {} static void miss() throws FileNotFoundException {}
static <X extends Exception> void pass(X x) throws X {} interface Missing { void run() throws FileNotFoundException; }
";

/// Members of a class whose first clause is to catch more, and whether that is found to be legal.
const CASES: [(&str, bool); 20] = [
    ("void m() { try { try { fail(); } catch (FileNotFoundException e) {} } catch (IOException e) {} }", false),
    ("void m() { try { try { fail(); } catch (FileNotFoundException e) {} fail(); } catch (IOException e) {} }", true),
    ("void m() { try { try { fail(); } catch (FileNotFoundException e) {} } catch (Exception e) {} }", true),
    (
        "void m() { try { try { fail(); } catch (FileNotFoundException e) {} } catch (IOException | Error e) {} }",
        false,
    ),
    (
        "void m() { try (Reader r = new StringReader(\"\")) { try { fail(); } catch (FileNotFoundException e) {} }
        catch (IOException e) {} }",
        true,
    ),
    (
        "void m(ByteArrayOutputStream o, byte[] b) { try { try { fail(); } catch (FileNotFoundException e) {}
        o.write(b, 0, 0); } catch (IOException e) {} }",
        false,
    ),
    (
        "void m(OutputStream o, byte[] b) { try { try { fail(); } catch (FileNotFoundException e) {}
        o.write(b, 0, 0); } catch (IOException e) {} }",
        true,
    ),
    (
        "void m() throws FileNotFoundException { try { miss(); } catch (FileNotFoundException e) { if (n > 0) throw e; e = null; } }",
        false,
    ),
    ("void m() throws FileNotFoundException { try { miss(); } catch (FileNotFoundException e) { throw e; } }", true),
    (
        "void m() { try { try { fail(); } catch (FileNotFoundException e) {} finally { n++; } } catch (IOException e) {} }",
        false,
    ),
    (
        "void m() { try { synchronized (this) { try { fail(); } catch (FileNotFoundException e) {} } }
        catch (IOException e) {} }",
        false,
    ),
    (
        "void m() { try { try { fail(); } catch (FileNotFoundException e) { throw new EOFException(); } }
        catch (IOException e) {} }",
        true,
    ),
    (
        "void m() { try { try { fail(); } catch (FileNotFoundException e) { throw e; } } catch (IOException e) {} }",
        true,
    ),
    (
        "Object m() { return (java.util.concurrent.Callable<String>) () -> {
        try { miss(); } catch (FileNotFoundException e) { if (n > 0) throw e; e = null; } return \"\"; }; }",
        true,
    ),
    (
        "void m() { try { try { fail(); } catch (FileNotFoundException e) {} pass(new IOException()); }
        catch (IOException e) {} }",
        true,
    ),
    (
        "void m() throws FileNotFoundException { try { try { miss(); } catch (FileNotFoundException e) {
        if (n > 0) throw e; e = null; } } catch (Exception e) { throw e; } }",
        false,
    ),
    (
        "void m(Closeable c) { try { try { c.close(); } catch (FileNotFoundException e) {} } catch (IOException e) {} }",
        false,
    ),
    (
        "void m(AutoCloseable c) throws Exception { try { try { c.close(); } catch (FileNotFoundException e) {} }
        catch (IOException e) {} }",
        true,
    ),
    (
        "void m() { try { n++; try { fail(); } catch (FileNotFoundException e) {} finally { fail(); } }
        catch (IOException e) {} }",
        true,
    ),
    (
        "void m() throws IOException { try { fail(); } catch (FileNotFoundException e) { if (n > 0) throw e; e = null; } }",
        true,
    ),
];

/// Legal as far as class files tell, and not for javac.
const NOT_TOLD: [&str; 2] = [
    "Missing m() { return () -> { try { miss(); } catch (FileNotFoundException e) { if (n > 0) throw e; e = null; } }; }",
    "void m() { try { try { fail(); } catch (FileNotFoundException e) {} pass(new RuntimeException()); }
    catch (IOException e) {} }",
];

/// A class with method `m0` for the first case and so on, one on each line.
fn source(cases: &[&str]) -> String {
    let method = |(number, case): (usize, &&str)| {
        let line = case.split_whitespace().collect::<Vec<_>>().join(" ");
        line.replacen(" m(", &format!(" m{number}("), 1) + "\n"
    };
    let methods: String = cases.iter().enumerate().map(method).collect();
    format!("{HEAD}{methods}}}")
}

/// Per case whether javac takes it with the wider type.
fn javac_says(cases: &[&str]) -> Vec<bool> {
    let folder = tempfile::tempdir().expect("a folder");
    let wide: Vec<String> = cases.iter().map(|case| case.replacen(NARROW, WIDE, 1)).collect();
    let file = folder.path().join("C.java");
    let source = source(&wide.iter().map(String::as_str).collect::<Vec<_>>());
    fs::write(&file, source).expect("written");
    let errors = JAVAC.compile(&Job::of([file])).expect_err("some are illegal");
    let errors = format!("{errors:#}");
    let first = HEAD.lines().count() + 1;
    (first..first + cases.len()).map(|line| !errors.contains(&format!("C.java:{line}:"))).collect()
}

/// Per case whether class files show nothing against it.
fn we_say(cases: &[&str]) -> Vec<bool> {
    let folder = compile(&[("C.java", &source(cases))], &[]);
    let bytes = fs::read(folder.join("C.class")).expect("a class");
    let classes = with_jdk(&[folder]);
    let hierarchy = Hierarchy::of(&classes);
    let class = ClassFile::parse(&bytes).expect("a class");
    let pairs = pairs_of(&class);
    let is_legal = |number: usize| {
        let (method, lambda) = (format!("m{number}"), format!("lambda$m{number}$"));
        let is_meant = |pair: &Pair| {
            pair.types == ["java.io.FileNotFoundException"]
                && (pair.method == method || pair.method.starts_with(&lambda))
        };
        let first = (0..pairs.tries.len()).map(|index| (index, 0));
        let sites = first.filter(|(index, _)| is_meant(&pairs.pairs[pairs.pair_of(*index, 0)]));
        let widened: Vec<_> = sites.map(|site| (site, "java.io.IOException")).collect();
        assert!(!widened.is_empty(), "{}", cases[number]);
        refused_by_checks(&class, &pairs, &widened, &hierarchy)
            .expect("methods that can be followed")
            .is_none()
    };
    (0..cases.len()).map(is_legal).collect()
}

#[test]
fn checked_exceptions_are_seen_as_javac_sees_them() {
    let cases = CASES.map(|(case, _)| case);
    let answers = javac_says(&cases).into_iter().zip(we_say(&cases));
    for ((case, expected), answers) in CASES.iter().zip(answers) {
        assert_eq!(answers, (*expected, *expected), "javac and we on {case}");
    }
}

#[test]
fn what_class_files_do_not_tell_is_left_to_the_compiler() {
    assert_eq!(javac_says(&NOT_TOLD), [false, false]);
    assert_eq!(we_say(&NOT_TOLD), [true, true]);
}
