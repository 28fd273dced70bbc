//! How the executions of one try ended, in the order in which they began.

use serde::{Deserialize, Serialize};

/// More runs of like executions than this are cut off.
const MAX_RUNS: usize = 65_536;

/// How an execution of a try ended, as seen from one of its clauses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Colour {
    Pink,
    White,
    Blue,
    /// The execution had not ended.
    Open,
    /// The execution ended within others that ended differently before anybody looked.
    Unsure,
}

/// One execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Occurrence {
    /// Number of executions of the same try that it began in.
    pub depth: u32,
    pub colour: Colour,
}

/// The executions of a try during one run of a test. Meaningful only if each lies wholly in another or outside it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Occurrences {
    runs: Vec<(Occurrence, u64)>,
    /// There were more.
    pub is_cut: bool,
    /// Several threads or coroutines executed the try, and some of their executions overlap, or may.
    pub is_interleaved: bool,
}

impl Occurrences {
    pub fn push(&mut self, occurrence: Occurrence) {
        let is_full = self.runs.len() == MAX_RUNS;
        match self.runs.last_mut() {
            _ if self.is_cut => {}
            Some((last, count)) if *last == occurrence => *count += 1,
            _ if is_full => self.is_cut = true,
            _ => self.runs.push((occurrence, 1)),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = Occurrence> {
        self.runs.iter().flat_map(|(occurrence, count)| (0..*count).map(|_| *occurrence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(depth: u32, colour: Colour) -> Occurrence {
        Occurrence { depth, colour }
    }

    #[test]
    fn like_ones_in_a_row_take_no_room_and_come_back_one_by_one() {
        let all = [of(0, Colour::Pink), of(0, Colour::Pink), of(1, Colour::Pink), of(0, Colour::White)];
        let mut occurrences = Occurrences::default();
        all.into_iter().for_each(|each| occurrences.push(each));
        assert_eq!(occurrences.runs.len(), 3);
        assert_eq!(occurrences.iter().collect::<Vec<_>>(), all);
    }

    #[test]
    fn what_is_cut_off_leaves_no_gap_behind_it() {
        let mut occurrences = Occurrences::default();
        for number in 0..70_000_u32 {
            occurrences.push(of(number % 2, Colour::Pink));
        }
        assert!(occurrences.is_cut);
        assert_eq!(occurrences.iter().count(), MAX_RUNS);
        // Equal to the last one that was kept, but not the next one.
        occurrences.push(of(1, Colour::Pink));
        assert_eq!(occurrences.iter().count(), MAX_RUNS);
    }
}
