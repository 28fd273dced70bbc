//! Failures of tests in one line of bounded length, in which both what was expected and what came can be read.

use crate::text::readable;

/// No part is longer, in characters: messages of assertions can be whole documents.
const LONGEST_PART: usize = 200;
/// Length of the end that a longer part keeps. The end of the last part says where the test failed.
const END_KEPT: usize = 80;
/// Words between the two values in messages of assertions.
const BETWEEN_VALUES: [&str; 6] =
    [" but was", " but found", " but: ", ", actual", " to be equal to", " Actual invocation"];

/// Beginning and end, of each of the two values if it is about two.
pub(crate) fn shortened(text: &str) -> String {
    let line = readable(text.lines().next().unwrap_or_default());
    if line.chars().count() <= LONGEST_PART {
        return line;
    }
    let between = BETWEEN_VALUES.iter().filter_map(|each| line.find(each)).min();
    match between {
        Some(at) => format!("{}{}", part(&line[..at]), part(&line[at..])),
        None => part(&line),
    }
}

fn part(text: &str) -> String {
    let length = text.chars().count();
    if length <= LONGEST_PART {
        return text.to_owned();
    }
    let begin: String = text.chars().take(LONGEST_PART - END_KEPT).collect();
    let end: String = text.chars().skip(length - END_KEPT).collect();
    format!("{begin} ... {end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_failures_stay_as_they_are() {
        let text = "a.E: expected: <3> but was: <0> at a.BTest.c:4";
        assert_eq!(shortened(text), text);
    }

    #[test]
    fn both_values_keep_their_beginning_and_end_however_long_they_are() {
        let (wanted, found) = ("w".repeat(5000), "ü".repeat(700));
        let text = format!("a.E: Bill ==> expected: <[{wanted}]> but was: <({found})> at a.BTest.c:4");
        let line = shortened(&text);
        for kept in ["a.E: Bill ==> expected: <[ww", "ww]> but was: <(üü", "üü)> at a.BTest.c:4"] {
            assert!(line.contains(kept), "{kept} in {line}");
        }
        assert!(line.chars().count() < 450, "{line}");
    }

    #[test]
    fn one_short_value_stays_whole_beside_a_long_one() {
        let line = shortened(&format!("a.E: expected [true] but found [{}] at a.BTest.c:4", "x".repeat(900)));
        assert!(line.starts_with("a.E: expected [true] but found [xx"), "{line}");
        assert!(line.ends_with("xx] at a.BTest.c:4"), "{line}");
    }

    #[test]
    fn other_long_failures_keep_their_beginning_and_end() {
        let line = shortened(&format!("a.E: {} at a.BTest.c:4", "y".repeat(900)));
        assert!(line.starts_with("a.E: yy") && line.ends_with("yy at a.BTest.c:4"), "{line}");
        assert_eq!(line.chars().count(), LONGEST_PART + 5);
    }
}
