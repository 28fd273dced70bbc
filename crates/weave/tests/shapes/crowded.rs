//! Machine-made methods with thousands of handlers are read or refused, not brooded over.
//!
//! There is no clock here: with cubic work these tests would not end in any reasonable time.

use crate::builder::build;
use catchment_classfile::opcodes::{ATHROW, NOP, RETURN};
use catchment_weave::{ProbeKinds, prepare};

const HANDLERS: usize = 4_000;

/// `nop`s, then one `athrow` per handler. `row` gives the range and catch type of each.
fn class(row: impl Fn(usize) -> (usize, usize, usize)) -> Vec<u8> {
    let mut code = vec![NOP; HANDLERS];
    code.push(RETURN);
    code.extend(vec![ATHROW; HANDLERS]);
    let rows = (0..HANDLERS).map(|index| {
        let (start, end, catch_type) = row(index);
        [start, end, HANDLERS + 1 + index, catch_type]
    });
    build(&code, &rows.collect::<Vec<_>>())
}

fn problems(class: &[u8]) -> Vec<String> {
    let prepared = prepare(class, ProbeKinds::USAGE).expect("the structure is fine");
    let skipped = prepared.weave(0).skipped;
    let problems = prepared.problems().iter().map(|problem| problem.what.clone());
    problems.chain(skipped.into_iter().map(|method| method.reason)).collect()
}

#[test]
fn nested_ranges() {
    let what = problems(&class(|index| (0, index + 1, 4)));
    assert_eq!(what, ["malformed Code attribute: over 2000 catch clauses"]);
}

#[test]
fn catch_alls_between_typed_ones() {
    assert_eq!(problems(&class(|index| (index, index + 1, 4 * (index % 2)))), Vec::<String>::new());
}

#[test]
fn tries_under_many_outer_rows() {
    let row = |index: usize| if index < 1_000 { (index, index + 1, 4) } else { (0, HANDLERS, 0) };
    assert_eq!(problems(&class(row)), ["it would pass the limit of 65,535 bytes"]);
}
