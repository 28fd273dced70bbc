//! Why verdicts are unknown, every reason once.

use crate::text::readable;
use catchment_verdicts::{CheckedPair, CheckedTest, Unknown, Verdicts, explain};
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Number of tests that are named for one reason; `--json` has all experiments.
const TESTS_NAMED: usize = 5;

/// One sentence with the tests it holds for.
struct Reason<'a> {
    /// About the first of the tests.
    text: String,
    /// The text without the test's name: equal for tests with one reason.
    key: String,
    others: Vec<&'a str>,
}

/// A line per reason, marked with its contract where it concerns only one of two that are unknown.
pub(crate) fn write_reasons(
    out: &mut dyn Write,
    pair: &CheckedPair,
    verdicts: &Verdicts,
    tests: &[CheckedTest],
) -> io::Result<()> {
    let source = reasons(verdicts.open_reasons(), pair, tests);
    let resilience = reasons(&verdicts.pure_resilience.unknown, pair, tests);
    if source.is_empty() || resilience.is_empty() {
        return source.iter().chain(&resilience).try_for_each(|reason| write_reason(out, "", reason));
    }
    let in_both = common(&source, &resilience);
    let is_common = |reason: &&Reason<'_>| in_both.contains(&reason.text);
    for reason in source.iter().filter(is_common) {
        write_reason(out, "", reason)?;
    }
    for (contract, reasons) in [("source independence: ", &source), ("pure resilience: ", &resilience)] {
        for reason in reasons.iter().filter(|reason| !is_common(reason)) {
            write_reason(out, contract, reason)?;
        }
    }
    Ok(())
}

fn common(one: &[Reason<'_>], other: &[Reason<'_>]) -> BTreeSet<String> {
    let is_same = |a: &Reason<'_>, b: &Reason<'_>| a.text == b.text && a.others == b.others;
    let shared = one.iter().filter(|reason| other.iter().any(|each| is_same(reason, each)));
    shared.map(|reason| reason.text.clone()).collect()
}

fn reasons<'a, 'u>(
    unknown: impl IntoIterator<Item = &'u Unknown>,
    pair: &CheckedPair,
    tests: &'a [CheckedTest],
) -> Vec<Reason<'a>> {
    let mut reasons: Vec<Reason<'a>> = Vec::new();
    for reason in unknown {
        let Some(text) = explain(reason, pair, tests) else { continue };
        let test = test_of(reason, pair, tests);
        let key = without_test(&text, test);
        match reasons.iter_mut().find(|known| known.key == key) {
            Some(known) => known.others.extend(test.filter(|_| known.text != text)),
            None => reasons.push(Reason { text, key, others: Vec::new() }),
        }
    }
    for reason in &mut reasons {
        // A test of a multi-catch has several experiments.
        let mut seen = BTreeSet::new();
        reason.others.retain(|test| seen.insert(*test));
    }
    reasons
}

fn test_of<'a>(reason: &Unknown, pair: &CheckedPair, tests: &'a [CheckedTest]) -> Option<&'a str> {
    let test = reason.test(pair).and_then(|test| tests.get(test.index()));
    test.map(|test| test.name.as_str())
}

/// A reason without the test's name: equal for all tests that it holds for.
fn without_test(text: &str, test: Option<&str>) -> String {
    test.map_or_else(|| text.to_owned(), |name| text.replace(&format!("test {name} "), "test "))
}

/// The reason that most of these pairs have, as it is said of the first of them, and how many have it. Numbers in it
/// may be others.
pub(crate) fn commonest<'a>(
    unknown: impl Iterator<Item = (&'a CheckedPair, &'a [Unknown])>,
    tests: &[CheckedTest],
) -> Option<(String, usize)> {
    let mut known: Vec<(String, String, usize)> = Vec::new();
    for (pair, reasons) in unknown {
        let mut seen = BTreeSet::new();
        for reason in reasons {
            let Some(text) = explain(reason, pair, tests) else { continue };
            let key =
                without_test(&text, test_of(reason, pair, tests)).replace(|c: char| c.is_ascii_digit(), "");
            if !seen.insert(key.clone()) {
                continue;
            }
            match known.iter_mut().find(|(each, ..)| *each == key) {
                Some((_, _, count)) => *count += 1,
                None => known.push((key, text, 1)),
            }
        }
    }
    let most = known.iter().map(|(_, _, count)| *count).max()?;
    known.into_iter().find(|(_, _, count)| *count == most).map(|(_, text, count)| (text, count))
}

fn write_reason(out: &mut dyn Write, contract: &str, reason: &Reason<'_>) -> io::Result<()> {
    writeln!(out, "    {contract}{}", readable(&reason.text))?;
    if reason.others.is_empty() {
        return Ok(());
    }
    let named: Vec<&str> = reason.others.iter().take(TESTS_NAMED).copied().collect();
    match reason.others.len() - named.len() {
        0 => writeln!(out, "      so too: {}", named.join(", ")),
        more => writeln!(out, "      so too: {} and {more} more", named.join(", ")),
    }
}
