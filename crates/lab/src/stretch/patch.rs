//! From accepted clauses to a source patch that the project's own build has tried.

use super::Candidate;
use super::refusal::Refusal;
use super::sources::Sources;
use crate::check::CheckError;
use crate::check::experiments::Experiments;
use crate::project::{CompilerError, ProjectRequest, Verified, verify};
use catchment_patch::{Language, Widening, looks_generated, widen};
use catchment_verdicts::CheckedPair;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Changed sources with which the project compiles and its tests pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// Where the project lies; the paths of the files are below it.
    pub root: PathBuf,
    pub files: Vec<PatchedFile>,
    /// Tests that the build reported to have passed with the patch.
    pub tests: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchedFile {
    pub path: PathBuf,
    pub before: String,
    pub after: String,
}

impl Patch {
    /// Writes the files, all or, if one has been changed meanwhile, none.
    pub fn apply(&self) -> io::Result<()> {
        for file in &self.files {
            let path = self.root.join(&file.path);
            if fs::read_to_string(&path)? != file.before {
                return Err(io::Error::other(format!("{} has been changed meanwhile", path.display())));
            }
        }
        self.files.iter().try_for_each(|file| fs::write(self.root.join(&file.path), &file.after))
    }
}

/// The patch for all accepted candidates that have a source; the others are refused. `None` if nothing is left.
pub(super) fn make(
    experiments: &Experiments<'_, '_>,
    request: &ProjectRequest,
    candidates: &mut [Candidate],
) -> Result<Option<Patch>, CheckError> {
    let lab = experiments.shared.lab;
    let pairs = experiments.shared.campaign().checked.pairs.clone();
    let sources = Sources::new(lab.project.workspace.source_files());
    let patcher = Patcher { root: &lab.project.workspace.root, sources: &sources, pairs: &pairs };
    loop {
        let files = patcher.patched_files(candidates);
        if files.is_empty() {
            return Ok(None);
        }
        lab.reporter.phase("the project's own build, patched", None);
        let changed: Vec<_> = files.iter().map(|file| (file.path.clone(), file.after.clone())).collect();
        let verified = verify(request, lab.project, &changed, &mut |text| lab.reporter.note(text))
            .map_err(|error| CheckError::from(error).settled())?;
        match verified {
            Verified::Passes { tests } => {
                let root = lab.project.workspace.original().to_owned();
                return Ok(Some(Patch { root, files, tests }));
            }
            Verified::DoesNotCompile { errors, reason } => {
                patcher.refuse_uncompilable(candidates, &errors, &reason);
            }
            Verified::TestFails { test } => {
                refuse_all(candidates, &Refusal::BuildTestFails { test });
            }
        }
    }
}

struct Patcher<'p> {
    root: &'p Path,
    sources: &'p Sources,
    pairs: &'p [CheckedPair],
}

impl Patcher<'_> {
    /// Refuses those that cannot be patched.
    fn patched_files(&self, candidates: &mut [Candidate]) -> Vec<PatchedFile> {
        let mut by_file: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
        for (index, candidate) in candidates.iter_mut().enumerate() {
            match self.source_of(candidate) {
                None => {}
                Some(Ok(path)) => by_file.entry(path).or_default().push(index),
                Some(Err(refusal)) => candidate.clause.refuse(refusal),
            }
        }
        by_file
            .into_iter()
            .filter_map(|(path, indices)| self.patched_file(path, &indices, candidates))
            .collect()
    }

    /// Of an accepted candidate.
    fn source_of(&self, candidate: &Candidate) -> Option<Result<PathBuf, Refusal>> {
        candidate.clause.accepted.as_ref()?;
        let (subject, pair) = (candidate.subject.as_ref()?, &self.pairs[candidate.clause.pair]);
        let missing = |why: String| Some(Err(Refusal::NoSource(why)));
        let Some(name) = &pair.source_file else { return missing("the class does not name it".into()) };
        match self.sources.find(&pair.class, name, &subject.path) {
            Some(path) => Some(Ok(path.to_owned())),
            None => missing(format!("no {name} for {} among the sources of the project", pair.class)),
        }
    }

    fn patched_file(
        &self,
        path: PathBuf,
        indices: &[usize],
        candidates: &mut [Candidate],
    ) -> Option<PatchedFile> {
        let mut refuse = |refusal: &Refusal| {
            indices.iter().for_each(|index| candidates[*index].clause.refuse(refusal.clone()));
            None
        };
        let Some(language) = Language::of_path(&path.to_string_lossy()) else {
            return refuse(&Refusal::NotPatchable("its language is neither Java nor Kotlin".into()));
        };
        let bytes = match fs::read(self.root.join(&path)) {
            Ok(bytes) => bytes,
            Err(error) => return refuse(&Refusal::NoSource(format!("{}: {error}", path.display()))),
        };
        // Which encoding it is instead, only the build knows.
        let Ok(before) = String::from_utf8(bytes) else {
            return refuse(&Refusal::NotPatchable("the source is not UTF-8".into()));
        };
        if let Some(what) = looks_generated(&before, language) {
            return refuse(&Refusal::Generated(what.to_owned()));
        }
        let widenings: Vec<_> = indices.iter().map(|index| self.widening(&candidates[*index])).collect();
        let patched = widen(&before, language, &widenings);
        for (index, outcome) in indices.iter().zip(patched.outcomes) {
            if let Err(refusal) = outcome {
                candidates[*index].clause.refuse(Refusal::NotPatchable(refusal.to_string()));
            }
        }
        (patched.text != before).then_some(PatchedFile { path, before, after: patched.text })
    }

    fn widening(&self, candidate: &Candidate) -> Widening {
        let pair = &self.pairs[candidate.clause.pair];
        Widening {
            line: pair.catch_line.unwrap_or_default(),
            try_line: pair.try_line,
            from: pair.types.clone(),
            to: candidate.clause.accepted.as_ref().map(|accepted| accepted.to.clone()).unwrap_or_default(),
        }
    }

    /// Those nearest to an error in their file; all, if no error is in a patched file.
    fn refuse_uncompilable(&self, candidates: &mut [Candidate], errors: &[CompilerError], reason: &str) {
        let mut is_any = false;
        for error in errors {
            let own = (0..candidates.len()).filter_map(|index| {
                let path = self.source_of(&candidates[index])?.ok()?;
                let line = self.pairs[candidates[index].clause.pair].catch_line?;
                error.path.ends_with(&path).then(|| (line.abs_diff(error.line), index))
            });
            if let Some((_, index)) = own.min() {
                candidates[index].clause.refuse(Refusal::Compiler(error.message.clone()));
                is_any = true;
            }
        }
        if !is_any {
            refuse_all(candidates, &Refusal::Compiler(reason.to_owned()));
        }
    }
}

fn refuse_all(candidates: &mut [Candidate], refusal: &Refusal) {
    let accepted = candidates.iter_mut().filter(|candidate| candidate.clause.accepted.is_some());
    accepted.for_each(|candidate| candidate.clause.refuse(refusal.clone()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(root: &Path, names: &[&str]) -> Patch {
        let file = |name: &&str| PatchedFile {
            path: name.into(),
            before: format!("{name} before"),
            after: format!("{name} after"),
        };
        Patch { root: root.to_owned(), files: names.iter().map(file).collect(), tests: 1 }
    }

    #[test]
    fn a_patch_is_written_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        fs::write(&one, "one before").unwrap();
        fs::write(&two, "two changed by somebody").unwrap();
        let patch = patch(folder.path(), &["one", "two"]);

        let error = patch.apply().unwrap_err().to_string();
        assert!(error.ends_with("two has been changed meanwhile"), "{error}");
        assert_eq!(fs::read_to_string(&one).unwrap(), "one before");
        assert_eq!(fs::read_to_string(&two).unwrap(), "two changed by somebody");

        fs::write(&two, "two before").unwrap();
        patch.apply().unwrap();
        assert_eq!(fs::read_to_string(&one).unwrap(), "one after");
        assert_eq!(fs::read_to_string(&two).unwrap(), "two after");
    }

    #[test]
    fn a_file_that_is_gone_is_not_made_again() {
        let folder = tempfile::tempdir().unwrap();
        assert!(patch(folder.path(), &["gone"]).apply().is_err());
        assert!(!folder.path().join("gone").exists());
    }
}
