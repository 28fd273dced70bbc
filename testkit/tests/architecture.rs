//! `ARCHITECTURE.md` tells the truth about the tree and the dependencies.

use catchment_testkit::workspace;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Build scripts with a list of the sources that they watch: the crates whose dependencies those are, and what else they name.
const SOURCE_LISTS: [(&str, &[&str], &[&str]); 2] = [
    ("crates/cli/build.rs", &["exceptions", "program"], &["Cargo.lock", "crates/cli"]),
    ("crates/watch/build.rs", &["agent"], &["Cargo.toml", "Cargo.lock", "jvm"]),
];

type Edges = BTreeMap<String, BTreeSet<String>>;

fn page() -> String {
    fs::read_to_string(workspace::root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is readable")
}

/// Words in backticks.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_string).collect()
}

/// The table "Crates and what they may use".
fn documented_edges() -> Edges {
    let page = page();
    let rows = page.lines().skip_while(|line| *line != "| crate | uses |").skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        let name = quoted(cells[1]).into_iter().next().expect("a crate in the first column");
        (name, quoted(cells[2]))
    })
    .collect()
}

/// What the manifests say, without the dependencies of tests.
fn real_edges() -> Edges {
    let folders = fs::read_dir(workspace::root().join("crates")).expect("crates/ is readable");
    folders
        .map(|folder| {
            let folder = folder.expect("readable").path();
            let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
            (name, dependencies_of(&folder.join("Cargo.toml")))
        })
        .collect()
}

fn dependencies_of(manifest: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(manifest).expect("a manifest");
    let lines = text.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let ours = lines.filter_map(|line| line.strip_prefix("catchment-")?.split(['.', ' ', '=']).next());
    ours.map(str::to_string).collect()
}

#[test]
fn the_table_of_crates_equals_the_manifests() {
    assert_eq!(documented_edges(), real_edges());
}

#[test]
fn every_crate_has_a_paragraph_and_every_paragraph_a_crate() {
    let page = page();
    let headings = page.lines().filter_map(|line| line.strip_prefix("### "));
    let described: BTreeSet<String> = headings.flat_map(quoted).collect();
    assert_eq!(described, real_edges().into_keys().collect());
}

#[test]
fn every_top_level_folder_is_on_the_map() {
    let page = page();
    let folders = fs::read_dir(workspace::root()).expect("readable").map(|entry| entry.expect("readable"));
    for folder in folders.filter(|entry| entry.path().is_dir()) {
        let name = folder.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') || name == "target" || name == "crates" {
            continue;
        }
        assert!(page.contains(&format!("`{name}/`")), "{name}/ is not in ARCHITECTURE.md");
    }
}

#[test]
fn every_file_and_folder_the_page_names_exists() {
    let root = workspace::root();
    let mut checked = 0;
    for name in quoted(&page()) {
        let path = name.trim_end_matches('/');
        let is_path = path.contains('/') && !path.contains(' ') && !path.contains('<');
        if is_path {
            let places =
                ["", "crates/pairs/src", "crates/lab/src/stretch"].map(|place| root.join(place).join(path));
            assert!(places.iter().any(|place| place.exists()), "`{name}` does not exist");
            checked += 1;
        }
    }
    assert!(checked > 0, "the page names no path at all");
}

/// Rows of the table of modules in the paragraph of a crate.
fn documented_modules(page: &str, name: &str) -> BTreeSet<String> {
    let heading = format!("### `{name}`");
    let lines = page.lines().skip_while(|line| !line.starts_with(&heading)).skip(1);
    let paragraph = lines.take_while(|line| !line.starts_with("### "));
    let rows = paragraph.skip_while(|line| *line != "| module | holds |").skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| quoted(row.split('|').nth(1)?).into_iter().next()).collect()
}

/// Modules that the root of a crate declares, but for those of tests.
fn declared_modules(root: &str) -> BTreeSet<String> {
    let declared = root.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "));
    declared.filter_map(|rest| rest.strip_suffix(';')).map(str::to_string).collect()
}

#[test]
fn the_table_of_the_labs_modules_equals_its_declarations() {
    let root = fs::read_to_string(workspace::root().join("crates/lab/src/lib.rs")).expect("the lab's root");
    assert_eq!(documented_modules(&page(), "lab"), declared_modules(&root));
}

#[test]
fn a_module_without_a_row_and_a_row_without_a_module_are_noticed() {
    let page =
        "### `lab`: x\n\n| module | holds |\n| --- | --- |\n| `slot` | a |\n| `gone` | b |\n\n### `next`\n";
    let root = "mod slot;\npub mod made_up;\npub use slot::Slot;\n";
    let (documented, declared) = (documented_modules(page, "lab"), declared_modules(root));
    assert!(documented.contains("gone") && !declared.contains("gone"));
    assert!(declared.contains("made_up") && !documented.contains("made_up"));
    assert!(documented.contains("slot") && declared.contains("slot"));
}

/// The strings of `const SOURCES` in a build script.
fn listed_sources(script: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(workspace::root().join(script)).expect("a build script");
    let list =
        text.split_once("const SOURCES").and_then(|(_, rest)| rest.split_once("];")).expect("a list").0;
    list.split('"').skip(1).step_by(2).map(str::to_string).collect()
}

/// Folders of some crates and of all that they use.
fn folders_of(crates: &[&str], edges: &Edges) -> BTreeSet<String> {
    let mut open: Vec<String> = crates.iter().map(|name| (*name).to_owned()).collect();
    let mut found = BTreeSet::new();
    while let Some(name) = open.pop() {
        if found.insert(format!("crates/{name}")) {
            open.extend(edges.get(&name).into_iter().flatten().cloned());
        }
    }
    found
}

#[test]
fn build_scripts_watch_the_crates_that_they_depend_on() {
    let edges = real_edges();
    for (script, crates, more) in SOURCE_LISTS {
        let mut expected = folders_of(crates, &edges);
        expected.extend(more.iter().map(|name| (*name).to_owned()));
        assert_eq!(listed_sources(script), expected, "{script}");
    }
}
