//! Refused clauses, with the words that say why, and clauses just clear enough not to be.

use catchment_patch::{Language, Merged, Shadow, Widening, widen};

/// The fate of the clause on a line: the text after it was widened, or why it was not.
fn check_at(
    line: u32,
    try_line: Option<u32>,
    source: &str,
    from: &str,
    to: &str,
    expected: Result<&str, &str>,
) {
    let from = from.split(" | ").map(str::to_owned).collect();
    let widening =
        Widening { line, try_line, from, to: to.to_owned(), shadow: Shadow::None, merges: Vec::new() };
    let patched = widen(source, Language::Java, &[widening]);
    let refusal = patched.outcomes[0].as_ref().map_err(ToString::to_string);
    match expected {
        Ok(text) => assert_eq!((refusal, patched.text.as_str()), (Ok(&()), text)),
        Err(words) => assert_eq!((refusal, patched.text.as_str()), (Err(words.to_owned()), source)),
    }
}

fn refuse(source: &str, from: &str, to: &str, words: &str) {
    check_at(2, None, source, from, to, Err(words));
}

const NARROW: &str = "java.lang.ArithmeticException";
const WIDE: &str = "java.lang.RuntimeException";

#[test]
fn no_clause_at_the_line() {
    let source = "class A { void m() {\n\n try { f(); } catch (ArithmeticException e) { } } }";
    refuse(source, NARROW, WIDE, "no catch clause at line 2");
}

#[test]
fn two_clauses_that_could_be_meant() {
    let clause = "try { f(); } catch (ArithmeticException e) { }";
    let source = format!("class A {{ void m() {{\n {clause} {clause} }} }}");
    refuse(&source, NARROW, WIDE, "more than one catch clause at line 2 could be meant");
}

#[test]
fn the_line_of_the_try_decides_between_clauses() {
    let source = "\
class A { void m() {
    try { f();
        try { g();
        } catch (ArithmeticException e) { } } catch (ArithmeticException e) { } } }
";
    let outer = source.replace("} } catch (ArithmeticException", "} } catch (RuntimeException");
    let inner = source.replacen("catch (ArithmeticException", "catch (RuntimeException", 1);
    check_at(4, Some(2), source, NARROW, WIDE, Ok(&outer));
    check_at(4, Some(3), source, NARROW, WIDE, Ok(&inner));
    let words = "more than one catch clause at line 4 could be meant";
    check_at(4, Some(9), source, NARROW, WIDE, Err(words));
}

#[test]
fn a_try_that_begins_with_a_try_begins_with_its_action() {
    let source = "\
class A { void m() {
    try { try (
        R r = f()) { g();
        } catch (ArithmeticException e) { } }
    catch (ArithmeticException e) { try { h(); } catch (ArithmeticException f) { } } } }
";
    let outer = source.replace("    catch (ArithmeticException", "    catch (RuntimeException");
    check_at(5, Some(3), source, NARROW, WIDE, Ok(&outer));
}

#[test]
fn a_source_that_does_not_parse() {
    let words = "the source does not parse at or before line 2";
    refuse("class A { void m() {\n try { f(); } catch (Arithm", NARROW, WIDE, words);
    refuse(
        "import a. class A { void m() {\n try { f(); } catch (ArithmeticException e) { } } }",
        NARROW,
        WIDE,
        words,
    );
    refuse(
        "class A { void m() {\n try { f(); } catch (ArithmeticException # e) { } } }",
        NARROW,
        WIDE,
        words,
    );
}

#[test]
fn errors_elsewhere_do_no_harm() {
    let source = "class A { void m() {\n try { f(); } catch (ArithmeticException e) { } }\n int x = = 1; }";
    check_at(2, None, source, NARROW, WIDE, Ok(&source.replace("ArithmeticException", "RuntimeException")));
}

#[test]
fn another_type_than_the_class_file_says() {
    let source = "class A { void m() {\n try { f(); } catch (IllegalStateException e) { } } }";
    let words = "the catch clause at line 2 catches `IllegalStateException`, which need not be java.lang.ArithmeticException";
    refuse(source, NARROW, WIDE, words);
}

#[test]
fn more_or_fewer_types_than_the_class_file_says() {
    let source = "class A { void m() {\n try { f(); } catch (ArithmeticException | X e) { } } }";
    let words = "the catch clause at line 2 catches `ArithmeticException | X`, which need not be java.lang.ArithmeticException";
    refuse(source, NARROW, WIDE, words);
}

#[test]
fn another_class_with_the_same_simple_name() {
    let words = "the catch clause at line 2 catches `IOException`, which need not be java.io.IOException";
    let clause = "try { f(); } catch (IOException e) { }";
    for head in [
        "import a.IOException; class A { void m() {",
        "class IOException { } class A { void m() {",
        "class A { class IOException { } void m() {",
        "import java.io.*; class A { void m() { class IOException { }",
        "import java.io.File; class A { void m() {",
        "import java.*; class A { void m() {",
        "import java.io.*; class A<IOException> { void m() {",
    ] {
        refuse(&format!("{head}\n {clause} }} }}"), "java.io.IOException", WIDE, words);
    }
    for head in [
        "import java.io.IOException; class A { void m() {",
        "import java.io.*; class A { void m() {",
        "package java.io; class A { void m() {",
        "import java.io.IOException; class B<IOException> { } class A { void m() {",
    ] {
        let source = format!("{head}\n {clause} }} }}");
        let patched = source.replace("catch (IOException", "catch (RuntimeException");
        let patched = patched.replace("import java.io.IOException; class A", "class A");
        check_at(2, None, &source, "java.io.IOException", WIDE, Ok(&patched));
    }
}

#[test]
fn a_nested_class_that_nothing_leads_to() {
    let source = "class A { void m() {\n try { f(); } catch (Narrow e) { } } }";
    let words = "the catch clause at line 2 catches `Narrow`, which need not be a.Base$Narrow";
    refuse(source, "a.Base$Narrow", WIDE, words);
}

#[test]
fn comments_between_the_types() {
    let source = "class A { void m() {\n try { f(); } catch (ArithmeticException /* 1 */ | X e) { } } }";
    let words = "a comment or an annotation stands between the types caught at line 2";
    refuse(source, "java.lang.ArithmeticException | X", WIDE, words);
}

#[test]
fn types_that_have_no_name_here() {
    let source = "package a; class A { void m() {\n try { f(); } catch (ArithmeticException e) { } } }";
    refuse(source, NARROW, "a.A$1Local", "a.A$1Local cannot be named in this source");
    refuse(source, NARROW, "Unpackaged", "Unpackaged cannot be named in this source");
}

#[test]
fn two_types_for_one_clause() {
    let source = "class A { void m() {\n try { f(); } catch (ArithmeticException e) { } } }";
    let to = |to: &str| Widening {
        line: 2,
        try_line: None,
        from: vec![NARROW.into()],
        to: to.into(),
        shadow: Shadow::None,
        merges: Vec::new(),
    };
    let patched = widen(source, Language::Java, &[to(WIDE), to("java.lang.Exception"), to(WIDE)]);
    let words = "the catch clause at line 2 is to catch different types at once";
    assert!(patched.outcomes.iter().all(|it| it.as_ref().is_err_and(|refusal| refusal.to_string() == words)));
    assert_eq!(patched.text, source);
    let patched = widen(source, Language::Java, &[to(WIDE), to(WIDE)]);
    assert_eq!(patched.outcomes, [Ok(()), Ok(())]);
    assert_eq!(patched.text, source.replace("Arithmetic", "Runtime"));
}

#[test]
fn a_refusal_leaves_the_others_alone() {
    let source = "class A { void m() {\n try { f(); } catch (ArithmeticException e) { } } }";
    let at = |line: u32| Widening {
        line,
        try_line: None,
        from: vec![NARROW.into()],
        to: WIDE.into(),
        shadow: Shadow::None,
        merges: Vec::new(),
    };
    let patched = widen(source, Language::Java, &[at(1), at(2)]);
    assert_eq!(patched.outcomes.iter().map(Result::is_ok).collect::<Vec<_>>(), [false, true]);
    assert_eq!(patched.text, source.replace("Arithmetic", "Runtime"));
}

#[test]
fn a_class_of_that_name_elsewhere_in_the_package_is_not_caught_instead() {
    let source = "package p;\nimport java.nio.file.*;\nclass A { void m() {\n try { n(); } catch (NoSuchFileException e) { }\n } }\n";
    let widening = Widening {
        line: 4,
        try_line: None,
        from: vec!["java.nio.file.NoSuchFileException".into()],
        to: "java.nio.file.FileSystemException".into(),
        shadow: Shadow::None,
        merges: Vec::new(),
    };
    let widened =
        |source: &str, shadow| widen(source, Language::Java, &[Widening { shadow, ..widening.clone() }]).text;
    assert!(widened(source, Shadow::None).contains("catch (FileSystemException e)"));
    assert!(widened(source, Shadow::Package).contains("catch (java.nio.file.FileSystemException e)"));
    let source = source.replace(".*;", ".FileSystemException; import java.nio.file.NoSuchFileException;");
    let by_import = widened(&source, Shadow::Package);
    assert!(by_import.contains("catch (FileSystemException e)"), "an import is stronger than the package");
    let by_member = widened(&source, Shadow::Inherited);
    assert!(by_member.contains("catch (java.nio.file.FileSystemException e)"), "and weaker than a member");
}

/// Tells whether the clause on line 3 goes with the one on line 2.
fn goes(clauses: &str) -> Result<String, String> {
    let source = format!("class A {{ void m() {{ try {{ f(); }}\n{clauses} }} }}");
    let merged = Merged { line: 3, from: vec!["java.lang.NumberFormatException".into()] };
    let widening = Widening {
        line: 2,
        try_line: None,
        from: vec![NARROW.into()],
        to: WIDE.into(),
        shadow: Shadow::None,
        merges: vec![merged],
    };
    let patched = widen(&source, Language::Java, &[widening]);
    patched.outcomes[0].as_ref().map(|()| patched.text.clone()).map_err(ToString::to_string)
}

#[test]
fn a_clause_goes_only_if_all_of_it_stands_in_the_other() {
    let first = "catch (ArithmeticException e) { g(e); /* none */ }";
    let later = "catch (NumberFormatException it) {\n  g(it); /* none */\n}";
    let kept = "class A { void m() { try { f(); }\ncatch (RuntimeException e) { g(e); /* none */ } } }";
    assert_eq!(goes(&format!("{first}\n{later}")), Ok(kept.to_owned()));

    let words = "the catch clause at line 3 would have to go, and not all of it stands in the one that stays";
    let differ = [
        later.replace("none", "some"),
        later.replace("g(it)", "h(it)"),
        later.replace("g(it)", "g(null)"),
        later.replace("Exception it", "Exception /* rare */ it"),
        later.replace("(Number", "(@Rare Number"),
        format!("/* rare */ {later}"),
    ];
    for later in differ {
        assert_eq!(goes(&format!("{first}\n{later}")), Err(words.to_owned()), "{later}");
    }
}

#[test]
fn a_clause_of_another_try_does_not_go() {
    let clauses = "catch (ArithmeticException e) { } try { f(); }\ncatch (NumberFormatException e) { }";
    assert!(goes(clauses).is_err());
    let earlier = "catch (ArithmeticException e) { try { f(); }\ncatch (NumberFormatException e) { } }";
    assert!(goes(earlier).is_err());
}
