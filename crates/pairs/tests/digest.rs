//! Digests of classes: what changes them and what does not.

use catchment_classfile::ClassFile;
use catchment_pairs::{ClassDigest, digest_of};
use catchment_testkit::compilers::javac;
use std::fs;
use std::path::PathBuf;

/// The class `A` of a source.
fn digest(source: &str) -> ClassDigest {
    digest_of_class(source, "A")
}

fn digest_of_class(source: &str, class: &str) -> ClassDigest {
    let folder = tempfile::tempdir().expect("folder");
    let file = folder.path().join("A.java");
    fs::write(&file, source).expect("source");
    let classes: PathBuf = javac(17, 17, &["-g"], &[file]).expect("compiled");
    let bytes = fs::read(classes.join(format!("{class}.class"))).expect("class");
    digest_of(&ClassFile::parse(&bytes).expect("readable"))
}

/// The names of methods whose bodies differ, or are gone or new.
fn changed(before: &ClassDigest, after: &ClassDigest) -> Vec<String> {
    let bodies = |digest: &ClassDigest| -> Vec<(String, Option<u64>)> {
        digest.methods.iter().map(|method| (method.name.clone(), method.body)).collect()
    };
    let (before, after) = (bodies(before), bodies(after));
    let missing = |of: &[(String, Option<u64>)], other: &[(String, Option<u64>)]| -> Vec<String> {
        of.iter().filter(|method| !other.contains(method)).map(|(name, _)| name.clone()).collect()
    };
    let mut names = missing(&before, &after);
    names.extend(missing(&after, &before));
    names.sort();
    names.dedup();
    names
}

const SOURCE: &str = "class A {
    private final int n = 1;
    int f(int a, int b) { return a - b; }
    String g() { return \"x\" + n; }
    int h(String s) { try { return Integer.parseInt(s); } catch (NumberFormatException e) { return 0; } }
}";

#[test]
fn comments_and_lines_change_nothing_but_lines() {
    let (before, after) = (digest(SOURCE), digest(&format!("// a\n/* b */\n{SOURCE}")));
    assert_eq!(changed(&before, &after), [] as [&str; 0]);
    assert_eq!(before.shape, after.shape);
    let lines = |digest: &ClassDigest| digest.methods[1].lines.clone();
    assert_eq!((lines(&before), lines(&after)), (vec![3], vec![5]));
}

#[test]
fn a_body_changes_its_own_digest_alone_also_where_constants_move() {
    let before = digest(SOURCE);
    for (from, to, method) in [
        ("return a - b;", "return b - a;", "f"),
        ("return \"x\" + n;", "return \"y\" + n;", "g"),
        ("return 0;", "return \"new constants\".length();", "h"),
        ("catch (NumberFormatException e)", "catch (IllegalArgumentException e)", "h"),
        ("n = 1;", "n = 2;", "<init>"),
    ] {
        let after = digest(&SOURCE.replace(from, to));
        let is_constant = method == "<init>";
        assert!(changed(&before, &after).contains(&method.to_owned()), "{to}");
        assert_eq!(before.shape == after.shape, !is_constant, "{to}");
        if !is_constant {
            assert_eq!(changed(&before, &after), [method], "{to}");
        }
    }
}

#[test]
fn lambdas_and_local_classes_belong_to_the_bodies_around_them() {
    let with = "Runnable r = () -> f(1, 2); new Object() { int x() { return 1; } }.x(); return a - b;";
    let (before, after) = (digest(SOURCE), digest(&SOURCE.replace("return a - b;", with)));
    assert_eq!(before.shape, after.shape);
    assert_eq!(changed(&before, &after), ["f", "lambda$f$0"]);
    let source = SOURCE.replace("return a - b;", with);
    let local = digest_of_class(&source, "A$1");
    assert!(local.is_local && !before.is_local);
    let other =
        digest_of_class(&source.replace("int x() { return 1; }", "int y; int x() { return 1; }"), "A$1");
    // What others see of it shows in each of its methods.
    assert_eq!(
        (local.shape, changed(&local, &other)),
        (other.shape, vec!["<init>".to_owned(), "x".to_owned()])
    );
}

#[test]
fn declarations_are_shape() {
    let before = digest(SOURCE);
    for (from, to) in [
        ("int f(", "public int f("),
        ("int f(", "@Deprecated int f("),
        ("int f(int a, int b)", "int f(int a, short b)"),
        ("class A {", "class A implements Runnable { public void run() {}"),
        ("class A {", "class A { static class B {}"),
        ("class A {", "class A { static final String S = \"s\";"),
        ("class A {", "class A { private void more() {}"),
    ] {
        assert_ne!(digest(&SOURCE.replacen(from, to, 1)).shape, before.shape, "{to}");
    }
    let constants = |text: &str| {
        digest(&SOURCE.replace("class A {", &format!("class A {{ static final String S = \"{text}\";")))
    };
    assert_ne!(constants("a").shape, constants("b").shape);
    let annotated = |value: &str| {
        digest(&format!(
            "@interface B {{ String[] value(); Class<?> type() default Object.class; }} @B({{\"{value}\"}}) class A {{}}"
        ))
    };
    assert_ne!(annotated("a").shape, annotated("b").shape);
}

#[test]
fn an_order_of_methods_is_nobodys_business_and_records_are_understood() {
    let methods = ["int f() { return 1; }", "int g() { return 2; }"];
    let [one, other] = [[methods[0], methods[1]], [methods[1], methods[0]]]
        .map(|methods| digest(&format!("class A {{ {} {} }}", methods[0], methods[1])));
    assert_eq!(one.shape, other.shape);
    let record = |body: &str| {
        digest(&format!("record A(@Deprecated int x, java.util.List<String> y) {{ int f() {{ {body} }} }}"))
    };
    let (before, after) = (record("return 1;"), record("return \"abc\".length();"));
    assert_eq!((before.shape, changed(&before, &after)), (after.shape, vec!["f".to_owned()]));
}

#[test]
fn classes_that_are_named_are_known() {
    let named = digest("class A { java.util.List<String> f() { return new java.util.ArrayList<String>(new String[3].length); } }").named;
    for class in ["java.util.ArrayList", "java.lang.Object", "java.lang.String"] {
        assert!(named.contains(class), "{class}: {named:?}");
    }
}
