//! What callers of a library hand to its public methods.

use crate::program::Program;
use catchment_exceptions::{BlindSpot, EntryKind, EntryPoints, LinksAnswer, SearchRequest};
use std::collections::BTreeSet;

const LIBRARY: &str = r#"
    import java.io.*;
    interface Step { void run() throws Failed; }
    class Failed extends Exception { }
    interface Nobody { void call() throws Failed; }
    class T {
        private static class Failing implements Step {
            public void run() throws Failed { throw new Failed(); }
        }
        public static Step failing() { return new Failing(); }
        public static void one(Step step) {
            try { step.run(); } catch (Failed e) { }
        }
        public static void many(Step[] steps) {
            try { steps[0].run(); } catch (Failed e) { }
        }
        public static void read(InputStream in) {
            try { in.read(); } catch (IOException e) { }
        }
        public static void again(Exception e) {
            try { throw e; } catch (Exception any) { }
        }
        public static void nobody(Nobody nobody) {
            try { nobody.call(); } catch (Failed e) { }
        }
    }"#;

fn answer(analysis: &str) -> LinksAnswer {
    let source = LIBRARY.replace("class T", "public class T");
    let program = Program::compile(&source, Vec::new());
    let request = SearchRequest {
        entries: EntryPoints { named: Vec::new(), kinds: vec![EntryKind::Api] },
        ..program.request(analysis, &["DSK_READ"])
    };
    program.search(&request).expect("a library").answer()
}

/// The methods whose clauses have links.
fn linked(answer: &LinksAnswer) -> BTreeSet<&str> {
    answer.links.iter().map(|link| answer.pairs[link.to].pair.method.as_str()).collect()
}

#[test]
fn parameters_hold_whatever_is_made_and_fits() {
    for analysis in ["cha", "rta", "pta", "inpta", "2obj", "inpta+dr", "inpta+vdr"] {
        let answer = answer(analysis);
        let expected = BTreeSet::from(["again", "many", "one", "read"]);
        assert_eq!(linked(&answer), expected, "{analysis}");
    }
}

#[test]
fn a_parameter_that_nothing_fits_is_a_blind_spot() {
    let answer = answer("inpta");
    let spots = answer.blind_spots.iter().filter(|it| it.spot == BlindSpot::Parameter);
    let methods: Vec<&str> = spots.map(|it| it.site.method.as_str()).collect();
    assert_eq!(methods, ["nobody"]);
}
