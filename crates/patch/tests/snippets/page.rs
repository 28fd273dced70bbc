//! The snippets: Markdown pages with a source, the widenings, and the source they should give.

use catchment_patch::{Language, Widening};
use std::fs;
use std::path::Path;

/// One section of a page.
#[derive(Debug, Clone)]
pub(crate) struct Snippet {
    pub(crate) title: String,
    pub(crate) language: Language,
    pub(crate) widenings: Vec<Widening>,
    pub(crate) before: String,
    pub(crate) after: String,
    /// A compiler understands the result without other classes.
    pub(crate) compiles: bool,
}

pub(crate) fn snippets() -> Vec<Snippet> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snippets");
    let pages = ["clauses", "names", "imports", "kotlin"];
    let read = |page: &&str| fs::read_to_string(folder.join(page).with_extension("md")).expect("a page");
    let sections = |page: String| page.split("\n## ").skip(1).map(snippet).collect::<Vec<_>>();
    pages.iter().map(read).flat_map(sections).collect()
}

fn snippet(section: &str) -> Snippet {
    let blocks: Vec<&str> = section.split("```").skip(1).step_by(2).collect();
    assert_eq!(blocks.len(), 2, "{section}");
    let (kind, before) = blocks[0].split_once('\n').expect("a source");
    let (marks, after) = blocks[1].split_once('\n').expect("a source");
    let items = section.lines().filter_map(|line| line.strip_prefix("- "));
    Snippet {
        title: section.lines().next().expect("a title").to_owned(),
        language: if kind == "java" { Language::Java } else { Language::Kotlin },
        widenings: items.map(|item| listed(before, item)).collect(),
        before: before.to_owned(),
        after: after.to_owned(),
        compiles: marks.ends_with("compiles"),
    }
}

/// `` `catch (A`: a.A | a.B -> a.C `` is the clause on the line that holds `catch (A`.
fn listed(source: &str, item: &str) -> Widening {
    let (at, types) = item.split_once("`: ").expect("a place");
    let (from, to) = types.split_once(" -> ").expect("types");
    let line = source.lines().take_while(|line| !line.contains(at.trim_start_matches('`'))).count() + 1;
    assert!(line <= source.lines().count(), "{at} is not in the source");
    Widening {
        line: u32::try_from(line).expect("a short source"),
        try_line: None,
        from: from.split(" | ").map(str::to_owned).collect(),
        to: to.to_owned(),
        is_shadowed: false,
    }
}
