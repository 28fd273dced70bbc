//! Methods that were entered, as marks that woven code sets, one byte for each method.
//!
//! What runs while a class initialiser does is told apart: an initialiser runs once per JVM, for whichever test comes
//! first. Initialisers are counted over all threads, so what another thread enters meanwhile is told apart as well, which
//! is never too little.

use crate::lock;
use catchment_protocol::conversation::Entered;
use std::collections::BTreeSet;
use std::io;
use std::sync::Mutex;

/// Room for the methods of a very large program.
pub(crate) const MOST_MARKS: u32 = 1 << 20;

#[derive(Debug, Default)]
pub(crate) struct Marks(Mutex<MarksState>);

#[derive(Debug, Default)]
struct MarksState {
    allocated: u32,
    /// Initialisers that have begun and not ended.
    initialisers: u32,
    methods: BTreeSet<u32>,
    initialising: BTreeSet<u32>,
}

impl Marks {
    /// The first of so many new marks.
    pub(crate) fn allocate(&self, count: u32) -> io::Result<u32> {
        let mut state = lock(&self.0);
        let first = state.allocated;
        let end = first.checked_add(count).filter(|end| *end <= MOST_MARKS);
        state.allocated = end.ok_or_else(|| io::Error::other("more methods than there are marks"))?;
        Ok(first)
    }

    /// `take` gives the marks that are set, of so many, and clears them. The lock is held meanwhile, so that nobody else
    /// takes a mark between two of its steps; it only copies, and waits for no other thread.
    pub(crate) fn initialiser_begins(&self, take: impl FnOnce(u32) -> Vec<u32>) {
        let mut state = lock(&self.0);
        if state.initialisers == 0 {
            let taken = take(state.allocated);
            state.methods.extend(taken);
        }
        state.initialisers += 1;
    }

    pub(crate) fn initialiser_ends(&self, take: impl FnOnce(u32) -> Vec<u32>) {
        let mut state = lock(&self.0);
        if state.initialisers == 1 {
            state.take(take);
        }
        state.initialisers = state.initialisers.saturating_sub(1);
    }

    /// Everything since this was last asked.
    pub(crate) fn collect(&self, take: impl FnOnce(u32) -> Vec<u32>) -> Entered {
        let mut state = lock(&self.0);
        state.take(take);
        Entered {
            methods: std::mem::take(&mut state.methods).into_iter().collect(),
            initialising: std::mem::take(&mut state.initialising).into_iter().collect(),
        }
    }
}

impl MarksState {
    fn take(&mut self, take: impl FnOnce(u32) -> Vec<u32>) {
        let taken = take(self.allocated);
        if self.initialisers > 0 {
            self.initialising.extend(&taken);
        }
        self.methods.extend(taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_runs_in_an_initialiser_is_told_apart_also_when_others_run_meanwhile() {
        let marks = Marks::default();
        assert_eq!([marks.allocate(5).unwrap(), marks.allocate(3).unwrap()], [0, 5]);
        marks.initialiser_begins(|_| vec![1]);
        marks.initialiser_begins(|_| unreachable!("nothing is to be told apart from it"));
        marks.initialiser_ends(|_| unreachable!("the outer one still runs"));
        marks.initialiser_ends(|_| vec![2, 3]);
        let entered = marks.collect(|count| if count == 8 { vec![4] } else { Vec::new() });
        assert_eq!(entered, Entered { methods: vec![1, 2, 3, 4], initialising: vec![2, 3] });
        assert_eq!(marks.collect(|_| Vec::new()), Entered::default());
    }

    #[test]
    fn an_initialiser_that_still_runs_has_everything_told_apart() {
        let marks = Marks::default();
        marks.initialiser_begins(|_| Vec::new());
        let entered = marks.collect(|_| vec![7]);
        assert_eq!(entered.initialising, [7]);
        marks.initialiser_ends(|_| Vec::new());
        marks.initialiser_ends(|_| Vec::new());
        assert_eq!(marks.collect(|_| vec![7]), Entered { methods: vec![7], initialising: Vec::new() });
    }

    #[test]
    fn there_is_room_for_a_million_methods_and_no_more() {
        let marks = Marks::default();
        assert!(marks.allocate(MOST_MARKS + 1).is_err());
        assert_eq!(marks.allocate(MOST_MARKS).unwrap(), 0);
        assert!(marks.allocate(1).is_err());
    }
}
