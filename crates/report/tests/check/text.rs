//! The terminal.

use crate::golden::compare;
use crate::sample::{project, suppressions};
use catchment_report::{CheckDetail, CheckReport, write_check_text, write_plan_text, write_stats_text};
use catchment_verdicts::{CheckedProject, Failure, Outcome};

fn text(project: &CheckedProject, detail: CheckDetail) -> String {
    let suppressions = suppressions();
    let mut out = Vec::new();
    write_check_text(&mut out, &CheckReport::new(project, &suppressions), detail).expect("memory takes it");
    String::from_utf8(out).expect("text")
}

#[test]
fn the_short_report() {
    compare("short.txt", text(&project(), CheckDetail::Short).as_bytes());
}

#[test]
fn the_report_of_everything() {
    compare("all.txt", text(&project(), CheckDetail::All).as_bytes());
}

#[test]
fn what_it_took() {
    let mut out = Vec::new();
    write_stats_text(&mut out, &project().stats).unwrap();
    compare("stats.txt", &out);
}

#[test]
fn what_would_be_done() {
    let mut out = Vec::new();
    write_plan_text(&mut out, &project()).unwrap();
    compare("plan.txt", &out);
}

#[test]
fn only_the_first_findings_are_shown_unless_all_are_asked_for() {
    let mut project = project();
    let many: Vec<_> = (0..30)
        .map(|number| catchment_verdicts::CheckedPair { id: number.to_string(), ..project.pairs[0].clone() })
        .collect();
    project.pairs = many;
    let short = text(&project, CheckDetail::Short);
    assert!(short.starts_with("The first 10 of 30 findings\n"), "{short}");
    assert!(short.contains("\n10. ") && !short.contains("\n11. "));
    assert!(text(&project, CheckDetail::All).contains("\n30. "));
}

#[test]
fn nothing_found_is_said() {
    let project = CheckedProject { pairs: Vec::new(), ..project() };
    assert!(text(&project, CheckDetail::Short).starts_with("No findings.\n"));
}

#[test]
fn a_failure_is_one_line_of_bounded_length() {
    let mut project = project();
    let text_of_failure = format!("ä{}\nsecond line", "x".repeat(5000));
    let Outcome::Fail(failure) = &mut project.pairs[0].experiments[0].outcome else { unreachable!() };
    *failure = Failure { text: text_of_failure, ..failure.clone() };
    let short = text(&project, CheckDetail::Short);
    assert!(!short.contains("second line"));
    assert!(short.lines().all(|line| line.chars().count() < 250), "{short}");
    assert!(short.contains("xxx...\n"));
}
