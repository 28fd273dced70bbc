//! Names in patched sources that mean another class where they stand.

use crate::stretch::Candidate;
use crate::stretch::refusal::Refusal;
use catchment_classfile::ClassFile;
use catchment_pairs::{Pair, pairs_of};
use catchment_verdicts::CheckedPair;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Refuses the clauses of a method if, compiled, it has fewer clauses for their new type than it should. `patched` is where the
/// patched copy was built. True if there are some. A class that cannot be read says nothing.
pub(crate) fn refuse_misnamed(candidates: &mut [Candidate], patched: &Path, pairs: &[CheckedPair]) -> bool {
    let mut groups: BTreeMap<(&str, &str, &str, String), Vec<usize>> = BTreeMap::new();
    for (index, candidate) in candidates.iter().enumerate() {
        let pair = &pairs[candidate.clause.pair];
        if let Some((_, to)) = candidate.stretching() {
            let key = (
                pair.clause.class.as_str(),
                pair.clause.method.as_str(),
                pair.clause.descriptor.as_str(),
                to.to_owned(),
            );
            groups.entry(key).or_default().push(index);
        }
    }
    let mut misnamed = Vec::new();
    for ((class, method, descriptor, to), group) in groups {
        let Some(subject) = &candidates[group[0]].subject else { continue };
        let is_in = |pair: &Pair| pair.method == method && pair.descriptor == descriptor;
        let found = clauses_for(&patched.join(&subject.path), &to, is_in);
        let own = |pair: &&CheckedPair| {
            pair.clause.class == class && pair.clause.method == method && pair.clause.descriptor == descriptor
        };
        let untouched = pairs.iter().enumerate().filter(|(position, pair)| {
            own(pair) && pair.clause.types == [to.as_str()] && !is_touched(candidates, *position)
        });
        if found.is_some_and(|found| found < group.len() + untouched.count()) {
            misnamed.extend(group);
        }
    }
    for index in &misnamed {
        candidates[*index].clause.refuse(Refusal::Misnamed);
    }
    !misnamed.is_empty()
}

/// Tells whether the patch changes the clause of the pair at this position, or lets it go.
fn is_touched(candidates: &[Candidate], position: usize) -> bool {
    candidates.iter().any(|candidate| {
        let accepted = candidate.clause.accepted.as_ref();
        accepted.is_some_and(|it| candidate.clause.pair == position || it.merges.contains(&position))
    })
}

fn clauses_for(class: &Path, to: &str, is_in: impl Fn(&Pair) -> bool) -> Option<usize> {
    let bytes = fs::read(class).ok()?;
    let pairs = pairs_of(&ClassFile::parse(&bytes).ok()?);
    Some(pairs.pairs.iter().filter(|pair| is_in(pair) && pair.types == [to]).count())
}
