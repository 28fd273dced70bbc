//! Takes away imports that nothing needs any more.

use crate::Language;
use crate::lines::{BYTE_ORDER_MARK, first_line, is_blank, is_end_of_line};
use crate::scope::imports_of;
use crate::syntax::Source;
use crate::uses::is_used;
use std::collections::BTreeSet;
use std::ops::Range;

/// What an import names, and the name it gives to it.
pub(crate) type Imported = (String, String);

/// The text without those of the imports that are not used.
pub(crate) fn remove(text: &str, language: Language, imports: &BTreeSet<Imported>) -> String {
    let mut left = text.to_owned();
    let Some(source) = Source::parse(text, language) else { return left };
    // From the end, so that the spans still to come stay right.
    for import in imports_of(&source).into_iter().rev() {
        let Some(local) = import.local else { continue };
        if !is_used(&source, &local) && imports.contains(&(import.path, local)) {
            left.replace_range(with_its_line(&left, import.span), "");
        }
    }
    left
}

/// What goes with an import: its line, and one of two blank lines that would meet.
fn with_its_line(text: &str, import: Range<usize>) -> Range<usize> {
    let (before, after) = (&text[..import.start], &text[import.end..]);
    let same_line = before.split('\n').next_back().unwrap_or_default().trim_start_matches(BYTE_ORDER_MARK);
    let is_alone = same_line.trim().is_empty() && is_end_of_line(after);
    if !is_alone {
        let spaces = after.len() - after.trim_start_matches([' ', '\t']).len();
        return import.start..import.end + spaces;
    }
    let start = import.start - same_line.len();
    let end = import.end + first_line(after).len();
    let next = first_line(&text[end..]);
    let previous = text[..start].split_inclusive('\n').next_back().unwrap_or_default();
    let follows_blank = is_blank(previous) || previous.trim_start_matches(BYTE_ORDER_MARK).is_empty();
    start..if follows_blank && is_blank(next) { end + next.len() } else { end }
}
