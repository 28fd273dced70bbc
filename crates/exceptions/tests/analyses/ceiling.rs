//! Lowered context sensitivity loses no link.

use crate::inclusion::{FILES_AND_LAMBDAS, Names};
use crate::program::{Program, main_of};
use catchment_pointsto::{
    CallGraphKind, Ceiling, Coarsened, Options, Reached, Sensitivity, analyse, analyse_within,
};
use std::cell::Cell;

thread_local! {
    /// How often the memory has been asked for, and how often it is too much from when on.
    static ASKED: Cell<usize> = const { Cell::new(0) };
    static CROWDED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// As if memory ran out, independent of what there is.
fn held() -> usize {
    let asked = ASKED.get();
    ASKED.set(asked + 1);
    let (from, times) = CROWDED.get();
    usize::from(asked >= from && asked < from + times) * 2
}

/// Memory is short when it is asked for the time number `from`, so many times in a row.
fn within(program: &Program, from: usize, times: usize) -> (Reached<'_>, Coarsened) {
    ASKED.set(0);
    CROWDED.set((from, times));
    let options = Options::from(CallGraphKind::Objects(Sensitivity::TwoObjects));
    analyse_within(program, options, Ceiling { bytes: 1, held }, Vec::new(), &[], main_of)
}

#[test]
fn packages_that_take_the_most_are_told_apart_less_and_nothing_is_lost() {
    let program = Program::compile(FILES_AND_LAMBDAS, Vec::new());
    let (coarse, cost) = within(&program, 40, 1);
    assert!(!cost.by_classes && cost.packages.iter().any(|package| package == "java.util"), "{cost:?}");
    assert!(cost.packages.iter().all(|package| !package.is_empty()), "the application comes last: {cost:?}");
    let fine = analyse(&program, Sensitivity::TwoObjects, main_of);
    assert!(coarse.instances.len() < fine.instances.len());
    let mut names = Names::default();
    let (fine, coarse) = (names.facts(fine, None), names.facts(coarse, None));
    names.assert_within(&fine, &coarse);
}

#[test]
fn what_fits_costs_nothing_and_what_never_does_is_looked_at_by_classes() {
    let program = Program::compile("class T { public static void main(String[] a) {} }", Vec::new());
    let (plenty, cost) = within(&program, 0, 0);
    assert_eq!(cost, Coarsened::default());
    let (by_classes, cost) = within(&program, 0, usize::MAX);
    assert!(cost.by_classes && by_classes.stats.nodes == 0 && plenty.stats.nodes > 0);
}
