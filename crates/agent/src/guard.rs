//! The decision whether a visit of an experiment's site is hit. Pure: numbers in, yes or no out.

use catchment_protocol::experiment::Visits;
use rustc_hash::FxHashSet;

/// Selects among the visits that count.
#[derive(Debug)]
pub(crate) struct Guard {
    visits: Visits,
    /// Visits that counted so far.
    counted: u64,
    hit: u64,
    /// Executions of the try of which a visit was hit.
    executions: FxHashSet<u64>,
}

impl Guard {
    pub(crate) fn new(visits: Visits) -> Self {
        Self { visits, counted: 0, hit: 0, executions: FxHashSet::default() }
    }

    /// A visit that counts, in this execution of the try if executions are told apart: whether it is hit.
    pub(crate) fn visit(&mut self, execution: Option<u64>) -> bool {
        let before = self.counted;
        self.counted += 1;
        let is_hit = match self.visits {
            Visits::None => false,
            Visits::Every => true,
            Visits::Only(number) => number == before,
            Visits::FirstOfEach => execution.is_some_and(|execution| self.executions.insert(execution)),
        };
        self.hit += u64::from(is_hit);
        is_hit
    }

    /// Visits that were hit.
    pub(crate) fn hit(&self) -> u64 {
        self.hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of the visits that are hit, of visits in these executions.
    fn hits(visits: Visits, executions: &[Option<u64>]) -> Vec<usize> {
        let mut guard = Guard::new(visits);
        let hits: Vec<_> = (0..executions.len()).filter(|&index| guard.visit(executions[index])).collect();
        assert_eq!(guard.hit(), hits.len() as u64);
        hits
    }

    #[test]
    fn each_selection_hits_its_visits() {
        let executions = [Some(0), Some(0), Some(1), Some(0), Some(2)];
        assert_eq!(hits(Visits::None, &executions), [] as [usize; 0]);
        assert_eq!(hits(Visits::Every, &executions), [0, 1, 2, 3, 4]);
        assert_eq!(hits(Visits::Only(3), &executions), [3]);
        assert_eq!(hits(Visits::Only(5), &executions), [] as [usize; 0]);
        assert_eq!(hits(Visits::FirstOfEach, &executions), [0, 2, 4]);
    }

    #[test]
    fn without_executions_none_is_the_first_of_one() {
        assert_eq!(hits(Visits::FirstOfEach, &[None, None]), [] as [usize; 0]);
        assert_eq!(hits(Visits::Every, &[None, None]), [0, 1]);
    }
}
