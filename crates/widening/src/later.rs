//! Later clauses of a try whose clause catches more: the exceptions that are left to them.

use crate::hierarchy::Hierarchy;
use crate::illegal::Illegal;
use catchment_classfile::ClassFile;
use catchment_flow::{FlowError, Retype, are_alike, retype_clauses};
use catchment_pairs::{ClassPairs, Pair};

/// The fate of the later clauses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Later {
    /// Ids of those that nothing comes to any more, and that do just what the widened one does.
    pub merged: Vec<String>,
    /// The line of one that has caught exceptions of the new type so far, and goes on catching others.
    pub takes_from: Option<u32>,
}

/// The fate of the clauses behind the one with this try and number. Illegal if one could not be reached any more that
/// does something else: compilers do not take that, and nobody wants it.
pub(crate) fn later(
    class: &ClassFile<'_>,
    pairs: &ClassPairs,
    (index, clause): (usize, usize),
    rung: &str,
    hierarchy: &Hierarchy<'_>,
) -> Result<Later, Illegal> {
    let mut found = Later::default();
    for other in clause + 1..pairs.tries[index].clauses.len() {
        let Some(pair) = pairs.pairs.get(pairs.pair_of(index, other)) else { continue };
        let is_left_out = |exception: &String| hierarchy.is_subclass(exception, rung);
        match pair.types.iter().find(|exception| is_left_out(exception)) {
            None => found.takes_from = found.takes_from.or_else(|| takes_from(pair, rung, hierarchy)),
            Some(exception) => {
                let is_merged = pair.types.iter().all(is_left_out)
                    && do_the_same(class, pairs, index, [clause, other], rung).unwrap_or(false);
                if !is_merged {
                    return Err(Illegal::LaterClause { exception: exception.clone(), line: pair.catch_line });
                }
                found.merged.push(pair.id.clone());
            }
        }
    }
    Ok(found)
}

fn takes_from(pair: &Pair, rung: &str, hierarchy: &Hierarchy<'_>) -> Option<u32> {
    let catches = |exception: &String| hierarchy.is_subclass(rung, exception);
    pair.types.iter().any(catches).then_some(pair.catch_line)?
}

/// Tells whether the clauses do the same once both catch `rung`.
fn do_the_same(
    class: &ClassFile<'_>,
    pairs: &ClassPairs,
    index: usize,
    [one, other]: [usize; 2],
    rung: &str,
) -> Result<bool, FlowError> {
    let site = &pairs.tries[index];
    let retypes = [one, other].map(|clause| Retype { compiled_try: site, clause, to: rung });
    let retyped = retype_clauses(class, &retypes)?;
    are_alike(&ClassFile::parse(&retyped)?, site, one, other)
}
