//! Where exceptions that a clause does not catch pass it by.

use catchment_protocol::records::{WovenClass, WovenTry};
use rustc_hash::FxHashMap;

/// By pair id, the counters of what leaves its tries and of what later clauses of them catch. What an earlier clause catches
/// never comes to a clause, whatever type that is for.
#[derive(Debug, Default)]
pub(crate) struct Passing(FxHashMap<String, Vec<u32>>);

impl Passing {
    pub(crate) fn add(&mut self, class: &WovenClass, woven_try: &WovenTry) {
        for (index, clause) in woven_try.clauses.iter().enumerate() {
            let Some(pair) = class.pairs.get(clause.pair as usize) else { continue };
            let later = woven_try.clauses.iter().skip(index + 1).filter(|later| later.pair != clause.pair);
            let counters = later.filter_map(|later| later.caught).chain(woven_try.escape);
            self.0.entry(pair.id.clone()).or_default().extend(counters.map(|counter| class.base + counter));
        }
    }

    pub(crate) fn counters_of(&self, pair: &str) -> impl Iterator<Item = u32> {
        self.0.get(pair).into_iter().flatten().copied()
    }

    pub(crate) fn is_passed(&self, pair: &str, counter: u32) -> bool {
        self.0.get(pair).is_some_and(|counters| counters.contains(&counter))
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
        let mut passing = Passing::default();
        passing.add(&class, &woven_try);
        let of =
            |pair: &str| (90..120).filter(|counter| passing.is_passed(pair, *counter)).collect::<Vec<_>>();
        assert_eq!(of("a"), [102, 103, 104, 106]);
        assert_eq!(of("b"), [104, 106]);
        assert_eq!(of("c"), [106]);
        assert!(of("d").is_empty());
        assert!(passing.counters_of("b").all(|counter| [104, 106].contains(&counter)));
    }
}
