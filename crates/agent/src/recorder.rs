//! The recording of this JVM: arrivals of exceptions at handlers, each way once, and reflective calls.
//!
//! All arrivals are known, those at handlers of the JDK and of libraries too: an exception that a `finally` there
//! catches and throws again comes to the application later, and its way began before. Written down are those at
//! handlers of the application and what came before them, as soon as they are first seen. Safe code without a JVM in
//! it; methods are known by what the JVM names them with (`id`), which it gives to no other method later.

mod calls;
mod methods;
mod ways;

pub(crate) use calls::Target;
pub(crate) use methods::MethodNames;

use crate::lock;
use crate::observer::Observer;
use calls::Calls;
use catchment_protocol::recording::{Arrival, Frame};
use catchment_protocol::records::Record;
use methods::Methods;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Mutex;
use ways::Ways;

/// More different arrivals than this are not kept.
pub(crate) const MOST_ARRIVALS: usize = 200_000;
/// Number of handlers that one object may come to before its past is forgotten. Only objects that are made once and
/// thrown everywhere come near it.
const LONGEST_PAST: usize = 64;

/// A frame as the JVM names it: id of the method, offset in its bytecode.
pub(crate) type RawFrame = (usize, i32);

/// An exception at a handler, as the JVM tells it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawArrival<'a> {
    /// Number of the class of the exception.
    pub(crate) exception: u32,
    /// Raising frame first, catching frame last.
    pub(crate) frames: &'a [RawFrame],
    pub(crate) frames_left_out: u32,
    pub(crate) handler_pc: u32,
    /// The number of the arrival at which the object was caught before.
    pub(crate) after: Option<u32>,
}

/// The result of noting a raw arrival.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Noted {
    /// Its number.
    As(u32),
    /// These methods must be named first.
    Unnamed(Vec<usize>),
    NoRoom,
}

#[derive(Debug, Default)]
pub(crate) struct Recorder {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    methods: Methods,
    /// Names of exception classes, by number, and the other way round.
    classes: Vec<String>,
    class_numbers: FxHashMap<String, u32>,
    ways: Ways,
    numbers: FxHashMap<Known, u32>,
    /// By number.
    known: Vec<Known>,
    written: FxHashSet<u32>,
    calls: Calls,
    told: FxHashSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Known {
    exception: u32,
    way: u32,
    frames_left_out: u32,
    handler_pc: u32,
    after: Option<u32>,
}

impl Known {
    fn is_same_place(&self, other: &Self) -> bool {
        Self { after: None, ..*self } == Self { after: None, ..*other }
    }
}

impl Recorder {
    /// The number of an exception class; classes of one name share it.
    pub(crate) fn number_class(&self, name: String) -> u32 {
        let mut state = lock(&self.state);
        if let Some(number) = state.class_numbers.get(&name) {
            return *number;
        }
        let number = u32::try_from(state.classes.len()).unwrap_or(u32::MAX);
        state.classes.push(name.clone());
        state.class_numbers.insert(name, number);
        number
    }

    /// Says what `id` stands for.
    pub(crate) fn name_method(&self, id: usize, names: MethodNames) {
        lock(&self.state).methods.name(id, names);
    }

    /// Notes an arrival, and writes it down if it is a new one at a handler of the application.
    pub(crate) fn note(&self, observer: &Observer, raw: &RawArrival<'_>) -> Noted {
        let mut state = lock(&self.state);
        let frames = match state.methods.frames(raw.frames) {
            Ok(frames) => frames,
            Err(unnamed) => return Noted::Unnamed(unnamed),
        };
        let Some(way) = state.ways.number(&frames) else { return Noted::NoRoom };
        let arrival = Known {
            exception: raw.exception,
            way,
            frames_left_out: raw.frames_left_out,
            handler_pc: raw.handler_pc,
            after: raw.after.filter(|after| (*after as usize) < state.known.len()),
        };
        let Some(number) = state.number(arrival) else { return Noted::NoRoom };
        if frames.last().is_some_and(|frame| state.methods.is_application(frame.method)) {
            state.write(observer, number);
        }
        Noted::As(number)
    }

    /// Reports a problem the first time it is met: it may be met at every throw.
    pub(crate) fn problem(&self, observer: &Observer, place: &str, what: &str) {
        let is_new = {
            let mut state = lock(&self.state);
            state.told.len() < MOST_ARRIVALS && state.told.insert(format!("{place}: {what}"))
        };
        if is_new {
            observer.problem(place, what);
        }
    }

    /// True if an exception of that class has come from one method of the class to another.
    pub(crate) fn has_seen(&self, class: &str, raising: &str, catching: &str, exception: &str) -> bool {
        let state = lock(&self.state);
        state.known.iter().any(|known| {
            let frames = state.ways.frames(known.way);
            let is = |frame: Option<&Frame>, method: &str| {
                frame.is_some_and(|frame| state.methods.is_named(frame.method, class, method))
            };
            let named = state.classes.get(known.exception as usize).is_some_and(|name| name == exception);
            named && is(frames.first(), raising) && is(frames.last(), catching)
        })
    }
}

impl State {
    fn number(&mut self, arrival: Known) -> Option<u32> {
        let mut past = Vec::new();
        let mut before = arrival.after;
        while let Some(number) = before {
            let known = *self.known.get(number as usize)?;
            // Recursion through a `finally`, or one object that is thrown again and again: once around is enough.
            if known.is_same_place(&arrival) {
                return Some(number);
            }
            past.push(number);
            before = known.after;
        }
        let after = arrival.after.filter(|_| past.len() < LONGEST_PAST);
        let arrival = Known { after, ..arrival };
        if let Some(number) = self.numbers.get(&arrival) {
            return Some(*number);
        }
        if self.known.len() >= MOST_ARRIVALS {
            return None;
        }
        let number = u32::try_from(self.known.len()).ok()?;
        self.known.push(arrival);
        self.numbers.insert(arrival, number);
        Some(number)
    }

    /// Earlier arrivals first, so that a log that ends anywhere holds whole pasts.
    fn write(&mut self, observer: &Observer, number: u32) {
        let mut unwritten = Vec::new();
        let mut next = Some(number);
        while let Some(number) = next.filter(|number| self.written.insert(*number)) {
            unwritten.push(number);
            next = self.known.get(number as usize).and_then(|known| known.after);
        }
        for number in unwritten.into_iter().rev() {
            self.write_one(observer, number);
        }
    }

    fn write_one(&mut self, observer: &Observer, number: u32) {
        let Some(known) = self.known.get(number as usize).copied() else { return };
        let frames = self.ways.frames(known.way);
        for frame in &frames {
            self.methods.write(observer, frame.method);
        }
        let exception = self.classes.get(known.exception as usize).cloned().unwrap_or_default();
        // A lost record is counted by `write`.
        let _ = observer.write(&Record::Arrived(Arrival {
            number,
            exception,
            frames,
            frames_left_out: known.frames_left_out,
            handler_pc: known.handler_pc,
            after: known.after,
        }));
    }
}

#[cfg(test)]
mod tests;
