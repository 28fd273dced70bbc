//! Ids of pairs survive what does not change the clause, and change with what does.

use catchment_classfile::ClassFile;
use catchment_pairs::{ClassPairs, pairs_of};
use catchment_testkit::compilers::javac;
use std::fs;

const SOURCE: &str = "
class Ids {
    int parse(String text, int fallback) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            System.out.println(text + e.getMessage());
            return fallback;
        }
    }
}
";

fn pairs(source: &str, release: u32, options: &[&str]) -> ClassPairs {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("Ids.java");
    fs::write(&file, source).expect("written");
    let classes = javac(17, release, options, &[file]).expect("compiles");
    let bytes = fs::read(classes.join("Ids.class")).expect("a class");
    pairs_of(&ClassFile::parse(&bytes).expect("readable"))
}

fn ids(source: &str) -> Vec<String> {
    pairs(source, 17, &["-g"]).pairs.into_iter().map(|pair| pair.id).collect()
}

#[test]
fn an_id_names_class_method_try_clause_and_types() {
    let ids = ids(SOURCE);
    let [id] = &ids[..] else { panic!("one pair, not {ids:?}") };
    assert!(id.starts_with("Ids.parse(Ljava/lang/String;I)I#0.0:java.lang.NumberFormatException@"), "{id}");
}

#[test]
fn moving_lines_does_not_change_it() {
    let moved = SOURCE
        .replace("class Ids", "\n\n/* a comment */\nclass Ids")
        .replace("return fallback;", "\n\nreturn fallback;");
    assert_eq!(ids(&moved), ids(SOURCE));
}

#[test]
fn debug_information_does_not_change_it() {
    let bare = pairs(SOURCE, 17, &["-g:none"]);
    assert_eq!(bare.pairs[0].id, ids(SOURCE)[0]);
    assert_eq!((bare.pairs[0].try_line, bare.pairs[0].catch_line), (None, None));
}

#[test]
fn other_local_slots_and_constant_pool_indices_do_not_change_it() {
    let more = SOURCE.replace(
        "        try {",
        "        long before = System.nanoTime(); System.out.println(before);\n        try {",
    );
    assert_eq!(ids(&more), ids(SOURCE));
}

#[test]
fn another_handler_has_another_id() {
    let changed = SOURCE.replace("return fallback;", "return -fallback;");
    assert_ne!(ids(&changed), ids(SOURCE));
    let other_call = SOURCE.replace("e.getMessage()", "e.getCause()");
    assert_ne!(ids(&other_call), ids(SOURCE));
}

#[test]
fn code_behind_the_catch_does_not_change_it() {
    let source = "
class Ids {
    int parse(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            System.out.println(text + e.getMessage());
        }
        return REST;
    }
}
";
    assert_eq!(ids(&source.replace("REST", "1")), ids(&source.replace("REST", "text.length() + 7")));
}

#[test]
fn copies_with_an_abrupt_body_are_one_pair() {
    let source = "
class Ids {
    static int n;
    void run(boolean early) {
        try {
            if (early) { return; }
            n--;
        } finally {
            try { throw new IllegalStateException(); } catch (IllegalStateException e) { n++; }
        }
    }
}
";
    let found = pairs(source, 17, &["-g"]);
    assert_eq!((found.pairs.len(), found.tries.len()), (1, 3));
}

#[test]
fn copies_without_lines_stay_apart_and_are_marked() {
    let source = "
class Ids {
    void close(AutoCloseable it, boolean early) throws Exception {
        try {
            if (early) { return; }
            it.hashCode();
        } finally {
            try { it.close(); } catch (java.io.IOException e) { System.out.println(e); }
        }
    }
}
";
    let lines = pairs(source, 17, &["-g"]);
    assert_eq!((lines.pairs.len(), lines.tries.len()), (1, 3));
    assert!(!lines.pairs[0].maybe_copy);
    let bare = pairs(source, 17, &["-g:none"]);
    assert_eq!((bare.pairs.len(), bare.tries.len()), (3, 3));
    let marks: Vec<bool> = bare.pairs.iter().map(|pair| pair.maybe_copy).collect();
    assert_eq!(marks, [false, true, true]);
}
