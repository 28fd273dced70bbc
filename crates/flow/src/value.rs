//! Origins of values: the small abstract value that is followed through locals and stack.

use crate::FlowError;
use smallvec::{SmallVec, smallvec};

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// Nothing is there yet.
    Unset,
    /// Came with the call, in this slot; `this` is in slot 0.
    Parameter(u16),
    /// The instruction at this pc.
    Insn(usize),
    /// The object that the handler at this pc caught.
    Caught(usize),
    /// The same object behind a cast, so that its type is that of the cast.
    CastCaught(usize),
}

/// Every origin a value may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    /// Sorted, each once.
    origins: SmallVec<[Origin; 2]>,
}

impl Value {
    pub(crate) fn of(origin: Origin) -> Self {
        Self { origins: smallvec![origin] }
    }

    pub(crate) fn origins(&self) -> &[Origin] {
        &self.origins
    }

    /// True if it has this origin and no other.
    pub(crate) fn is_only(&self, origin: Origin) -> bool {
        self.origins[..] == [origin]
    }

    pub(crate) fn may_be(&self, origin: Origin) -> bool {
        self.origins.binary_search(&origin).is_ok()
    }

    /// The same value behind a cast.
    pub(crate) fn cast(&self) -> Self {
        let origins = self.origins.iter().map(|origin| match origin {
            Origin::Caught(handler) => Origin::CastCaught(*handler),
            other => *other,
        });
        let mut origins: SmallVec<[Origin; 2]> = origins.collect();
        origins.sort_unstable();
        origins.dedup();
        Self { origins }
    }

    /// True if it gained an origin.
    fn join(&mut self, other: &Self) -> bool {
        let mut news = false;
        for origin in &other.origins {
            if let Err(place) = self.origins.binary_search(origin) {
                self.origins.insert(place, *origin);
                news = true;
            }
        }
        news
    }
}

/// Locals and stack in front of an instruction. Longs and doubles take two slots of either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) locals: Vec<Value>,
    pub(crate) stack: Vec<Value>,
}

impl State {
    /// Takes the topmost slot off the stack.
    pub(crate) fn pop(&mut self, pc: usize) -> Result<Value, FlowError> {
        self.stack.pop().ok_or(FlowError::Malformed(pc))
    }

    /// The slot `depth` below the top of the stack.
    pub(crate) fn below_top(&self, depth: usize) -> Option<&Value> {
        self.stack.len().checked_sub(depth + 1).and_then(|index| self.stack.get(index))
    }

    pub(crate) fn local(&self, slot: usize, pc: usize) -> Result<&Value, FlowError> {
        self.locals.get(slot).ok_or(FlowError::Malformed(pc))
    }

    pub(crate) fn set_local(&mut self, slot: usize, value: Value, pc: usize) -> Result<(), FlowError> {
        *self.locals.get_mut(slot).ok_or(FlowError::Malformed(pc))? = value;
        Ok(())
    }

    /// Adds what is known from elsewhere; true if that is news.
    pub(crate) fn join(&mut self, other: &Self, pc: usize) -> Result<bool, FlowError> {
        if self.stack.len() != other.stack.len() {
            return Err(FlowError::Malformed(pc));
        }
        let own = self.locals.iter_mut().chain(&mut self.stack);
        let others = other.locals.iter().chain(&other.stack);
        Ok(own.zip(others).fold(false, |news, (value, other)| value.join(other) | news))
    }
}
