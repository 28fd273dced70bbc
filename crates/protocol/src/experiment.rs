//! An experiment: one run of a test in which something is done to it or its course is watched; and what was observed.
//!
//! ```text
//! sites   where          the tries or the clause of a pair, single instructions, all woven instructions
//! when    which visits   only within executions of a try, and of those every one, the n-th, the first of each
//! act     what is done   nothing, a fault is thrown, or the object that a clause catches is exchanged
//! watch   what is kept   samples of caught exceptions, visited sites, exceptions that pass a clause
//! ```
//!
//! A new command adds variants to one of the parts and changes none that exist; the agent's `guard.rs` alone decides
//! which visits are hit.

use crate::occurrences::Occurrences;
use serde::{Deserialize, Serialize};

/// One run of a test in which something is done to it, or its course is watched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experiment {
    pub sites: Sites,
    pub when: When,
    pub act: Act,
    pub watch: Watch,
    /// More visits than this are a loop that never ends; the worker says so and ends.
    pub most_visits: u64,
}

impl Experiment {
    /// The fault is thrown at the beginning of every execution of the pair's tries.
    pub fn at_every_execution(pair: String, fault: Fault, most_visits: u64) -> Self {
        Self {
            sites: Sites::Tries(pair),
            when: When { within: Within::Anywhere, visits: Visits::Every },
            act: Act::Throw(fault),
            watch: Watch::default(),
            most_visits,
        }
    }

    /// Whenever the pair's clause catches, it goes on with the fault instead of what it has caught.
    pub fn at_every_catch(pair: String, fault: Fault, most_visits: u64) -> Self {
        Self {
            sites: Sites::Catches(pair),
            when: When { within: Within::Anywhere, visits: Visits::Every },
            act: Act::Exchange(fault),
            watch: Watch::default(),
            most_visits,
        }
    }

    /// Each execution of the pair's tries is given its own copy of a sample: thrown at its beginning.
    pub fn copies_at_start(pair: String, samples: Vec<(u64, Sample)>, most_visits: u64) -> Self {
        let sites = Sites::Tries(pair.clone());
        Self::of_copies(pair, sites, Act::Throw(Fault::copying(samples)), most_visits)
    }

    /// Each execution of the pair's tries is given its own copy of a sample: at its catch, for what it has caught.
    pub fn copies_at_catch(pair: String, samples: Vec<(u64, Sample)>, most_visits: u64) -> Self {
        let sites = Sites::Catches(pair.clone());
        Self::of_copies(pair, sites, Act::Exchange(Fault::copying(samples)), most_visits)
    }

    fn of_copies(pair: String, sites: Sites, act: Act, most_visits: u64) -> Self {
        let when = When { within: Within::Executions(pair), visits: Visits::Every };
        Self { sites, when, act, watch: Watch::default(), most_visits }
    }

    /// Nothing is done, and executions of the pair's tries are told apart.
    pub fn watching(pair: String, sites: Sites, watch: Watch, most_visits: u64) -> Self {
        let when = When { within: Within::Executions(pair), visits: Visits::None };
        Self { sites, when, act: Act::Nothing, watch, most_visits }
    }

    /// Stable id of the pair whose tries are hit or whose executions are told apart.
    pub fn pair(&self) -> Option<&str> {
        match (&self.when.within, &self.sites) {
            (Within::Executions(pair), _) | (Within::Anywhere, Sites::Tries(pair) | Sites::Catches(pair)) => {
                Some(pair)
            }
            (Within::Anywhere, Sites::At(_) | Sites::Instructions) => None,
        }
    }
}

/// Sites of an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sites {
    /// The beginnings of the tries of a pair, named by its stable id.
    Tries(String),
    /// Single instructions.
    At(Vec<Site>),
    /// All calls and throws of the application that are woven.
    Instructions,
    /// The catches of a pair's clause, named by its stable id. Needs
    /// [`Equipment::EXCHANGE`](crate::equipment::Equipment).
    Catches(String),
}

/// An instruction of a class file. Probes stand before it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Site {
    /// Binary name with dots.
    pub class: String,
    pub method: String,
    pub descriptor: String,
    /// Offset of the instruction in the method's bytecode as compiled, before anything is woven.
    pub pc: u16,
}

/// Condition under which a visit of a site is hit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct When {
    /// Visits elsewhere do not count.
    pub within: Within,
    /// Selection among the visits that count.
    pub visits: Visits,
}

/// Region in which a visit counts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Within {
    #[default]
    Anywhere,
    /// Executions of the tries of a pair, named by its stable id. Executions are told apart, and how each ended is
    /// observed.
    Executions(String),
}

/// Selection among the visits that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Visits {
    #[default]
    None,
    Every,
    /// The visit before which so many counted.
    Only(u64),
    /// The first visit of each execution of the try.
    FirstOfEach,
}

/// Act of an experiment at the visits that are hit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    #[default]
    Nothing,
    Throw(Fault),
    /// At a catch: the clause goes on with the fault instead of the object that it has caught.
    Exchange(Fault),
}

/// An exception to be thrown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Binary name of its type.
    pub exception: String,
    /// Data of an exception that the clause caught in the baseline; the fault is a copy of it where possible.
    pub sample: Option<Sample>,
    /// Data of exceptions by the number of the execution of the try, counted from 0, in rising order. If there are any,
    /// each execution is given a copy of its own sample, of the sample's class, and beyond the last the last one; an
    /// execution without a sample is given nothing. Needs executions to be told apart.
    pub samples: Vec<(u64, Sample)>,
}

impl Fault {
    /// A copy of its own sample for each execution of the try.
    fn copying(samples: Vec<(u64, Sample)>) -> Self {
        let exception = samples.first().map(|(_, sample)| sample.exception.clone()).unwrap_or_default();
        Self { exception, sample: None, samples }
    }

    /// The sample whose copy this execution of the try is given.
    pub fn sample_of(&self, execution: u64) -> Option<&Sample> {
        let (last, of_last) = self.samples.last()?;
        if execution > *last {
            return Some(of_last);
        }
        let found = self.samples.binary_search_by_key(&execution, |(number, _)| *number);
        found.ok().and_then(|index| self.samples.get(index)).map(|(_, sample)| sample)
    }
}

/// Facts kept of an experiment's run, besides those that every experiment gives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// Samples of what the pair's clause catches, by execution.
    pub samples: bool,
    /// Samples of whatever the pair's clause catches, by execution, as the objects themselves keep it: for copies of
    /// exactly their classes.
    pub copies: bool,
    /// Sites that were visited where visits count, each once.
    pub visited: bool,
    /// Exceptions that pass a clause are followed to the test.
    pub passing: Option<Passing>,
}

/// Exceptions that pass the clause of a pair: they leave its try, or a later clause catches them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passing {
    /// Stable id of the pair.
    pub pair: String,
    /// Binary name of the type that is followed, with its subtypes.
    pub exception: String,
}

/// Data of an exception that a clause has caught.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    pub exception: String,
    pub message: Option<String>,
    /// Class and message of its cause.
    pub cause: Option<(String, Option<String>)>,
    /// Fields below `Throwable`: declaring class, name, value. Complete, or the sample would not have been taken.
    pub fields: Vec<(String, String, FieldValue)>,
    /// Class and message of each suppressed exception.
    #[serde(default)]
    pub suppressed: Vec<(String, Option<String>)>,
}

/// Value of a field of a sampled exception.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FieldValue {
    Null,
    Text(String),
    /// Any primitive, as its raw bits.
    Bits(u64),
    /// Another exception, by class and message: some keep their cause themselves.
    Exception(String, Option<String>),
}

/// Facts observed during an experiment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// Visits that were to be hit.
    pub reached: u64,
    /// Exceptions that were thrown, or given to the clause.
    pub fired: u64,
    /// Of the fired, how many the experiment's pair caught first.
    pub caught_here: u64,
    /// Of the fired, how many another woven clause caught first, with its counter.
    pub caught_elsewhere: Vec<(u32, u64)>,
    /// How the exception was made: `as seen in the baseline`, `constructor (String)`, ... or why it could not be.
    pub made: Result<String, String>,
    /// Executions of the try; empty unless visits count within executions only.
    pub executions: Occurrences,
    /// Watched samples, by the number of executions begun before. Not all, if the clause caught very many.
    pub samples: Vec<(u64, Sample)>,
    /// Watched sites, in the order of their first visits.
    pub visited: Vec<Site>,
    /// Class of the first watched exception that passed the clause and then left the application into test code.
    pub bubbled: Option<String>,
}

impl Default for Observed {
    /// Nothing happened, and nothing had to be made.
    fn default() -> Self {
        Self {
            reached: 0,
            fired: 0,
            caught_here: 0,
            caught_elsewhere: Vec::new(),
            made: Ok(String::new()),
            executions: Occurrences::default(),
            samples: Vec::new(),
            visited: Vec::new(),
            bubbled: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_execution_has_its_own_sample_and_beyond_the_last_the_last() {
        let sample = |message: &str| Sample { message: Some(message.into()), ..Sample::default() };
        let fault = Fault::copying(vec![(0, sample("first")), (2, sample("last"))]);
        let given = |execution| fault.sample_of(execution).and_then(|sample| sample.message.as_deref());
        assert_eq!(
            [0, 1, 2, 3, 9].map(given),
            [Some("first"), None, Some("last"), Some("last"), Some("last")]
        );
        assert_eq!(Fault::default().sample_of(0), None);
    }
}
