//! Markdown for pull requests.

use crate::golden::compare;
use crate::sample::{project, suppressions};
use catchment_report::{CheckReport, MarkdownOptions, write_check_markdown};
use catchment_verdicts::{CheckedProject, FindingPolicy, Outcome};

fn written(project: &CheckedProject, options: MarkdownOptions<'_>) -> String {
    let policy = FindingPolicy { suppressions: &suppressions(), strict: false };
    let mut out = Vec::new();
    write_check_markdown(&mut out, &CheckReport::new(project, policy), options).expect("memory takes it");
    String::from_utf8(out).expect("text")
}

const LINKED: MarkdownOptions<'_> = MarkdownOptions { sources: Some("https://example.org/acme/blob/1f2e/") };

fn rows(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| --- |") && !line.starts_with("| | "))
        .collect()
}

#[test]
fn the_whole_text() {
    compare("check.md", written(&project(), LINKED).as_bytes());
}

#[test]
fn without_an_address_places_are_no_links() {
    let text = written(&project(), MarkdownOptions::default());
    assert!(!text.contains("]("), "{text}");
    assert!(text.contains("`core/src/main/java/com/acme/Cache.java:13`"), "{text}");
}

#[test]
fn nothing_found_is_said() {
    let text = written(&CheckedProject::default(), LINKED);
    assert!(text.starts_with("### Catchment: no findings\n") && rows(&text).is_empty(), "{text}");
}

#[test]
fn twenty_rows_and_the_number_of_the_others() {
    let mut project = project();
    let first = project.pairs[0].clone();
    project.pairs = vec![first; 33];
    for (number, pair) in project.pairs.iter_mut().enumerate() {
        pair.clause.id = number.to_string();
    }
    let text = written(&project, LINKED);
    assert_eq!(rows(&text).len(), 20);
    assert!(text.starts_with("### Catchment: 33 findings\n") && text.contains("\nand 13 more\n"), "{text}");
}

#[test]
fn whatever_tests_and_names_say_a_row_is_a_row_and_notifies_nobody() {
    let mut project = project();
    let nasty = "|\n| x | `` ` @octocat #1 \\| <script>\u{1b}";
    project.tests[0].name = format!("com.acme.CacheTest.{nasty}");
    let pair = &mut project.pairs[0];
    pair.clause.method = nasty.into();
    pair.relies_on[0].what = nasty.into();
    let Outcome::Fail(failure) = &mut pair.experiments[4].outcome else { unreachable!() };
    failure.text = nasty.replace('\n', " ");
    let text = written(&project, LINKED);
    assert_eq!(rows(&text).len(), 5, "{text}");
    let first = rows(&text)[0];
    assert_eq!(first.matches('|').count(), 5, "{first}");
    for markup in ["@", " #1", "<script", "\u{1b}"] {
        assert!(!first.contains(markup), "{markup} in {first}");
    }
}

#[test]
fn however_much_is_said_a_comment_has_room_for_it() {
    let mut project = project();
    let pair = &mut project.pairs[0];
    pair.clause.method = "@".repeat(100_000);
    pair.relies_on[0].what = "#".repeat(100_000);
    project.tests[0].name = "|".repeat(100_000);
    let first = project.pairs[0].clone();
    project.pairs = vec![first; 20];
    for (number, pair) in project.pairs.iter_mut().enumerate() {
        pair.clause.id = number.to_string();
    }
    let text = written(&project, LINKED);
    let shown = rows(&text).len();
    assert!(text.len() < 65_536 && shown > 0 && shown < 20, "{} bytes, {shown} rows", text.len());
    assert!(text.contains(&format!("\nand {} more\n", 20 - shown)));
}
