//! Histories: the executions of a try in a plain run, and the choice of those that are hit one at a time.

use crate::trial::ask::Unavailable;
use catchment_protocol::conversation::{self, TestRun};
use catchment_protocol::experiment::Sample;
use catchment_protocol::occurrences::{Colour, Occurrence, Occurrences};
use catchment_verdicts::{Attempt, ColourCounts, NoOutcome, Outcome};
use std::collections::HashMap;

/// The largest number of executions of a test that are asked: the first, the last and some between.
const MOST_ASKED: usize = 10;

/// The executions of a try during a test that passes, in the order in which they began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct History {
    executions: Vec<Occurrence>,
    /// Samples of what the clause caught, by execution.
    samples: HashMap<u64, Sample>,
}

impl History {
    /// Indices of the first and the last that end in the catch, and of some between.
    pub(crate) fn chosen(&self) -> Vec<usize> {
        let white = (0..).zip(&self.executions).filter(|(_, each)| each.colour == Colour::White);
        let white: Vec<_> = white.map(|(index, _)| index).collect();
        match white.len() {
            count if count <= MOST_ASKED => white,
            count => (0..MOST_ASKED).map(|n| white[n * (count - 1) / (MOST_ASKED - 1)]).collect(),
        }
    }

    /// Tells whether that execution is to be hit with this type, one of those that the clause names: not if it is known
    /// to have caught another of them. That would be another exception, not the same one from another source.
    pub(crate) fn concerns(&self, execution: usize, exception: &str, types: &[String]) -> bool {
        let caught = self.samples.get(&(execution as u64)).map(|sample| &sample.exception);
        caught.is_none_or(|caught| caught == exception || !types.contains(caught))
    }

    /// The sample of what that execution caught, where it says what an exception of this type looks like.
    pub(crate) fn sample(&self, execution: usize, exception: &str, is_only_type: bool) -> Option<Sample> {
        let caught = self.samples.get(&(execution as u64));
        caught.filter(|sample| is_only_type || sample.exception == exception).cloned()
    }

    /// The executions before one, as they look when it begins.
    pub(crate) fn before(&self, execution: usize) -> Vec<Occurrence> {
        seen_before(&self.executions, execution)
    }
}

/// The run of a test that only watched. `usages` are those of the baseline.
pub(crate) fn executions_of(run: &TestRun, usages: &ColourCounts) -> Result<History, Unavailable> {
    if run.outcome != conversation::Outcome::Passed {
        return Err(Unavailable::for_now("it does not pass"));
    }
    let Some(observed) = &run.observed else { return Err(Unavailable::for_now("it was not watched")) };
    let occurrences = &observed.executions;
    if occurrences.is_interleaved {
        return Err(Unavailable::lasting("several threads or coroutines execute the try"));
    }
    if occurrences.is_cut {
        return Err(Unavailable::lasting("there are too many"));
    }
    let executions: Vec<_> = occurrences.iter().collect();
    if executions.iter().any(|occurrence| occurrence.colour == Colour::Unsure) {
        return Err(Unavailable::lasting("some end within others, and in different ways"));
    }
    let count = |colour| executions.iter().filter(|each| each.colour == colour).count() as u64;
    let found = ColourCounts {
        pink: count(Colour::Pink),
        white: count(Colour::White),
        blue: count(Colour::Blue),
        open: count(Colour::Open),
    };
    if found != *usages {
        return Err(Unavailable::for_now("they are not the same in every run"));
    }
    Ok(History { executions, samples: observed.samples.iter().cloned().collect() })
}

/// The executions before one as they look when it begins: those it began in have not ended.
fn seen_before(history: &[Occurrence], execution: usize) -> Vec<Occurrence> {
    let mut before = history[..execution].to_vec();
    let mut depth = history[execution].depth;
    for occurrence in before.iter_mut().rev() {
        if depth > 0 && occurrence.depth == depth - 1 {
            depth -= 1;
            occurrence.colour = Colour::Open;
        }
    }
    before
}

/// A run that was not what it is with nothing armed before the exception came is evidence for nothing.
pub(crate) fn invalidate_if_diverged(
    attempt: Attempt,
    before: &[Occurrence],
    found: Option<&Occurrences>,
) -> Attempt {
    let is_same = found.is_some_and(|found| {
        !found.is_interleaved && !found.is_cut && found.iter().eq(before.iter().copied())
    });
    match attempt.outcome {
        Outcome::Pass | Outcome::Fail(_) if !is_same => {
            Attempt { outcome: Outcome::None(NoOutcome::Diverged), ..attempt }
        }
        _ => attempt,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Colour::{Blue, Open, Pink, White};
    use catchment_protocol::experiment::Observed;
    use catchment_verdicts::{Failure, FailureKind};

    fn history(all: &[(u32, Colour)]) -> Vec<Occurrence> {
        all.iter().map(|&(depth, colour)| Occurrence { depth, colour }).collect()
    }

    fn occurrences(all: &[(u32, Colour)]) -> Occurrences {
        let mut occurrences = Occurrences::default();
        history(all).into_iter().for_each(|each| occurrences.push(each));
        occurrences
    }

    #[test]
    fn the_first_the_last_and_some_between_are_asked() {
        let few = History {
            executions: history(&[(0, Pink), (0, White), (0, Blue), (0, White), (0, Open)]),
            samples: HashMap::new(),
        };
        assert_eq!(few.chosen(), [1, 3]);
        let many = vec![Occurrence { depth: 0, colour: White }; 1000];
        let chosen = History { executions: many, samples: HashMap::new() }.chosen();
        assert_eq!((chosen.len(), chosen[0], chosen[9]), (MOST_ASKED, 0, 999));
        assert!(chosen.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn executions_that_another_began_in_have_not_ended_by_then() {
        let all = history(&[(0, Pink), (1, White), (0, Blue), (1, Pink), (2, White), (2, White)]);
        assert_eq!(seen_before(&all, 2), all[..2]);
        let expected = history(&[(0, Pink), (1, White), (0, Open), (1, Open), (2, White)]);
        assert_eq!(seen_before(&all, 5), expected);
    }

    #[test]
    fn a_history_that_is_not_the_baselines_tells_nothing_apart() {
        let usages = ColourCounts { pink: 1, white: 1, ..ColourCounts::default() };
        let told = |occurrences: Occurrences| {
            let observed = Observed { executions: occurrences, ..Observed::default() };
            executions_of(&TestRun { observed: Some(Box::new(observed)), ..TestRun::default() }, &usages)
        };
        let good = [(0, Pink), (0, White)];
        assert_eq!(told(occurrences(&good)).unwrap().executions, history(&good));
        for other in [&[(0, White), (0, White)][..], &[(0, White)], &[(0, Pink), (0, White), (0, Open)]] {
            let unavailable = told(occurrences(other)).unwrap_err();
            assert!(!unavailable.is_lasting, "{unavailable:?}");
        }
        let mut interleaved = occurrences(&good);
        interleaved.is_interleaved = true;
        assert!(told(interleaved).unwrap_err().is_lasting);
        assert!(told(occurrences(&[(0, Pink), (1, Colour::Unsure)])).unwrap_err().is_lasting);
    }

    #[test]
    fn only_a_run_that_went_the_same_until_then_is_evidence() {
        let before = history(&[(0, Pink), (0, White)]);
        let outcome = |found: Option<&Occurrences>| {
            let failure = Failure { kind: FailureKind::Assertion, text: String::new() };
            let failed = Attempt { outcome: Outcome::Fail(failure), ..Attempt::default() };
            invalidate_if_diverged(failed, &before, found).outcome
        };
        let same = occurrences(&[(0, Pink), (0, White)]);
        assert!(matches!(outcome(Some(&same)), Outcome::Fail(_)));
        let diverged = Outcome::None(NoOutcome::Diverged);
        assert_eq!(outcome(Some(&occurrences(&[(0, White), (0, White)]))), diverged);
        assert_eq!(outcome(Some(&occurrences(&[(0, Pink)]))), diverged);
        let mut shared = same;
        shared.is_interleaved = true;
        assert_eq!(outcome(Some(&shared)), diverged);
        assert_eq!(outcome(None), diverged);
        let not_reached = Attempt { outcome: Outcome::None(NoOutcome::NotReached), ..Attempt::default() };
        assert_eq!(invalidate_if_diverged(not_reached.clone(), &before, None), not_reached);
    }

    #[test]
    fn what_is_thrown_at_an_execution_looks_like_what_it_caught() {
        let sample = |message: &str| Sample {
            exception: "a.E".into(),
            message: Some(message.into()),
            ..Sample::default()
        };
        let history = History {
            executions: history(&[(0, White), (0, Pink), (0, White)]),
            samples: [(0, sample("first")), (2, sample("last"))].into(),
        };
        assert_eq!(history.sample(2, "a.E", false), Some(sample("last")));
        assert_eq!(history.sample(2, "a.Other", false), None);
        assert_eq!(history.sample(2, "a.Wider", true), Some(sample("last")));
        assert_eq!(history.before(2).len(), 2);
        let types = ["a.E", "a.F"].map(String::from);
        assert!(history.concerns(2, "a.E", &types) && !history.concerns(2, "a.F", &types));
        assert!(history.concerns(1, "a.F", &types), "nobody knows what it caught");
        assert!(
            history.concerns(2, "a.F", &["a.F".to_owned(), "a.G".to_owned()]),
            "it caught a narrower one"
        );
    }
}
