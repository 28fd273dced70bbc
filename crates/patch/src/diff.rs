//! Patches as `git apply` and `patch -p1` read them.

use similar::{DiffOp, TextDiff};

/// The change of one file; empty when there is none. Lines end at newlines only, so carriage returns are kept as part
/// of their lines.
pub fn unified_diff(path: &str, before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let diff = TextDiff::configure().newline_terminated(true).diff_slices(&old, &new);
    // As git does it: the tab ends a name that has spaces in it.
    let end = if path.contains(' ') { "\t" } else { "" };
    diff.unified_diff().header(&format!("a/{path}{end}"), &format!("b/{path}{end}")).to_string()
}

/// The line of `before` at which a line of `after` stands; a new line stands where the change begins. Lines count
/// from 1.
pub fn line_before(before: &str, after: &str, line: u32) -> u32 {
    let diff = TextDiff::from_lines(before, after);
    let index = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
    let is_there = |op: &&DiffOp| op.new_range().contains(&index);
    let Some(op) = diff.ops().iter().find(is_there) else { return line };
    let into = (index - op.new_range().start).min(op.old_range().len().saturating_sub(1));
    u32::try_from(op.old_range().start + into + 1).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_three_lines_around_are_told() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let expected = "--- a/x/A.java\n+++ b/x/A.java\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(unified_diff("x/A.java", before, &before.replace('5', "five")), expected);
    }

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(unified_diff("A.java", "a\n", "a\n"), "");
    }

    #[test]
    fn a_missing_newline_at_the_end_is_told() {
        let expected = "--- a/A\n+++ b/A\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n\\ No newline at end of file\n";
        assert_eq!(unified_diff("A", "a\nc", "b\nc"), expected);
    }

    #[test]
    fn carriage_returns_belong_to_their_lines() {
        let expected = "--- a/A\n+++ b/A\n@@ -1,2 +1,2 @@\n-a\rb\r\n+a\rc\r\n d\r\n";
        assert_eq!(unified_diff("A", "a\rb\r\nd\r\n", "a\rc\r\nd\r\n"), expected);
    }

    #[test]
    fn lines_of_a_patched_text_are_found_in_the_old_one() {
        let before = "a\nb\nc\nd\ne\n";
        let after = "new\na\nB\ne\n";
        let found: Vec<_> = (1..=5).map(|line| line_before(before, after, line)).collect();
        assert_eq!(found, [1, 1, 2, 5, 5]);
    }
}
