//! Clauses that throw again what an operation has raised.

use crate::program::Program;
use catchment_exceptions::LinksAnswer;

const PROGRAM: &str = r#"
    import java.io.*; import java.net.*;
    class Late extends Exception { }
    class T {
        static int read(FileInputStream in) throws IOException {
            try { return in.read(); } catch (IOException e) { in.close(); throw e; }
        }
        static int readTwice(FileInputStream in) throws IOException {
            try { return read(in); } catch (EOFException e) { throw e; }
        }
        static int readInTime(FileInputStream in) throws Exception {
            try { return read(in) + wasLate(); } catch (EOFException | Late e) { throw e; }
        }
        static int wasLate() throws Late {
            return 0;
        }
        public static void main(String[] args) throws Exception {
            FileInputStream in = new FileInputStream(args[0]);
            try { read(in); } catch (EOFException e) { }
            try { readTwice(in); } catch (EOFException e) { }
            try { readTwice(in); } catch (FileNotFoundException e) { }
            try { readInTime(in); } catch (Late e) { }
        }
    }"#;

fn answer(analysis: &str) -> LinksAnswer {
    let program = Program::compile(PROGRAM, Vec::new());
    let request = program.request(analysis, &["DSK_READ"]);
    program.search(&request).expect("a program").answer()
}

/// The throws of the program that come to clauses, with the types that these catch: by method.
fn links(answer: &LinksAnswer) -> Vec<String> {
    let ends = answer.links.iter().map(|link| (&answer.points[link.from].site, &answer.pairs[link.to].pair));
    let own = ends.filter(|(from, _)| from.class == "T");
    let mut links: Vec<String> =
        own.map(|(from, to)| format!("{} -> {} {}", from.method, to.method, to.types.join("|"))).collect();
    links.sort();
    links
}

#[test]
fn they_may_throw_any_class_below_what_the_operation_raises_and_the_clause_catches() {
    let expected = [
        "read -> main java.io.EOFException",
        "read -> main java.io.EOFException",
        "read -> main java.io.FileNotFoundException",
        "read -> readInTime java.io.EOFException|Late",
        "read -> readTwice java.io.EOFException",
        "readTwice -> main java.io.EOFException",
    ];
    for analysis in ["pta", "inpta", "2obj"] {
        assert_eq!(links(&answer(analysis)), expected, "{analysis}");
    }
}

#[test]
fn by_classes_alone_they_throw_all_that_the_clause_catches() {
    let all = links(&answer("rta"));
    let of_the_other_class = "readInTime -> main Late";
    assert!(all.iter().any(|link| link == of_the_other_class), "{all:?}");
}
