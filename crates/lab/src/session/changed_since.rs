//! Lines that have changed since a revision, as Git tells them.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::{Command, Output};

/// The reason why nobody can tell what has changed, in one line.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    #[error("cannot run git: {0}")]
    NoGit(io::Error),
    #[error("{folder} is in no Git repository")]
    NoRepository { folder: String },
    #[error("Git knows no revision {revision}")]
    UnknownRevision { revision: String },
    #[error("git {command} failed: {what}")]
    Failed { command: String, what: String },
}

/// Lines that differ from a revision, with files that are not committed or not even known to Git.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangedLines {
    /// First and last lines, by path from the top of the repository.
    files: BTreeMap<String, Vec<(u32, u32)>>,
}

impl ChangedLines {
    /// The changes in the repository of this folder since the revision.
    pub fn since(folder: &Path, revision: &str) -> Result<Self, RevisionError> {
        let top = git(folder, &["rev-parse", "--show-toplevel"])?
            .map_err(|_| RevisionError::NoRepository { folder: folder.display().to_string() })?;
        let top = Path::new(top.trim_end());
        let commit = format!("{revision}^{{commit}}");
        let commit = git(top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit])?
            .map_err(|_| RevisionError::UnknownRevision { revision: revision.to_owned() })?;
        let diff =
            ["-c", "core.quotePath=false", "diff", "-U0", "--no-color", "--no-ext-diff", "--no-renames"];
        let prefixes = ["--src-prefix=a/", "--dst-prefix=b/", commit.trim_end(), "--"];
        let failed = |command: &str| {
            let command = command.to_owned();
            move |what| RevisionError::Failed { command, what }
        };
        let diff = git(top, &[&diff[..], &prefixes].concat())?.map_err(failed("diff"))?;
        let untracked =
            git(top, &["ls-files", "--others", "--exclude-standard", "-z"])?.map_err(failed("ls-files"))?;
        let mut changed = Self { files: hunks(&diff) };
        for file in untracked.split('\0').filter(|file| !file.is_empty()) {
            changed.files.insert(file.to_owned(), vec![(1, u32::MAX)]);
        }
        Ok(changed)
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Tells whether any of these lines of the file has changed.
    pub(crate) fn touches(&self, file: &str, (first, last): (u32, u32)) -> bool {
        let hunks = self.files.get(file).map_or(&[][..], Vec::as_slice);
        hunks.iter().any(|(from, to)| *from <= last && first <= *to)
    }
}

/// What the command prints; the inner error is what it says when it fails.
fn git(folder: &Path, arguments: &[&str]) -> Result<Result<String, String>, RevisionError> {
    let Output { status, stdout, stderr } =
        Command::new("git").arg("-C").arg(folder).args(arguments).output().map_err(RevisionError::NoGit)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let first_line = |text: String| text.lines().next().unwrap_or_default().to_owned();
    Ok(if status.success() { Ok(text(&stdout)) } else { Err(first_line(text(&stderr))) })
}

/// The new lines of each hunk of a diff without context. Where lines are only gone, those around the gap have changed.
fn hunks(diff: &str) -> BTreeMap<String, Vec<(u32, u32)>> {
    let mut files: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    let mut file = None;
    let mut left = 0;
    for line in diff.lines() {
        if left > 0 && (line.starts_with('+') || line.starts_with('-')) {
            left -= 1;
        } else if let Some(name) = line.strip_prefix("+++ ") {
            let name = name.trim_end_matches('\t').trim_matches('"');
            file = name.strip_prefix("b/").map(str::to_owned);
        } else if let Some((old, new)) = line.strip_prefix("@@ -").and_then(ranges) {
            left = old.1 + new.1;
            let changed = if new.1 == 0 { (new.0, new.0 + 1) } else { (new.0, new.0 + new.1 - 1) };
            if let Some(file) = &file {
                files.entry(file.clone()).or_default().push(changed);
            }
        }
    }
    files
}

/// `12,3 +14 @@`: first lines and counts.
fn ranges(header: &str) -> Option<((u32, u32), (u32, u32))> {
    let mut parts = header.split(' ');
    let range = |part: &str| {
        let (first, count) = part.split_once(',').unwrap_or((part, "1"));
        Some((first.parse().ok()?, count.parse().ok()?))
    };
    Some((range(parts.next()?)?, range(parts.next()?.strip_prefix('+')?)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn new_lines_of_hunks_count_and_gaps_touch_what_is_around_them() {
        let diff = "diff --git a/a/B.java b/a/B.java\n--- a/a/B.java\n+++ b/a/B.java\n@@ -3 +3,2 @@ class B\n-x\n+++ b/no.java\n+z\n\
                    @@ -9,2 +10,0 @@\n-y\n-y\ndiff --git a/c b/c\n--- a/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n";
        let changed = ChangedLines { files: hunks(diff) };
        assert_eq!(changed.files, [("a/B.java".to_owned(), vec![(3, 4), (10, 11)])].into());
        let touched = [(1, 2), (4, 9), (5, 9), (11, 20)].map(|lines| changed.touches("a/B.java", lines));
        assert_eq!(touched, [false, true, false, true]);
        assert!(!changed.touches("B.java", (3, 3)));
    }

    #[test]
    fn what_is_not_committed_or_not_known_counts_and_errors_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert!(matches!(ChangedLines::since(path, "HEAD"), Err(RevisionError::NoRepository { .. })));
        let run = |arguments: &[&str]| git(path, arguments).unwrap().unwrap();
        run(&["init", "-q"]);
        fs::write(path.join("a.txt"), "1\n2\n3\n").unwrap();
        run(&["add", "."]);
        run(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "first"]);
        assert!(ChangedLines::since(path, "HEAD").unwrap().is_empty());
        for unknown in ["nothing", "--all"] {
            let error = ChangedLines::since(path, unknown).unwrap_err();
            assert!(matches!(error, RevisionError::UnknownRevision { .. }), "{error}");
        }
        fs::write(path.join("a.txt"), "1\nb\n3\n").unwrap();
        fs::write(path.join("new.txt"), "1\n").unwrap();
        let changed = ChangedLines::since(path, "HEAD").unwrap();
        assert!(changed.touches("a.txt", (2, 2)) && !changed.touches("a.txt", (3, 3)));
        assert!(changed.touches("new.txt", (1, 1)));
    }
}
