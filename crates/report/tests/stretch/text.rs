//! The text for people.

use crate::golden::compare;
use crate::sample::{only, patched, stretched};
use catchment_lab::{Refusal, Stretched, StretchedClause};
use catchment_report::{write_stretch_diff, write_stretch_text};

fn text(stretched: &Stretched, is_applied: bool) -> String {
    let mut out = Vec::new();
    write_stretch_text(&mut out, stretched, is_applied).expect("memory takes it");
    String::from_utf8(out).expect("a report is text")
}

#[test]
fn every_end_of_a_clause_has_its_words() {
    compare("all.txt", text(&stretched(), false).as_bytes());
}

#[test]
fn the_patch_is_announced_as_what_it_is() {
    let last = |is_applied| text(&patched(), is_applied).lines().last().expect("a line").to_owned();
    let tested = "with it the project's own build compiles and 12 tests pass.";
    assert_eq!(last(false), format!("The patch of 1 file can be applied: {tested}"));
    assert_eq!(last(true), format!("The patch of 1 file is in the sources now: {tested}"));
}

#[test]
fn the_patch_is_a_diff_with_names_below_the_project() {
    let mut out = Vec::new();
    write_stretch_diff(&mut out, &patched()).expect("memory takes it");
    assert_eq!(
        String::from_utf8(out).expect("text"),
        "--- a/src/main/java/com/acme/Cache.java\n+++ b/src/main/java/com/acme/Cache.java\n@@ -1,3 +1,3 @@\n try {\n\
         -} catch (EOFException e) {\n+} catch (IOException e) {\n }\n"
    );
    let mut out = Vec::new();
    write_stretch_diff(&mut out, &stretched()).expect("memory takes it");
    assert!(out.is_empty(), "nothing to apply is an empty patch");
}

#[test]
fn nothing_found_and_nothing_finished_are_said() {
    let none = text(&only(|_| false), false);
    assert_eq!(none, "No catch clause is source-independent or purely resilient: nothing to stretch.\n");
    let all = "catch clauses are source-independent or purely resilient";
    let is_late = |clause: &StretchedClause| matches!(clause.refused[0].1, Refusal::OutOfTime);
    let refused = text(&only(|clause| clause.accepted.is_none() && !is_late(clause)), false);
    assert!(refused.starts_with(&format!("24 {all}; none can catch more.\n")), "{refused}");
    let late = text(&only(|clause| clause.accepted.is_none()), false);
    assert!(late.starts_with(&format!("25 {all}; 1 of them not tried: the budget was used up.\n")), "{late}");
    let class_path = text(&Stretched { can_patch: false, ..stretched() }, false);
    assert!(
        class_path.ends_with("\nThe whole suite passes with all of them, on bytecode.\n"),
        "{class_path}"
    );
    let unfinished = Stretched { together: false, ..stretched() };
    let unfinished = text(&unfinished, false);
    assert!(unfinished.ends_with("\nThe budget was used up before all of them were tried together.\n"));
}

#[test]
fn a_long_name_of_a_test_takes_nothing_from_its_failure() {
    let mut stretched = only(|clause| clause.accepted.is_none());
    let name = format!("com.acme.CacheTest.{}", "longName".repeat(25));
    name.clone_into(&mut stretched.checked.tests[0].name);
    let failure = "java.lang.AssertionError: expected 1 but was 2";
    assert!(text(&stretched, false).contains(&format!("{name} fails when it is thrown: {failure}\n")));
}
