//! In which order the executions of one try began, and how each ended.
//!
//! The end of an execution is no event: only counters move. So they are read whenever an execution begins, whenever some
//! clause catches, and at the end of the test. Executions that have ended between two readings are the innermost that
//! were open: calls return in the reverse order. That holds for one thread whose open executions are all on its
//! stack. Several threads, and coroutines, which leave the stack without ending, are noticed, and said.

use catchment_protocol::occurrences::{Colour, Occurrence, Occurrences};
use catchment_protocol::records::CounterKind;
use std::thread::{self, ThreadId};

/// No more are kept.
const MOST_KEPT: usize = 1 << 20;

/// Number of executions that have ended, by colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Ended {
    pink: u64,
    white: u64,
    blue: u64,
}

impl Ended {
    pub(crate) fn add(&mut self, kind: CounterKind, count: u64) {
        match kind {
            CounterKind::Entry => {}
            CounterKind::Pink => self.pink += count,
            CounterKind::White => self.white += count,
            CounterKind::Sibling(_) | CounterKind::Escaped => self.blue += count,
        }
    }

    /// Two threads may compare in another order than that in which they read the counters.
    fn latest(self, other: Self) -> Self {
        Self {
            pink: self.pink.max(other.pink),
            white: self.white.max(other.white),
            blue: self.blue.max(other.blue),
        }
    }

    fn since(self, earlier: Self) -> Self {
        Self {
            pink: self.pink.saturating_sub(earlier.pink),
            white: self.white.saturating_sub(earlier.white),
            blue: self.blue.saturating_sub(earlier.blue),
        }
    }

    fn count(self) -> u64 {
        self.pink + self.white + self.blue
    }

    fn colour(self) -> Colour {
        match (self.pink, self.white, self.blue) {
            (_, 0, 0) => Colour::Pink,
            (0, _, 0) => Colour::White,
            (0, 0, _) => Colour::Blue,
            _ => Colour::Unsure,
        }
    }
}

#[derive(Debug)]
pub(crate) struct OccurrenceLog {
    kept: Vec<Occurrence>,
    /// Indices of those that have not ended, outermost first.
    open: Vec<usize>,
    ended: Ended,
    begun: u64,
    thread: Option<ThreadId>,
    is_interleaved: bool,
}

impl OccurrenceLog {
    /// `ended` are those that do not count any more.
    pub(crate) fn new(ended: Ended) -> Self {
        Self { kept: Vec::new(), open: Vec::new(), ended, begun: 0, thread: None, is_interleaved: false }
    }

    /// One more begins in this thread; how many did before. `ended` are all that have so far, `on_stack` says how
    /// many calls of its method this thread is in.
    pub(crate) fn begin(&mut self, ended: Ended, on_stack: impl FnOnce() -> usize) -> u64 {
        self.close_ended(ended);
        let thread = thread::current().id();
        self.is_interleaved |= *self.thread.get_or_insert(thread) != thread;
        self.is_interleaved |= !self.open.is_empty() && on_stack() <= self.open.len();
        if self.kept.len() < MOST_KEPT {
            let depth = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
            self.open.push(self.kept.len());
            self.kept.push(Occurrence { depth, colour: Colour::Open });
        }
        let before = self.begun;
        self.begun += 1;
        before
    }

    /// Gives the one that has just ended in the catch, if exactly one has since the last look.
    pub(crate) fn close_ended(&mut self, ended: Ended) -> Option<u64> {
        let ended = ended.latest(self.ended);
        let new = ended.since(std::mem::replace(&mut self.ended, ended));
        let colour = new.colour();
        let mut outermost = None;
        for _ in 0..new.count() {
            let Some(innermost) = self.open.pop() else { break };
            self.kept[innermost].colour = colour;
            outermost = Some(innermost as u64);
        }
        outermost.filter(|_| new.white == 1 && colour == Colour::White)
    }

    /// True if any has begun that was not seen to end.
    pub(crate) fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// The execution that this thread is in, the innermost.
    pub(crate) fn within(&mut self, ended: Ended) -> Option<u64> {
        self.close_ended(ended);
        let is_here = self.thread == Some(thread::current().id());
        self.open.last().filter(|_| is_here).map(|index| *index as u64)
    }

    /// Without the one that began last.
    pub(crate) fn so_far(&self) -> Occurrences {
        self.of(&self.kept[..self.kept.len().saturating_sub(1)])
    }

    pub(crate) fn all(&self) -> Occurrences {
        self.of(&self.kept)
    }

    fn of(&self, kept: &[Occurrence]) -> Occurrences {
        let mut occurrences = Occurrences::default();
        kept.iter().for_each(|each| occurrences.push(*each));
        occurrences.is_cut |= self.begun > self.kept.len() as u64;
        occurrences.is_interleaved = self.is_interleaved;
        occurrences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(pink: u64, white: u64, blue: u64) -> Ended {
        Ended { pink, white, blue }
    }

    fn colours(log: &OccurrenceLog) -> Vec<(u32, Colour)> {
        log.all().iter().map(|each| (each.depth, each.colour)).collect()
    }

    #[test]
    fn one_after_the_other_each_has_the_colour_that_moved() {
        let mut log = OccurrenceLog::new(ended(7, 7, 7));
        assert_eq!(log.begin(ended(7, 7, 7), || 9), 0);
        assert_eq!(log.begin(ended(8, 7, 7), || 9), 1);
        assert_eq!(log.begin(ended(8, 8, 7), || 9), 2);
        assert_eq!(
            log.so_far().iter().map(|each| each.colour).collect::<Vec<_>>(),
            [Colour::Pink, Colour::White]
        );
        log.close_ended(ended(8, 8, 8));
        assert_eq!(log.begin(ended(8, 8, 8), || 9), 3);
        use Colour::{Blue, Open, Pink, White};
        assert_eq!(colours(&log), [(0, Pink), (0, White), (0, Blue), (0, Open)]);
    }

    #[test]
    fn the_innermost_ends_first_and_several_in_several_ways_are_unsure() {
        let mut log = OccurrenceLog::new(ended(0, 0, 0));
        log.begin(ended(0, 0, 0), || 9);
        log.begin(ended(0, 0, 0), || 9);
        log.begin(ended(0, 1, 0), || 9);
        log.close_ended(ended(1, 1, 0));
        assert_eq!(colours(&log), [(0, Colour::Open), (1, Colour::White), (1, Colour::Pink)]);
        log.begin(ended(1, 1, 0), || 9);
        log.close_ended(ended(2, 2, 0));
        let unsure = [(0, Colour::Unsure), (1, Colour::White), (1, Colour::Pink), (1, Colour::Unsure)];
        assert_eq!(colours(&log), unsure);
        log.begin(ended(2, 2, 0), || 9);
        log.close_ended(ended(4, 2, 0));
        assert_eq!(colours(&log).last(), Some(&(0, Colour::Pink)), "more ended than were open");
    }

    #[test]
    fn who_looks_late_takes_nothing_back() {
        let mut log = OccurrenceLog::new(ended(0, 0, 0));
        log.begin(ended(0, 0, 0), || 9);
        log.begin(ended(0, 1, 0), || 9);
        log.close_ended(ended(0, 0, 0));
        log.begin(ended(1, 1, 0), || 9);
        assert_eq!(colours(&log), [(0, Colour::White), (0, Colour::Pink), (0, Colour::Open)]);
    }

    #[test]
    fn an_open_execution_that_is_not_on_the_stack_is_noticed() {
        let mut log = OccurrenceLog::new(Ended::default());
        log.begin(Ended::default(), || 1);
        log.begin(Ended::default(), || 2);
        assert!(!log.all().is_interleaved);
        log.begin(Ended::default(), || 2);
        assert!(log.all().is_interleaved);
    }

    #[test]
    fn two_threads_are_noticed() {
        let mut log = OccurrenceLog::new(Ended::default());
        log.begin(Ended::default(), || 9);
        assert!(!log.all().is_interleaved);
        thread::scope(|scope| scope.spawn(|| log.begin(Ended::default(), || 9)).join()).expect("no panic");
        assert!(log.all().is_interleaved);
    }
}
