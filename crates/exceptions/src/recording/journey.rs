//! The way of one exception from where it was raised to where it was caught, over the handlers of the compiler that
//! passed it on.
//!
//! A `finally` catches and throws again: two records of one exception. The frame that caught is the one that throws
//! again, so the frames of both are one stack, as it was when the exception was raised.

use super::resolved::{Instruction, Resolved, Resolver, instruction_at};
use super::{RecordedFrame, Recording};
use catchment_pointsto::World;
use rustc_hash::FxHashSet;

/// All frames that an exception passed: the one that raised first, the one that caught last.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Journey {
    pub(super) frames: Vec<RecordedFrame>,
    /// A handler rethrew the exception, but the recording lacks the catch before.
    pub(super) is_cut: bool,
    /// No frame is missing.
    pub(super) is_whole: bool,
}

/// The journey that ends with a record of [`Recording::caught`].
pub(super) fn journey(
    resolver: &mut Resolver,
    world: &mut World<'_>,
    recording: &Recording,
    record: usize,
) -> Journey {
    let mut frames: Vec<RecordedFrame> = Vec::new();
    let mut known = FxHashSet::default();
    let mut next = Some(record);
    let (mut is_cut, mut is_whole) = (false, true);
    while let Some(caught) = next.and_then(|index| recording.caught.get(index)) {
        // Records whose predecessors form a cycle belong to no journey.
        is_cut = !known.insert(next);
        if is_cut {
            break;
        }
        is_whole &= caught.is_whole;
        // The frame that throws again is there already, with the call that the exception came out of.
        let mut earlier = caught.frames.clone();
        if earlier.last().map(|it| it.method) == frames.first().map(|it| it.method) {
            frames.remove(0);
        }
        earlier.append(&mut frames);
        frames = earlier;
        let passes_on = frames.first().map_or(PassesOn::No, |it| passes_on(resolver, world, recording, *it));
        is_cut = passes_on == PassesOn::Yes && caught.after.is_none();
        next = caught.after.filter(|_| passes_on != PassesOn::No);
    }
    Journey { frames, is_cut, is_whole }
}

/// Tells whether a frame only throws what it was given, as handlers of the compiler do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PassesOn {
    Yes,
    /// Generated code: passes the exception on if it was given it.
    Perhaps,
    No,
}

fn passes_on(
    resolver: &mut Resolver,
    world: &mut World<'_>,
    recording: &Recording,
    frame: RecordedFrame,
) -> PassesOn {
    let method = match resolver.method(world, recording, frame.method) {
        Resolved::Method(method) => method,
        Resolved::Generated(_) => return PassesOn::Perhaps,
        Resolved::NoClass | Resolved::NoMethod => return PassesOn::No,
    };
    let Some(pc) = frame.pc else { return PassesOn::No };
    let is_throw = instruction_at(world, method, pc) == Some(Instruction::Throw);
    if is_throw && !resolver.handlers_of(world, method).passed_on_at(pc).is_empty() {
        PassesOn::Yes
    } else {
        PassesOn::No
    }
}
