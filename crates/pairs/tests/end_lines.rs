//! First and last lines of tries and clauses, worked out from the sources by hand. Line 1 of a source is its first.

use catchment_classfile::ClassFile;
use catchment_pairs::pairs_of;
use catchment_testkit::compilers::{Compiler, Job, javac};
use std::fs;
use std::path::Path;

/// Per pair the first and last line of the try and of the clause.
type Lines = [Option<u32>; 4];

fn lines_with(source: &str, options: &[&str]) -> Vec<Lines> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("Lines.java");
    fs::write(&file, source).expect("written");
    let classes = javac(17, 17, options, &[file]).expect("compiles");
    lines_of(&classes.join("Lines.class"))
}

fn lines_of(class: &Path) -> Vec<Lines> {
    let bytes = fs::read(class).expect("a class");
    let pairs = pairs_of(&ClassFile::parse(&bytes).expect("readable")).pairs;
    let lines = pairs.iter();
    lines.map(|pair| [pair.try_line, pair.try_end_line, pair.catch_line, pair.catch_end_line]).collect()
}

fn lines(source: &str) -> Vec<[u32; 4]> {
    let found = lines_with(source, &["-g"]);
    found.into_iter().map(|pair| pair.map(|line| line.expect("a line"))).collect()
}

#[test]
fn the_last_line_is_that_of_the_last_statement() {
    let source = "class Lines {
    static int n;
    void run() {
        try {
            n = 1;
            hashCode();
        } catch (IllegalStateException e) {
            n = 2;

            n = 3;
        }
        n = 4;
    }
}";
    assert_eq!(lines(source), [[5, 6, 7, 10]]);
}

#[test]
fn a_try_on_one_line_has_one_line() {
    let source = "class Lines {
    void run() {
        try { hashCode(); } catch (IllegalStateException e) { toString(); } finally { wait0(); }
    }
    void wait0() { }
}";
    assert_eq!(lines(source), [[3, 3, 3, 3]]);
}

#[test]
fn an_outer_try_ends_behind_the_clause_of_an_inner_one() {
    let source = "class Lines {
    void run() {
        try {
            hashCode();
            try {
                toString();
            } catch (IllegalStateException e) {
                notify();
            }
        } catch (IllegalArgumentException e) {
            try {
                notifyAll();
            } catch (NullPointerException inner) {
                getClass();
            }
        }
    }
}";
    // The jump behind an inner try has the line of its last brace.
    assert_eq!(lines(source), [[4, 9, 10, 15], [6, 6, 7, 8], [12, 12, 13, 14]]);
}

#[test]
fn a_finally_belongs_to_neither_try_nor_clause() {
    let source = "class Lines {
    static int n;
    int run(boolean early) {
        try {
            if (early) return hashCode();
            n = 1;
        } catch (IllegalStateException e) {
            n = 2;
            if (early)
                return 3;
        } catch (IllegalArgumentException e) {
            return 4;
        } finally {
            n = 5;
            n = 6;
        }
        return 7;
    }
}";
    assert_eq!(lines(source), [[5, 6, 7, 10], [5, 6, 11, 12]]);
}

#[test]
fn a_finally_inside_a_clause_belongs_to_it() {
    let source = "class Lines {
    static int n;
    void run() {
        try {
            n = 1;
        } catch (IllegalStateException e) {
            try {
                n = 2;
            } finally {
                n = 3;
            }
        }
    }
}";
    // The jump over the handler of the inner try has the line of its last brace.
    assert_eq!(lines(source), [[5, 5, 6, 11]]);
}

#[test]
fn an_empty_return_in_a_clause_counts_and_the_finally_around_it_does_not() {
    let source = "class Lines {
    static int n;
    void run() {
        try {
            n = 1;
        } catch (IllegalStateException e) {
            n = 2;
            return;
        } finally {
            n = 3;
        }
        n = 4;
    }
}";
    assert_eq!(lines(source), [[5, 5, 6, 8]]);
}

#[test]
fn code_behind_the_try_is_not_of_the_clause_that_alone_leads_to_it() {
    let source = "class Lines {
    static int n;
    int run() {
        try {
            return hashCode();
        } catch (IllegalStateException e) {
            n = 1;
        }
        n = 2;
        return n;
    }
}";
    assert_eq!(lines(source), [[5, 5, 6, 7]]);
}

#[test]
fn a_clause_at_the_end_of_its_method_ends_before_the_brace() {
    let source = "class Lines {
    static int n;
    void run() {
        try {
            n = 1;
        } catch (IllegalStateException e) {
            n = 2;
        }
    }
    void empty() {
        try {
            n = 1;
        } catch (IllegalStateException e) {
        }
    }
}";
    assert_eq!(lines(source), [[5, 5, 6, 7], [12, 12, 13, 13]]);
}

#[test]
fn a_loop_ends_with_its_last_line() {
    let source = "class Lines {
    static int n;
    void run() {
        try {
            for (int i = 0;
                 i < n;
                 i++) {
                hashCode();
            }
        } catch (IllegalStateException e) {
            while (n > 0) {
                n--;
            }
        }
    }
}";
    assert_eq!(lines(source), [[5, 8, 10, 12]]);
}

/// Code of an inline function of the same file has lines of its own there, which are not those of the try around it.
/// Tries of kotlinc begin with an instruction for the `try` itself.
#[test]
fn inlined_code_does_not_move_the_end() {
    let source = "class Box(var n: Int)
fun run(box: Box): Int {
    try {
        box.n = 1
        twice { box.n++ }
    } catch (e: IllegalStateException) {
        twice {
            box.n--
        }
        listOf(1).forEach { box.n = it }
    }
    return box.n
}
inline fun twice(what: () -> Unit) {
    try {
        what()
        what()
    } catch (e: IllegalArgumentException) {
        println(e)
    }
}
";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("Lines.kt");
    fs::write(&file, source).expect("written");
    let job = Job { sources: vec![file], ..Job::default() };
    let classes = Compiler::Kotlinc2.compile(&job).expect("compiles");
    let mut found = lines_of(&classes.join("LinesKt.class"));
    found.retain(|pair| pair[2] == Some(6));
    assert_eq!(found, [[Some(3), Some(5), Some(6), Some(10)]]);
    let inlined = lines_of(&classes.join("LinesKt.class"));
    assert!(inlined.contains(&[Some(15), Some(17), Some(18), Some(19)]), "{inlined:?}");
}

#[test]
fn without_lines_there_is_none() {
    let source = "class Lines {
    void run() {
        try { hashCode(); } catch (IllegalStateException e) { toString(); }
    }
}";
    assert_eq!(lines_with(source, &["-g:none"]), [[None; 4]]);
}
