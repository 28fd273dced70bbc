//! The copy of the user's tree in which everything runs.

use crate::copy::{Copied, CopyError, Selection, mirror, remove_all};
use crate::tree::{Everything, OWN_FOLDER, Sources, SourcesAndOutputs, outputs_below, visit_tree};
use crate::{ProjectError, cannot};
use catchment_watch::unix::free_bytes;
use catchment_watch::{create_private_folder, write_private_file};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The list of reports that Catchment has written into the tree.
const REPORTS: &str = "reports.json";
/// The environment in which the copy was built last.
const ENVIRONMENT: &str = "environment";

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    /// The copy.
    pub root: PathBuf,
    /// The user's tree, which nobody writes to.
    pub original: PathBuf,
}

impl Workspace {
    /// The folder of Catchment in the user's tree.
    pub fn own_folder(&self) -> PathBuf {
        self.original.join(OWN_FOLDER)
    }

    /// A worker's own copy of this one, outputs included. What `to` held before is made equal.
    pub fn fork(&self, to: &Path) -> io::Result<Self> {
        fs::create_dir_all(to)?;
        let to = fs::canonicalize(to)?;
        mirror(&self.root, &to, &Everything)
            .map_err(|error| io::Error::new(error.reason.kind(), reason_for(&error, &self.root, &to)))?;
        Ok(Self { root: to, original: self.original.clone() })
    }

    /// The user's tree.
    pub fn original(&self) -> &Path {
        &self.original
    }

    /// Paths of all files that no build has made, in a fixed order.
    pub fn source_files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let _ = visit_tree(&self.root, Path::new(""), &Sources, &mut |relative, metadata| {
            if metadata.is_file() {
                files.push(relative.to_owned());
            }
            Ok(())
        });
        files
    }

    /// The build copy of the tree at `original`, as it was left.
    pub(super) fn of(original: &Path) -> Self {
        Self { root: original.join(OWN_FOLDER).join("build"), original: original.to_owned() }
    }

    /// The path in the copy of a path of the user's tree.
    pub(super) fn in_copy(&self, path: &Path) -> PathBuf {
        // Collected, because joining nothing would append a slash.
        path.strip_prefix(&self.original)
            .map_or_else(|_| path.to_owned(), |path| self.root.join(path).components().collect())
    }

    /// The path in the user's tree of a path of the copy.
    pub(super) fn in_original(&self, path: &Path) -> PathBuf {
        path.strip_prefix(&self.root)
            .map_or_else(|_| path.to_owned(), |path| self.original.join(path).components().collect())
    }

    /// Makes the build copy equal to the user's tree.
    ///
    /// Outputs that the build has made in the copy stay only if nothing has changed: not every build notices a class whose
    /// source is gone, or a constant that another module has copied.
    pub(super) fn update(&self) -> Result<(), ProjectError> {
        if self.copy(&Sources)?.changed_anything() {
            let failed = |reason| self.copy_failed(&CopyError { path: self.root.clone(), reason });
            self.wipe_outputs().map_err(failed)?;
        }
        Ok(())
    }

    /// Wipes the outputs of the copy if they were made in another environment, with another JDK perhaps: build tools take
    /// them for current, and the tests then fail on them for a reason that no clean build has.
    pub(super) fn wipe_outputs_of_another(&self, environment: u64) -> Result<(), ProjectError> {
        self.create_own_folder()?;
        let file = self.own_folder().join(ENVIRONMENT);
        let wanted = format!("{environment:016x}\n");
        if fs::read_to_string(&file).is_ok_and(|known| known == wanted) {
            return Ok(());
        }
        if self.root.is_dir() {
            let failed = |reason| self.copy_failed(&CopyError { path: self.root.clone(), reason });
            self.wipe_outputs().map_err(failed)?;
        }
        write_private_file(&file, wanted.as_bytes()).map_err(cannot("write", &file))
    }

    /// As [`update`](Self::update), for a tree that somebody else has built.
    pub(super) fn update_with_outputs(&self) -> Result<(), ProjectError> {
        self.copy(&SourcesAndOutputs).map(|_| ())
    }

    fn copy(&self, selection: &dyn Selection) -> Result<Copied, ProjectError> {
        self.create_own_folder()?;
        mirror(&self.original, &self.root, selection).map_err(|error| self.copy_failed(&error))
    }

    fn copy_failed(&self, error: &CopyError) -> ProjectError {
        ProjectError::Copy { to: self.root.clone(), reason: reason_for(error, &self.original, &self.root) }
    }

    pub(super) fn create_own_folder(&self) -> Result<(), ProjectError> {
        let path = self.own_folder();
        ignore_own_folder(&path).map_err(cannot("write to", &path))
    }

    pub(super) fn wipe_outputs(&self) -> io::Result<()> {
        outputs_below(&self.root)?.iter().try_for_each(|output| remove_all(output))
    }
}

/// The user's git must not see our folder, and need not be told in the user's own `.gitignore`. Nor must other users of
/// the machine: it holds environments and what tests print.
fn ignore_own_folder(folder: &Path) -> io::Result<()> {
    create_private_folder(folder)?;
    let file = folder.join(".gitignore");
    if file.is_file() { Ok(()) } else { fs::write(file, "*\n") }
}

/// One line that says what to do about it.
fn reason_for(error: &CopyError, from: &Path, to: &Path) -> String {
    if matches!(error.reason.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let free =
            free_bytes(to).map_or_else(|| "an unknown number of".to_owned(), |free| mib(free).to_string());
        return format!("the disk is full: the copy needs {} MiB, {free} MiB are free", mib(size_of(from)));
    }
    format!("{}: {}", error.path.display(), error.reason)
}

fn size_of(root: &Path) -> u64 {
    let mut bytes = 0;
    let _ = visit_tree(root, Path::new(""), &SourcesAndOutputs, &mut |_, metadata| {
        bytes += metadata.len();
        Ok(())
    });
    bytes
}

/// Reports that Catchment has ever written into the tree, with those that are about to be. They are no part of the project,
/// now or in a later check.
pub(crate) fn own_reports(workspace: &Workspace, written: &[PathBuf]) -> BTreeSet<PathBuf> {
    let list = workspace.own_folder().join(REPORTS);
    let known = fs::read(&list).ok().and_then(|json| serde_json::from_slice(&json).ok());
    let mut reports: BTreeSet<PathBuf> = known.unwrap_or_default();
    let known = reports.len();
    reports.extend(written.iter().filter_map(|report| report_path(report)));
    if reports.len() > known
        && let Ok(json) = serde_json::to_vec(&reports)
    {
        // Without it the next check builds again, which is no reason to give this one up.
        let _ = write_private_file(&list, &json);
    }
    reports
}

/// The file need not be there yet.
fn report_path(report: &Path) -> Option<PathBuf> {
    let folder = report.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    Some(fs::canonicalize(folder).ok()?.join(report.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::time::{Duration, SystemTime};

    fn write(root: &Path, file: &str, content: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn project() -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for file in ["pom.xml", "src/A.java", "src/B.java", ".git/HEAD", "target/classes/Old.class"] {
            write(&root, file, file);
        }
        (folder, Workspace::of(&root))
    }

    fn has(workspace: &Workspace, file: &str) -> bool {
        workspace.root.join(file).exists()
    }

    #[test]
    fn sources_are_copied_and_outputs_and_git_are_not() {
        let (_folder, workspace) = project();
        workspace.update().unwrap();
        assert!(has(&workspace, "pom.xml") && has(&workspace, "src/A.java"));
        assert!(!has(&workspace, ".git") && !has(&workspace, "target") && !has(&workspace, ".catchment"));
        assert_eq!(fs::read_to_string(workspace.own_folder().join(".gitignore")).unwrap(), "*\n");
        assert_eq!(fs::metadata(workspace.own_folder()).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn times_and_permissions_are_kept() {
        let (_folder, workspace) = project();
        let script = workspace.original.join("run.sh");
        fs::write(&script, "x").unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o540)).unwrap();
        let old = SystemTime::UNIX_EPOCH + Duration::new(1_000_000, 123_456_789);
        fs::File::open(&script).unwrap().set_modified(old).unwrap();
        workspace.update().unwrap();
        let copy = fs::metadata(workspace.root.join("run.sh")).unwrap();
        assert_eq!(copy.permissions().mode() & 0o777, 0o540);
        assert_eq!(copy.modified().unwrap(), old);
    }

    #[test]
    fn links_into_the_tree_stay_in_the_copy_and_links_out_of_it_still_arrive() {
        let (folder, workspace) = project();
        let root = &workspace.original;
        let outside = folder.path().with_extension("outside");
        fs::write(&outside, "outside").unwrap();
        symlink(root.join("src/A.java"), root.join("absolute")).unwrap();
        symlink("src/A.java", root.join("relative")).unwrap();
        symlink(Path::new("..").join(outside.file_name().unwrap()), root.join("out")).unwrap();
        workspace.update().unwrap();
        let target = |name: &str| fs::read_link(workspace.root.join(name)).unwrap();
        assert_eq!(target("absolute"), workspace.root.join("src/A.java"));
        assert_eq!(target("relative"), Path::new("src/A.java"));
        assert_eq!(fs::read_to_string(workspace.root.join("out")).unwrap(), "outside");
        fs::remove_file(outside).unwrap();
    }

    #[test]
    fn outputs_stay_while_nothing_changes_and_go_with_their_source() {
        let (_folder, workspace) = project();
        workspace.update().unwrap();
        write(&workspace.root, "target/classes/B.class", "made by the build");
        workspace.update().unwrap();
        assert!(has(&workspace, "target/classes/B.class"));
        fs::remove_file(workspace.original.join("src/B.java")).unwrap();
        workspace.update().unwrap();
        assert!(!has(&workspace, "src/B.java") && !has(&workspace, "target"));
    }

    #[test]
    fn outputs_of_another_jdk_are_not_used_again() {
        let (_folder, workspace) = project();
        workspace.wipe_outputs_of_another(1).unwrap();
        workspace.update().unwrap();
        write(&workspace.root, "target/classes/B.class", "made by the build");
        workspace.wipe_outputs_of_another(1).unwrap();
        assert!(has(&workspace, "target/classes/B.class"));
        workspace.wipe_outputs_of_another(2).unwrap();
        assert!(!has(&workspace, "target") && has(&workspace, "src/A.java"));
    }

    #[test]
    fn what_a_test_did_to_the_copy_is_undone() {
        let (_folder, workspace) = project();
        workspace.update().unwrap();
        write(&workspace.root, "src/A.java", "spoilt");
        write(&workspace.root, "junk/log.txt", "junk");
        fs::remove_file(workspace.root.join("src/B.java")).unwrap();
        workspace.update().unwrap();
        assert_eq!(fs::read_to_string(workspace.root.join("src/A.java")).unwrap(), "src/A.java");
        assert!(has(&workspace, "src/B.java") && !has(&workspace, "junk"));
    }

    #[test]
    fn a_fork_has_the_outputs_too_and_is_made_equal_again() {
        let (_folder, workspace) = project();
        workspace.update().unwrap();
        write(&workspace.root, "target/classes/B.class", "made by the build");
        let to = workspace.own_folder().join("workers/1");
        let fork = workspace.fork(&to).unwrap();
        assert_eq!(
            fs::read_to_string(fork.root.join("target/classes/B.class")).unwrap(),
            "made by the build"
        );
        write(&fork.root, "target/left-over", "");
        let read_only = fork.root.join("target/deep");
        write(&fork.root, "target/deep/file", "");
        fs::set_permissions(&read_only, fs::Permissions::from_mode(0o500)).unwrap();
        workspace.fork(&to).unwrap();
        assert!(!fork.root.join("target/left-over").exists() && !read_only.exists());
        assert_eq!(fork.original, workspace.original);
    }

    #[test]
    fn a_report_is_remembered_before_and_after_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let workspace = Workspace::of(&root);
        fs::create_dir_all(workspace.own_folder()).unwrap();
        let report = root.join("check.json");
        assert_eq!(own_reports(&workspace, &[]), BTreeSet::new());
        for named in [root.join("./check.json"), report.clone()] {
            assert_eq!(own_reports(&workspace, &[named]), BTreeSet::from([report.clone()]));
        }
        let both = BTreeSet::from([report.clone(), root.join("other.txt")]);
        assert_eq!(own_reports(&workspace, &[root.join("other.txt")]), both);
        assert_eq!(own_reports(&workspace, &[]), both);
    }
}
