//! The pairs of the whole application, loaded or not.

use crate::project::Project;
use catchment_classfile::ClassFile;
use catchment_pairs::{ClassPairs, Pair, pairs_of};
use catchment_program::{LoadOptions, visit};
use catchment_protocol::pattern;
use catchment_verdicts::{CheckedPair, Problem};
use std::collections::{BTreeSet, HashSet};

/// Which classes' pairs are asked about; empty means all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PairSelection {
    pub include: Vec<String>,
    pub exclude: Vec<String>,
}

impl PairSelection {
    fn leaves_out(&self, class: &str) -> bool {
        let matches = |patterns: &[String]| patterns.iter().any(|each| pattern::matches(each, class));
        matches(&self.exclude) || !self.include.is_empty() && !matches(&self.include)
    }
}

/// Pairs in the class folders of all configurations, in the order of their classes; equal ids are one pair.
pub(crate) fn application_pairs(
    project: &Project,
    selection: &PairSelection,
) -> (Vec<CheckedPair>, Vec<Problem>) {
    let folders: BTreeSet<_> =
        project.configurations.iter().flat_map(|configuration| &configuration.application).collect();
    let (mut pairs, mut problems) = (Vec::new(), Vec::new());
    for folder in folders {
        let visited =
            visit(folder, &LoadOptions::default(), &mut |class| match ClassFile::parse(class.bytes) {
                Ok(parsed) => add_class(&pairs_of(&parsed), selection, &mut pairs),
                Err(error) => problems.push(Problem { place: class.place(), what: error.to_string() }),
            });
        match visited {
            Ok(report) => problems.extend(
                report.problems.iter().map(|each| Problem { place: each.place(), what: each.what.clone() }),
            ),
            Err(error) => {
                problems.push(Problem { place: folder.display().to_string(), what: error.to_string() });
            }
        }
    }
    pairs.sort_by(|a, b| a.class.cmp(&b.class));
    let mut known = HashSet::new();
    pairs.retain(|pair| known.insert(pair.id.clone()));
    (pairs, problems)
}

fn add_class(class: &ClassPairs, selection: &PairSelection, pairs: &mut Vec<CheckedPair>) {
    let left_out = selection.leaves_out(&class.class);
    pairs.extend(class.pairs.iter().map(|pair| CheckedPair { left_out, ..checked_pair(class, pair) }));
}

fn checked_pair(class: &ClassPairs, pair: &Pair) -> CheckedPair {
    let parent = pair.parent.and_then(|parent| class.pairs.get(parent));
    CheckedPair {
        id: pair.id.clone(),
        class: class.class.clone(),
        method: pair.method.clone(),
        descriptor: pair.descriptor.clone(),
        types: pair.types.clone(),
        source_file: pair.source.clone().or_else(|| class.source_file.clone()),
        try_line: pair.try_line,
        catch_line: pair.catch_line,
        parent: parent.map(|parent| parent.id.clone()),
        maybe_generated: pair.maybe_generated,
        ..CheckedPair::default()
    }
}
