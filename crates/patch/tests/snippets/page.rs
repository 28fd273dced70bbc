//! The snippets: Markdown pages with a source, the widenings, and the source they should give.

use catchment_patch::{Language, Merged, Shadow, Widening};
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
    let pages = ["clauses", "names", "imports", "merges", "kotlin"];
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

/// `` `catch (A`: a.A | a.B -> a.C `` is the clause on the line that holds `catch (A`. One that goes with it stands
/// behind: `` + `catch (D`: a.D ``.
fn listed(source: &str, item: &str) -> Widening {
    let (at, types) = item.split_once("`: ").expect("a place");
    let (from, to) = types.split_once(" -> ").expect("types");
    let mut parts = to.split(" + ");
    let to = parts.next().expect("a type").to_owned();
    let merged = |part: &str| {
        let (at, from) = part.split_once("`: ").expect("a place");
        Merged { line: line_of(source, at), from: listed_types(from) }
    };
    Widening {
        line: line_of(source, at),
        try_line: None,
        from: listed_types(from),
        to,
        shadow: Shadow::None,
        merges: parts.map(merged).collect(),
    }
}

fn listed_types(types: &str) -> Vec<String> {
    types.split(" | ").map(str::to_owned).collect()
}

fn line_of(source: &str, at: &str) -> u32 {
    let line = source.lines().take_while(|line| !line.contains(at.trim_start_matches('`'))).count() + 1;
    assert!(line <= source.lines().count(), "{at} is not in the source");
    u32::try_from(line).expect("a short source")
}
