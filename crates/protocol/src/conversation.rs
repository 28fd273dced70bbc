//! The conversation between the controller and a worker: a JVM that runs tests on demand.
//!
//! ```text
//! controller --- Request ---> agent --- Worker.next() ---> driver (Java), which runs the test
//! controller <-- Event ------ agent <-- Worker.started/finished/... --- driver
//! ```
//!
//! Over one Unix socket that the controller listens on and the agent connects to; each message has its length in front,
//! as in the log. The worker speaks when spoken to, except for the events marked *any time*.

use crate::experiment::{Experiment, Observed, Sample};
use crate::occurrences::Occurrences;
use crate::records::Record;
use crate::wire;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};

/// No message is longer; a longer length is garbage.
const MAX_MESSAGE: u32 = 256 << 20;

/// A request of the controller to a worker. One at a time: the next follows the event that answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// List the tests in these classes. Answer: [`Event::Discovered`].
    Discover { classes: Vec<String> },
    /// Run all tests of these classes, in this order, as one suite. Answer: [`Event::TestFinished`] for each test, then
    /// [`Event::SuiteFinished`]. The experiment runs from the beginning to the end of each test, not between.
    RunSuite { classes: Vec<String>, experiment: Option<Experiment> },
    /// Run one test alone. Answer: [`Event::TestFinished`].
    RunTest { test: String, experiment: Option<Experiment> },
    /// End. Answer: the socket closes.
    Stop,
}

/// An event that a worker reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The worker is up and waits for requests.
    Ready {
        pid: u32,
        java_version: String,
        framework: String,
    },
    /// The driver cannot work here: no engine, an incompatible launcher. One line.
    Unusable {
        what: String,
    },
    /// *Any time*: what the log would say.
    Record(Record),
    Discovered {
        tests: Vec<TestUnit>,
        problems: Vec<String>,
    },
    /// *Any time*: a test has begun.
    TestStarted {
        test: String,
        /// In a suite: counters that moved since the test before, and by how much. What prepares a class is here.
        before: Vec<(u32, u64)>,
        /// Marks that were set since the test before.
        entered: Entered,
    },
    TestFinished(TestRun),
    /// *Any time*: the first exception of the experiment is about to be thrown into the running test. A JVM that ends
    /// later may have ended because of it, one that ends before has not.
    Fired {
        /// Executions of the try before; empty unless executions are told apart.
        before: Occurrences,
    },
    SuiteFinished {
        problems: Vec<String>,
        /// Marks that were set since the last test.
        entered: Entered,
    },
    /// *Any time*: this JVM is about to end although nobody asked for it, during the named test.
    Ending {
        cause: Ending,
        test: Option<String>,
    },
    /// *Any time*: the memory was used up for the first time in the running test, which may go on.
    MemoryUsedUp,
    /// *Any time*: a test that was not discovered but found while the suite runs, before it starts.
    Unit(TestUnit),
    /// *Any time*: entering method `n` of this class file sets mark `first + n` from now on.
    ClassMarked(MarkedClass),
}

/// A class whose methods are marked when they are entered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedClass {
    /// Binary name with dots.
    pub class: String,
    /// Of its bytes.
    pub hash: u64,
    pub first: u32,
    pub methods: u32,
    /// Methods that could not be given a mark, by their index in the class file.
    pub unmarked: Vec<u32>,
}

/// Marks that were set for the first time since they were last asked for, ascending.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entered {
    pub methods: Vec<u32>,
    /// Those of [`Self::methods`] that were set while a class initialiser ran, in whatever thread.
    pub initialising: Vec<u32>,
}

/// The smallest unit that can be run again alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestUnit {
    /// Unique, stable between JVMs, understood by the driver.
    pub id: String,
    pub class: String,
    /// As people and build tools name it: `parses[2]`, `parses(String) [2]`.
    pub name: String,
    /// Other test classes and the same class's other tests that run as this one unit, and why it cannot be cut smaller.
    pub shared: Option<String>,
}

/// One run of one test.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestRun {
    pub test: String,
    pub outcome: Outcome,
    pub failure: Option<Failure>,
    pub micros: u64,
    /// Counters that moved, and by how much.
    pub counted: Vec<(u32, u64)>,
    /// Exceptions that left an application method into test code; of a test run alone, at most one is counted.
    pub escaped: u64,
    /// Addresses other than loopback that were connected to or looked up.
    pub external: Vec<String>,
    /// Threads that the test started and left running.
    pub threads_left: Vec<String>,
    /// New samples of caught exceptions, with the counter of the clause.
    pub samples: Vec<(u32, Sample)>,
    /// The observation, if the test was run for an experiment.
    pub observed: Option<Box<Observed>>,
    pub entered: Entered,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    #[default]
    Passed,
    Failed,
    /// Disabled, or an assumption did not hold.
    Skipped,
}

/// Why a test failed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub exception: String,
    pub message: Option<String>,
    /// Class and message of its causes, outermost first.
    pub causes: Vec<(String, Option<String>)>,
    /// First frames of the trace, `com.acme.Cache.load:83`.
    pub frames: Vec<String>,
    /// The injected exception is the failure or among its causes.
    pub is_injected: bool,
    /// The first exception of the chain is a `NullPointerException` on a value taken from the injected one.
    pub is_artefact: bool,
    pub is_out_of_memory: bool,
}

/// Why a JVM ends unasked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// `System.exit` or `Runtime.halt`.
    Exit,
    OutOfMemory,
    /// There were more visits than `most_visits`.
    EndlessLoop {
        fired: u64,
    },
}

macro_rules! message {
    ($name:ident) => {
        impl $name {
            /// Sends the message with its length in front, in one write.
            pub fn send(&self, to: &mut impl Write) -> io::Result<()> {
                send(&wire::encode(self), to)
            }

            /// `None` when the other side has closed the socket between messages.
            pub fn receive(from: &mut impl Read) -> io::Result<Option<Self>> {
                let Some(bytes) = receive(from)? else { return Ok(None) };
                wire::decode(&bytes).map(Some).ok_or_else(|| io::Error::other("a message nobody knows"))
            }
        }
    };
}

message!(Request);
message!(Event);

fn send(body: &[u8], to: &mut impl Write) -> io::Result<()> {
    let length = u32::try_from(body.len()).ok().filter(|length| *length <= MAX_MESSAGE);
    let length = length.ok_or_else(|| io::Error::other("a message that is too long"))?;
    let mut framed = Vec::with_capacity(body.len() + 4);
    framed.extend_from_slice(&length.to_le_bytes());
    framed.extend_from_slice(body);
    to.write_all(&framed)
}

fn receive(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    loop {
        match from.read(&mut length[..1]) {
            Ok(0) => return Ok(None),
            Ok(_) => break from.read_exact(&mut length[1..])?,
            // A signal, of which JVMs get many.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let length = u32::from_le_bytes(length);
    if length > MAX_MESSAGE {
        return Err(io::Error::other("a message that is too long"));
    }
    let mut body = Vec::new();
    from.take(length.into()).read_to_end(&mut body)?;
    if body.len() < length as usize { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(Some(body)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{FieldValue, Site};

    fn events() -> Vec<Event> {
        let failure = Failure { exception: "a.E".into(), is_artefact: true, ..Failure::default() };
        let observed = Observed {
            fired: 2,
            made: Err("abstract".into()),
            samples: vec![(3, Sample::default())],
            visited: vec![Site { class: "a.B".into(), pc: 2, ..Site::default() }],
            bubbled: Some("a.E".into()),
            ..Observed::default()
        };
        vec![
            Event::Ready { pid: 1, java_version: "17".into(), framework: "JUnit 4".into() },
            Event::Record(Record::ApplicationSeen),
            Event::Fired { before: Occurrences::default() },
            Event::Discovered { tests: vec![TestUnit::default()], problems: vec!["odd".into()] },
            Event::TestFinished(TestRun {
                test: "t".into(),
                outcome: Outcome::Failed,
                failure: Some(failure),
                micros: 12,
                counted: vec![(7, u64::MAX)],
                escaped: 1,
                external: vec![],
                threads_left: vec!["pool-1".into()],
                samples: vec![(3, Sample { fields: vec![field()], ..Sample::default() })],
                observed: Some(Box::new(observed)),
                entered: Entered { methods: vec![3, 70_000], initialising: vec![3] },
            }),
            Event::Ending { cause: Ending::EndlessLoop { fired: 9 }, test: None },
        ]
    }

    fn field() -> (String, String, FieldValue) {
        ("a.E".into(), "code".into(), FieldValue::Bits(404))
    }

    #[test]
    fn messages_come_back_as_they_were_and_end_with_the_socket() {
        let mut wire = Vec::new();
        for event in events() {
            event.send(&mut wire).unwrap();
        }
        let mut rest = wire.as_slice();
        for event in events() {
            assert_eq!(Event::receive(&mut rest).unwrap(), Some(event));
        }
        assert_eq!(Event::receive(&mut rest).unwrap(), None);
    }

    #[test]
    fn a_cut_or_foreign_message_is_an_error() {
        let mut wire = Vec::new();
        Request::Stop.send(&mut wire).unwrap();
        assert!(Request::receive(&mut &wire[..3]).is_err());
        assert!(Request::receive(&mut &wire[..4]).is_err());
        assert!(Request::receive(&mut [0xff; 9].as_slice()).is_err());
        assert!(Request::receive(&mut [1, 0, 0, 0, 99].as_slice()).is_err());
    }
}
