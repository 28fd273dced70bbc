//! Patches as `git apply` and `patch -p1` read them.

use similar::TextDiff;

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
}
