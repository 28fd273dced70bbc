//! Which files in the tree this tool has written itself. They are no part of the project, now or in a later check.

use crate::Workspace;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const FILE: &str = "reports.json";

/// All reports ever written into the tree, with the one that is about to be.
pub(super) fn own_reports(workspace: &Workspace, report: Option<&Path>) -> BTreeSet<PathBuf> {
    let list = workspace.own_folder().join(FILE);
    let known = fs::read(&list).ok().and_then(|json| serde_json::from_slice(&json).ok());
    let mut reports: BTreeSet<PathBuf> = known.unwrap_or_default();
    let is_new = report.and_then(place_of).is_some_and(|report| reports.insert(report));
    if is_new && let Ok(json) = serde_json::to_vec(&reports) {
        // Without it the next check builds again, which is no reason to give this one up.
        let _ = fs::write(&list, json);
    }
    reports
}

/// The file need not be there yet.
fn place_of(report: &Path) -> Option<PathBuf> {
    let folder = report.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    Some(fs::canonicalize(folder).ok()?.join(report.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_remembered_before_and_after_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let workspace = Workspace::of(&root);
        fs::create_dir_all(workspace.own_folder()).unwrap();
        let report = root.join("check.json");
        assert_eq!(own_reports(&workspace, None), BTreeSet::new());
        for named in [root.join("./check.json"), report.clone()] {
            assert_eq!(own_reports(&workspace, Some(&named)), BTreeSet::from([report.clone()]));
        }
        let both = BTreeSet::from([report.clone(), root.join("other.txt")]);
        assert_eq!(own_reports(&workspace, Some(&root.join("other.txt"))), both);
        assert_eq!(own_reports(&workspace, None), both);
    }
}
