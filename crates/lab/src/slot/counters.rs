//! Meanings of the counters of one JVM, and the usages of pairs that counts amount to.

use crate::observations::PairNumber;
use catchment_protocol::records::{CounterKind, WovenClass, WovenTry};
use catchment_watch::Usages;
use std::collections::{BTreeMap, HashMap};

/// Numbers of the known pairs, by stable id.
pub(crate) type PairNumbers = HashMap<String, PairNumber>;

/// Filled as the JVM weaves classes.
#[derive(Debug, Default)]
pub(crate) struct CounterMeanings {
    kinds: HashMap<u32, Vec<(PairNumber, CounterKind)>>,
    /// The pair whose clause a counter counts.
    clauses: HashMap<u32, PairNumber>,
}

impl CounterMeanings {
    /// Pairs that are not known (another agent changed the class) count for nothing.
    pub(crate) fn add_class(&mut self, class: &WovenClass, number_of: impl Fn(&str) -> Option<PairNumber>) {
        let pairs: Vec<_> = class.pairs.iter().map(|pair| number_of(&pair.id)).collect();
        let number = |index: u32| pairs.get(index as usize).copied().flatten();
        for woven_try in &class.tries {
            self.add_try(class.base, woven_try, number);
        }
    }

    fn add_try(&mut self, base: u32, woven_try: &WovenTry, number: impl Fn(u32) -> Option<PairNumber>) {
        for (pair, kind, counter) in woven_try.roles() {
            if let (Some(pair), Some(counter)) = (number(pair), base.checked_add(counter)) {
                self.kinds.entry(counter).or_default().push((pair, kind));
            }
        }
        for clause in &woven_try.clauses {
            let counter = clause.caught.and_then(|caught| base.checked_add(caught));
            if let (Some(counter), Some(own)) = (counter, number(clause.pair)) {
                self.clauses.insert(counter, own);
            }
        }
    }

    pub(crate) fn usages(&self, counted: &[(u32, u64)]) -> Vec<(PairNumber, Usages)> {
        let mut sums: BTreeMap<PairNumber, Usages> = BTreeMap::new();
        for (counter, count) in counted {
            for (pair, kind) in self.kinds.get(counter).into_iter().flatten() {
                sums.entry(*pair).or_default().count(*kind, *count);
            }
        }
        sums.into_iter().collect()
    }

    pub(crate) fn clause_of(&self, counter: u32) -> Option<PairNumber> {
        self.clauses.get(&counter).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observations::by_colour;
    use catchment_protocol::records::{WovenClause, WovenPair};

    fn pair(id: &str) -> WovenPair {
        WovenPair { id: id.into(), ..WovenPair::default() }
    }

    /// Two clauses of one try, numbered from 100.
    fn class() -> WovenClass {
        WovenClass {
            base: 100,
            pairs: vec![pair("first"), pair("second")],
            tries: vec![WovenTry {
                enter: Some(0),
                exit: Some(1),
                escape: Some(2),
                clauses: vec![
                    WovenClause { pair: 0, caught: Some(3) },
                    WovenClause { pair: 1, caught: Some(4) },
                ],
            }],
            ..WovenClass::default()
        }
    }

    #[test]
    fn what_one_clause_catches_is_blue_for_its_sibling() {
        let number_of = |id: &str| Some(PairNumber(if id == "first" { 1 } else { 2 }));
        let mut meanings = CounterMeanings::default();
        meanings.add_class(&class(), number_of);
        let usages = meanings.usages(&[(100, 9), (101, 4), (102, 1), (103, 2), (104, 1), (999, 5)]);
        let expected = [
            (PairNumber(1), Usages { entries: 9, pink: 4, white: 2, sibling: 1, escaped: 1 }),
            (PairNumber(2), Usages { entries: 9, pink: 4, white: 1, sibling: 2, escaped: 1 }),
        ];
        assert_eq!(usages, expected);
        assert_eq!(by_colour(&usages[0].1).open, 1);
        assert_eq!(meanings.clause_of(104), Some(PairNumber(2)));
        assert_eq!(meanings.clause_of(100), None);
    }

    #[test]
    fn pairs_nobody_knows_count_for_nothing() {
        let mut meanings = CounterMeanings::default();
        meanings.add_class(&class(), |id| (id == "second").then_some(PairNumber(2)));
        let usages = meanings.usages(&[(100, 2), (103, 1)]);
        assert_eq!(usages, [(PairNumber(2), Usages { entries: 2, sibling: 1, ..Usages::default() })]);
    }
}
