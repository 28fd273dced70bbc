//! From accepted clauses to a source patch that the project's own build has tried.

mod apply;
mod blame;
mod copies;
mod misnamed;
mod sources;

use crate::session::LabError;
use crate::slot::Slot;
use crate::stretch::patch::misnamed::refuse_misnamed;
use crate::stretch::patch::sources::Sources;
use crate::stretch::refusal::Refusal;
use crate::stretch::{Candidate, Stretching};
use catchment_build::{ProjectRequest, Verified, patched_folder, verify};
use catchment_patch::{Language, Merged, Shadow, Widening, looks_generated, widen};
use catchment_verdicts::CheckedPair;
use catchment_widening::Hierarchy;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Changed sources with which the project compiles and its tests pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// The folder of the project; the paths of the files are below it.
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

/// Number of times that clauses may fall back to narrower types once there is a patch: every time costs the suite and a build.
const MAX_FALLS: usize = 4;

const NO_TIME_TO_BUILD: &str =
    "there is no patch: the budget was used up before the project's own build could try it";

impl Stretching<'_, '_> {
    /// The patch for all accepted candidates that have a source; the others are refused. `None` if nothing is left. Also says
    /// whether what is accepted in the end has passed the suite together.
    pub(crate) fn make_patch(
        &self,
        slot: &mut Slot<'_>,
        request: &ProjectRequest,
        candidates: &mut [Candidate],
    ) -> Result<(bool, Option<Patch>), LabError> {
        let session = self.trials.session;
        let (pairs, tests) = {
            let ledger = self.trials.session.ledger();
            (ledger.checked.pairs.clone(), ledger.checked.tests.clone())
        };
        let sources = Sources::new(session.project.workspace.source_files());
        let root = &session.project.workspace.root;
        let patcher = Patcher { hierarchy: &self.hierarchy, root, sources: &sources, pairs: &pairs };
        let mut falls = 0;
        loop {
            patcher.patched_files(candidates);
            if falls == MAX_FALLS {
                candidates.iter_mut().for_each(|candidate| candidate.untried.clear());
            }
            // Those that cannot be patched make room for others before anything is built.
            if self.withdraw_broken(slot, candidates)? {
                falls += 1;
                if !self.try_together(slot, candidates)? {
                    return Ok((false, None));
                }
                continue;
            }
            // Copies of those that cannot be patched have gone with them.
            let files = patcher.patched_files(candidates);
            if files.is_empty() {
                return Ok((true, None));
            }
            if self.trials.session.is_interrupted() {
                return Err(LabError::Interrupted);
            }
            if self.trials.session.is_over() {
                session.reporter.note(NO_TIME_TO_BUILD);
                return Ok((true, None));
            }
            session.reporter.phase("the project's own build, patched", None);
            let changed: Vec<_> = files.iter().map(|file| (file.path.clone(), file.after.clone())).collect();
            let limits = session.build_limits();
            let verified =
                verify(request, &session.project, &changed, limits, &mut |text| session.reporter.note(text))?;
            if verified == Verified::OutOfTime {
                session.reporter.note(NO_TIME_TO_BUILD);
                return Ok((true, None));
            }
            let passes = matches!(verified, Verified::Passes { .. });
            if passes && refuse_misnamed(candidates, &patched_folder(&session.project), &pairs) {
                continue;
            }
            if let Verified::Passes { tests } = verified {
                let root = session.project.workspace.original().to_owned();
                return Ok((true, Some(Patch { root, files, tests })));
            }
            patcher.refuse(candidates, &files, &tests, verified);
        }
    }
}

/// Makes patches, and takes back what does not hold.
pub(crate) struct Patcher<'p, 'c> {
    hierarchy: &'p Hierarchy<'c>,
    root: &'p Path,
    sources: &'p Sources,
    pub(crate) pairs: &'p [CheckedPair],
}

impl Patcher<'_, '_> {
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
    pub(crate) fn source_of(&self, candidate: &Candidate) -> Option<Result<PathBuf, Refusal>> {
        candidate.clause.accepted.as_ref()?;
        let (subject, pair) = (candidate.subject.as_ref()?, &self.pairs[candidate.clause.pair]);
        let missing = |why: String| Some(Err(Refusal::NoSource(why)));
        let Some(name) = &pair.clause.source_file else {
            return missing("the class does not name it".into());
        };
        match self.sources.find(&pair.clause.class, name, &subject.path) {
            Some(path) => Some(Ok(path.to_owned())),
            None => missing(format!("no {name} for {} among the sources of the project", pair.clause.class)),
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
            return refuse(&not_patchable("its language is neither Java nor Kotlin"));
        };
        let bytes = match fs::read(self.root.join(&path)) {
            Ok(bytes) => bytes,
            Err(error) => return refuse(&Refusal::NoSource(format!("{}: {error}", path.display()))),
        };
        // Which encoding it is instead, only the build knows.
        let Ok(before) = String::from_utf8(bytes) else {
            return refuse(&not_patchable("the source is not UTF-8"));
        };
        if let Some(what) = looks_generated(&before, language) {
            return refuse(&Refusal::Generated(what.to_owned()));
        }
        let widenings: Vec<_> = indices.iter().map(|index| self.widening(&candidates[*index])).collect();
        let patched = widen(&before, language, &widenings);
        for (index, outcome) in indices.iter().zip(patched.outcomes) {
            if let Err(refusal) = outcome {
                let depends_on_type = refusal.depends_on_type();
                let refusal = Refusal::NotPatchable { why: refusal.to_string(), depends_on_type };
                candidates[*index].clause.refuse(refusal);
            }
        }
        (patched.text != before).then_some(PatchedFile { path, before, after: patched.text })
    }

    fn widening(&self, candidate: &Candidate) -> Widening {
        let pair = &self.pairs[candidate.clause.pair];
        let (to, merges) = match &candidate.clause.accepted {
            Some(accepted) => (accepted.to.clone(), accepted.merges.as_slice()),
            None => Default::default(),
        };
        let merged = |position: &usize| Merged {
            line: self.pairs[*position].clause.catch_line.unwrap_or_default(),
            from: self.pairs[*position].clause.types.clone(),
        };
        Widening {
            line: pair.clause.catch_line.unwrap_or_default(),
            try_line: pair.clause.try_line,
            from: pair.clause.types.clone(),
            shadow: self.shadow(&pair.clause.class, &to),
            to,
            merges: merges.iter().map(merged).collect(),
        }
    }

    /// The meaning that the simple name of a type has in a class if there is no import.
    fn shadow(&self, class: &str, to: &str) -> Shadow {
        if self.hierarchy.is_shadowed_by_member(class, to) {
            Shadow::Inherited
        } else if self.hierarchy.is_shadowed_in_package(class, to) {
            Shadow::Package
        } else {
            Shadow::None
        }
    }
}

fn not_patchable(why: &str) -> Refusal {
    Refusal::NotPatchable { why: why.to_owned(), depends_on_type: false }
}
