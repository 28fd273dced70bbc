//! Woven classes as records: from the weaver's numbering to the wire.

use catchment_pairs::{ClassPairs, Pair};
use catchment_protocol::records::{SkippedMethod, WovenClass, WovenClause, WovenPair, WovenTry};
use catchment_weave::{ProbePoint, Woven};
use rustc_hash::FxHashSet;

/// The origin of a class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Delivered<'a> {
    /// Binary name with dots.
    pub(crate) class: &'a str,
    pub(crate) bytes: &'a [u8],
    pub(crate) code_source: &'a str,
    pub(crate) changed_before: bool,
}

/// The record of a woven class, but for its base: probes are numbered from 0.
pub(crate) fn woven_class(
    delivered: &Delivered<'_>,
    hash: u64,
    pairs: &ClassPairs,
    points: &[ProbePoint],
    woven: &Woven<'_>,
) -> WovenClass {
    WovenClass {
        class: delivered.class.to_owned(),
        hash,
        base: 0,
        counters: points.len() as u32,
        code_source: delivered.code_source.to_owned(),
        source_file: pairs.source_file.clone(),
        changed_before: delivered.changed_before,
        pairs: pairs.pairs.iter().map(woven_pair).collect(),
        tries: woven_tries(pairs, points, woven),
        skipped: woven.skipped.iter().map(skipped_method).collect(),
    }
}

fn woven_pair(pair: &Pair) -> WovenPair {
    WovenPair {
        id: pair.id.clone(),
        method: pair.method.clone(),
        descriptor: pair.descriptor.clone(),
        types: pair.types.clone(),
        try_line: pair.try_line,
        try_end_line: pair.try_end_line,
        catch_line: pair.catch_line,
        catch_end_line: pair.catch_end_line,
        parent: pair.parent.map(|index| index as u32),
        source: pair.source.clone(),
        maybe_generated: pair.maybe_generated,
    }
}

fn skipped_method(skipped: &catchment_weave::SkippedMethod) -> SkippedMethod {
    SkippedMethod {
        method: skipped.name.clone(),
        descriptor: skipped.descriptor.clone(),
        reason: skipped.reason.clone(),
    }
}

/// The tries that really carry probes: a method the weaver skipped has none, though its probes are numbered.
fn woven_tries(pairs: &ClassPairs, points: &[ProbePoint], woven: &Woven<'_>) -> Vec<WovenTry> {
    let tries = (0..pairs.tries.len()).map(|try_site| try_without_probes(pairs, try_site));
    let mut tries: Vec<WovenTry> = tries.collect();
    for (number, point) in points.iter().enumerate() {
        place_probe(&mut tries, *point, number as u32);
    }
    let skipped: FxHashSet<usize> = woven.skipped.iter().map(|skipped| skipped.method).collect();
    let with_methods = tries.into_iter().zip(&pairs.tries);
    with_methods.filter(|(_, site)| !skipped.contains(&site.method)).map(|(woven_try, _)| woven_try).collect()
}

fn try_without_probes(pairs: &ClassPairs, try_site: usize) -> WovenTry {
    let clauses = (0..pairs.tries[try_site].clauses.len())
        .map(|clause| WovenClause { pair: pairs.pair_of(try_site, clause) as u32, caught: None });
    WovenTry { clauses: clauses.collect(), ..WovenTry::default() }
}

fn place_probe(tries: &mut [WovenTry], point: ProbePoint, number: u32) {
    match point {
        ProbePoint::TryEnter { try_site } => tries[try_site].enter = Some(number),
        ProbePoint::TryExit { try_site } => tries[try_site].exit = Some(number),
        ProbePoint::TryEscape { try_site } => tries[try_site].escape = Some(number),
        ProbePoint::Caught { try_site, clause } => tries[try_site].clauses[clause].caught = Some(number),
        ProbePoint::Throwing { .. }
        | ProbePoint::Call { .. }
        | ProbePoint::MethodEnter { .. }
        | ProbePoint::MethodExit { .. }
        | ProbePoint::MethodEscape { .. } => {}
    }
}
