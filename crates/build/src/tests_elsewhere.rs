//! Where else in a build there are tests, for a user who asked for a module without any.

use crate::tree::is_output;
use std::fs;
use std::path::{Path, PathBuf};

/// Modules that are named.
const NAMED: usize = 3;
/// Folders that hold no modules.
const NO_MODULES: [&str; 3] = ["src", "node_modules", "buildSrc"];

/// `; tests are in itests: check that module, or the whole build`; empty if there are none, or nothing else was left out.
pub(super) fn hint(top: &Path, folder: &Path) -> String {
    let mut found = Vec::new();
    collect(top, folder, &mut found);
    let names: Vec<String> = found
        .iter()
        .filter_map(|module| Some(module.strip_prefix(top).ok()?.display().to_string()))
        .map(|name| if name.is_empty() { "the top of the build".to_owned() } else { name })
        .collect();
    let named = names.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => String::new(),
        1 => format!("; tests are in {named}: check that module, or the whole build"),
        count if count <= NAMED => format!("; tests are in {named}: check one of these, or the whole build"),
        count => {
            let more = count - NAMED;
            format!("; tests are in {named} and {more} more: check one of these, or the whole build")
        }
    }
}

fn collect(module: &Path, left_out: &Path, found: &mut Vec<PathBuf>) {
    if module == left_out {
        return;
    }
    if has_file(&module.join("src/test")) {
        found.push(module.to_owned());
    }
    for folder in subfolders(module) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.starts_with('.') && !NO_MODULES.contains(&name.as_str()) && !is_output(&folder) {
            collect(&folder, left_out, found);
        }
    }
}

fn has_file(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_file = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_file());
    entries.into_iter().any(|entry| is_file(&entry)) || subfolders(folder).iter().any(|below| has_file(below))
}

/// By name. Links are left alone, since a project may link to its own parents.
fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint_in(files: &[&str], folder: &str) -> String {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        hint(root.path(), &root.path().join(folder))
    }

    #[test]
    fn modules_with_tests_are_named() {
        let files =
            ["pom.xml", "core/pom.xml", "core/src/main/java/A.java", "itests/src/test/java/a/ATest.java"];
        assert_eq!(hint_in(&files, "core"), "; tests are in itests: check that module, or the whole build");
        assert_eq!(hint_in(&files, "itests"), "");
        let copied =
            ["pom.xml", "core/pom.xml", "target/x/src/test/java/ATest.java", ".catchment/src/test/A.java"];
        assert_eq!(hint_in(&copied, "core"), "");
        let many = ["a", "b", "c", "d"].map(|name| format!("web/{name}/src/test/kotlin/ATest.kt"));
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(
            hint_in(&many, "core"),
            "; tests are in web/a, web/b, web/c and 1 more: check one of these, or the whole build"
        );
    }
}
