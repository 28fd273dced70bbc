//! The pairs of the whole application, loaded or not.

use catchment_build::{Project, SourceTree};
use catchment_classfile::ClassFile;
use catchment_pairs::{ClassLocation, ClassPairs, pairs_of};
use catchment_program::{LoadOptions, visit};
use catchment_protocol::pattern;
use catchment_verdicts::{CheckedPair, Problem};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Patterns of the classes whose pairs are asked about; empty means all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PairSelection {
    pub include: Vec<String>,
    pub exclude: Vec<String>,
}

impl PairSelection {
    /// Tells whether the clauses of the class of this binary name are not asked about.
    pub fn leaves_out(&self, class: &str) -> bool {
        let matches = |patterns: &[String]| patterns.iter().any(|each| pattern::matches(each, class));
        matches(&self.exclude) || !self.include.is_empty() && !matches(&self.include)
    }
}

/// Pairs in the class folders of all configurations, in the order of their classes; equal ids are one pair.
///
/// Only the clauses of the modules that were asked for are checked: the tests of other modules do not run, so a positive
/// verdict on their clauses would be unfounded. But a module without clauses of its own is there to test those of others.
pub(crate) fn application_pairs(
    project: &Project,
    selection: &PairSelection,
) -> (Vec<CheckedPair>, Vec<Problem>) {
    let folders: BTreeSet<_> =
        project.configurations.iter().flat_map(|configuration| &configuration.application).collect();
    let sources = SourceTree::read(&project.workspace.root, &project.workspace.original);
    let (mut pairs, mut problems) = (Vec::new(), Vec::new());
    let mut asked_for = HashSet::new();
    for folder in folders {
        let first = pairs.len();
        let visited =
            visit(folder, &LoadOptions::default(), &mut |class| match ClassFile::parse(class.bytes) {
                Ok(parsed) => {
                    let class = pairs_of(&parsed);
                    let location = sources.location_of(&class.class, class.source_file.as_deref(), folder);
                    add_class(&class, &location, selection, &mut pairs);
                }
                Err(error) => problems.push(Problem { place: class.place(), what: error.to_string() }),
            });
        if is_asked_for(folder, &project.asked_for) {
            asked_for.extend(pairs[first..].iter().map(|pair: &CheckedPair| pair.clause.id.clone()));
        }
        match visited {
            Ok(report) => problems.extend(
                report.problems.iter().map(|each| Problem { place: each.place(), what: each.what.clone() }),
            ),
            Err(error) => {
                problems.push(Problem { place: folder.display().to_string(), what: error.to_string() });
            }
        }
    }
    pairs.sort_by(|a, b| a.clause.class.cmp(&b.clause.class));
    let mut known = HashSet::new();
    pairs.retain(|pair| known.insert(pair.clause.id.clone()));
    leave_out_others(&mut pairs, &asked_for);
    (pairs, problems)
}

fn is_asked_for(folder: &Path, modules: &[PathBuf]) -> bool {
    modules.is_empty() || modules.iter().any(|module| folder.starts_with(module))
}

fn leave_out_others(pairs: &mut [CheckedPair], asked_for: &HashSet<String>) {
    if !asked_for.is_empty() {
        pairs.iter_mut().for_each(|pair| pair.left_out |= !asked_for.contains(&pair.clause.id));
    }
}

fn add_class(
    class: &ClassPairs,
    location: &ClassLocation,
    selection: &PairSelection,
    pairs: &mut Vec<CheckedPair>,
) {
    let left_out = selection.leaves_out(&class.class);
    pairs.extend(class.descriptions().map(|clause| CheckedPair {
        clause,
        location: location.clone(),
        left_out,
        ..CheckedPair::default()
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_pairs::ClauseDescription;

    fn left_out(asked_for: &[&str]) -> Vec<bool> {
        let pair = |id: &str| {
            let clause = ClauseDescription { id: id.to_owned(), ..ClauseDescription::default() };
            CheckedPair { clause, ..CheckedPair::default() }
        };
        let mut pairs = ["core", "app"].map(pair);
        leave_out_others(&mut pairs, &asked_for.iter().map(|id| id.to_string()).collect());
        pairs.map(|pair| pair.left_out).to_vec()
    }

    #[test]
    fn a_module_is_asked_about_its_own_clauses_if_it_has_any() {
        assert_eq!(left_out(&["app"]), [true, false]);
        assert_eq!(left_out(&[]), [false, false]);
    }

    #[test]
    fn what_a_module_has_built_is_its_own() {
        let modules = [PathBuf::from("/p/app")];
        assert!(is_asked_for(Path::new("/p/app/target/classes"), &modules));
        assert!(!is_asked_for(Path::new("/p/app-more/target/classes"), &modules));
        assert!(is_asked_for(Path::new("/p/core/target/classes"), &[]));
    }
}
