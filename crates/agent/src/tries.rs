//! The woven tries of each pair: where they begin, how their executions end, what their clauses catch.

use crate::mapping::CounterFile;
use crate::occurrences::Ended;
use catchment_protocol::records::{CounterKind, WovenClass, WovenTry};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Clause that a counter stands for.
#[derive(Debug, Clone)]
struct Clause {
    pair: Arc<str>,
    types: Arc<[String]>,
}

/// All tries woven so far; pairs are named by their stable ids.
#[derive(Debug, Default)]
pub(crate) struct WovenTries {
    /// Counters of the beginnings of a pair's tries.
    entries: FxHashMap<String, Vec<u32>>,
    /// Types caught by the clauses in front of a pair's in its tries; pairs without such clauses are left out.
    earlier: FxHashMap<String, BTreeSet<String>>,
    /// Counters that tell how executions of a pair's tries ended.
    endings: FxHashMap<String, Vec<(CounterKind, u32)>>,
    /// Clauses by the counters of what they catch.
    clauses: FxHashMap<u32, Clause>,
    /// Counters of what leaves a pair's tries and of what later clauses of them catch. What an earlier clause catches
    /// never comes to a clause, whatever type that is for.
    passing: FxHashMap<String, Vec<u32>>,
}

impl WovenTries {
    pub(crate) fn add(&mut self, class: &WovenClass, woven_try: &WovenTry) {
        self.add_earlier(class, woven_try);
        self.add_endings(class, woven_try);
        self.add_passing(class, woven_try);
        for clause in &woven_try.clauses {
            let Some(pair) = class.pairs.get(clause.pair as usize) else { continue };
            if let Some(enter) = woven_try.enter {
                self.entries.entry(pair.id.clone()).or_default().push(class.base + enter);
            }
            if let Some(caught) = clause.caught {
                let known = Clause { pair: pair.id.as_str().into(), types: pair.types.as_slice().into() };
                self.clauses.insert(class.base + caught, known);
            }
        }
    }

    fn add_earlier(&mut self, class: &WovenClass, woven_try: &WovenTry) {
        let mut types: Vec<&String> = Vec::new();
        for clause in &woven_try.clauses {
            let Some(pair) = class.pairs.get(clause.pair as usize) else { continue };
            if !types.is_empty() {
                let earlier = self.earlier.entry(pair.id.clone()).or_default();
                earlier.extend(types.iter().map(|name| (*name).clone()));
            }
            types.extend(&pair.types);
        }
    }

    fn add_endings(&mut self, class: &WovenClass, woven_try: &WovenTry) {
        for (pair, kind, counter) in woven_try.counters().filter(|(_, kind, _)| *kind != CounterKind::Entry) {
            if let Some(pair) = class.pairs.get(pair as usize) {
                self.endings.entry(pair.id.clone()).or_default().push((kind, class.base + counter));
            }
        }
    }

    fn add_passing(&mut self, class: &WovenClass, woven_try: &WovenTry) {
        for (index, clause) in woven_try.clauses.iter().enumerate() {
            let Some(pair) = class.pairs.get(clause.pair as usize) else { continue };
            let later = woven_try.clauses.iter().skip(index + 1).filter(|later| later.pair != clause.pair);
            let counters = later.filter_map(|later| later.caught).chain(woven_try.escape);
            let passing = self.passing.entry(pair.id.clone()).or_default();
            passing.extend(counters.map(|counter| class.base + counter));
        }
    }

    /// Counters of the beginnings of the pair's tries.
    pub(crate) fn entries_of(&self, pair: &str) -> impl Iterator<Item = u32> {
        self.entries.get(pair).into_iter().flatten().copied()
    }

    /// Counters of what the pair's clause catches.
    pub(crate) fn catches_of(&self, pair: &str) -> impl Iterator<Item = u32> {
        let clauses = self.clauses.iter().filter(move |(_, clause)| &*clause.pair == pair);
        clauses.map(|(counter, _)| *counter)
    }

    /// Types that the clause of this counter names.
    pub(crate) fn types_of(&self, counter: u32) -> Option<Arc<[String]>> {
        self.clauses.get(&counter).map(|clause| Arc::clone(&clause.types))
    }

    /// Executions of the pair's tries that have ended so far.
    pub(crate) fn ended(&self, pair: Option<&str>, counters: &CounterFile) -> Ended {
        let mut ended = Ended::default();
        for (kind, counter) in pair.and_then(|pair| self.endings.get(pair)).into_iter().flatten() {
            ended.add(*kind, counters.total(*counter));
        }
        ended
    }

    /// Types caught by the clauses in front of the pair's.
    pub(crate) fn earlier(&self, pair: Option<&str>) -> Arc<[String]> {
        pair.and_then(|pair| self.earlier.get(pair)).into_iter().flatten().cloned().collect()
    }

    /// The clause of this counter is the pair's.
    pub(crate) fn is_clause_of(&self, counter: u32, pair: Option<&str>) -> bool {
        self.clauses.get(&counter).is_some_and(|clause| Some(&*clause.pair) == pair)
    }

    /// The clause of this counter names exactly this type.
    pub(crate) fn clause_names(&self, counter: u32, exception: &str) -> bool {
        self.clauses.get(&counter).is_some_and(|clause| clause.types.iter().any(|name| name == exception))
    }

    /// An exception of this type at the clause of this counter tells how one of the clause's own types looks: the
    /// clause names it, or it can only be narrower than the single type that the clause names.
    pub(crate) fn clause_tells(&self, counter: u32, exception: &str) -> bool {
        let tells = |clause: &Clause| match &*clause.types {
            [_] => true,
            types => types.iter().any(|name| name == exception),
        };
        self.clauses.get(&counter).is_some_and(tells)
    }

    /// Counters of the exceptions that pass the pair's clause.
    pub(crate) fn passing(&self, pair: &str) -> impl Iterator<Item = u32> {
        self.passing.get(pair).into_iter().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_protocol::records::{WovenClause, WovenPair};

    #[test]
    fn a_clause_is_passed_by_what_later_ones_catch_and_by_what_leaves_the_try() {
        let pairs = ["a", "b", "c"].map(|id| WovenPair { id: id.into(), ..WovenPair::default() }).to_vec();
        // The second pair catches two types, each with a row of its own.
        let clauses = [(0, 1), (1, 2), (1, 3), (2, 4)];
        let clauses = clauses.map(|(pair, caught)| WovenClause { pair, caught: Some(caught) }).to_vec();
        let woven_try = WovenTry { enter: Some(0), exit: Some(5), escape: Some(6), clauses };
        let class = WovenClass { base: 100, pairs, ..WovenClass::default() };
        let mut tries = WovenTries::default();
        tries.add(&class, &woven_try);
        let of = |pair: &str| Vec::from_iter(tries.passing(pair).collect::<BTreeSet<_>>());
        assert_eq!(of("a"), [102, 103, 104, 106]);
        assert_eq!(of("b"), [104, 106]);
        assert_eq!(of("c"), [106]);
        assert!(of("d").is_empty());
    }
}
