//! The stack map frames of a method: the slot that each of their types speaks of, and where they hold a caught object.

use crate::FlowError;
use crate::method::Method;
use crate::value::{Origin, State, Value};
use catchment_classfile::descriptor::type_name;
use catchment_classfile::{ConstantPool, Frame, FrameWalk, VerificationType};

/// All frames by pc. None for classes that have no frames.
pub(crate) fn frames_of<'a>(method: &Method<'_, 'a>) -> Result<Vec<(usize, Frame<'a>)>, FlowError> {
    let mut frames = Vec::new();
    if let Some(mut walk) = FrameWalk::of(method.class, method.member, &method.code)? {
        while let Some(at) = walk.advance()? {
            frames.push((at.pc, walk.state().clone()));
        }
    }
    Ok(frames)
}

/// The types of a frame's locals or stack, each with the slot it begins in: longs and doubles take two.
pub(crate) fn with_slots<'a>(
    types: &[VerificationType<'a>],
) -> impl Iterator<Item = (usize, VerificationType<'a>)> {
    types.iter().scan(0, |next, it| {
        let slot = *next;
        *next += if matches!(it, VerificationType::Long | VerificationType::Double) { 2 } else { 1 };
        Some((slot, *it))
    })
}

/// The internal name of the class, or the array descriptor, that a frame says is there.
pub(crate) fn class_of<'a>(it: VerificationType<'a>, pool: &ConstantPool<'a>) -> Option<&'a [u8]> {
    match it {
        VerificationType::Object(index) => pool.class_name(index).ok().map(|name| name.as_bytes()),
        VerificationType::Named(name) => Some(name),
        _ => None,
    }
}

/// A position of a stack map frame that holds the caught object, not cast, by its type there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// The pc of the frame.
    pub pc: usize,
    pub line: Option<u32>,
    pub slot: Slot,
    /// The type that the frame declares, as a binary name with dots.
    pub declared: String,
    /// Other values may be there as well, so that the type cannot follow that of the clause.
    pub merged: bool,
    /// Position among the frame's locals or stack entries, where longs and doubles count once.
    pub(crate) element: usize,
}

/// A local variable, or a slot of the operand stack counted from the bottom. Longs and doubles take two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    Local(usize),
    Stack(usize),
}

/// The positions of the frame at the instruction in front of which `state` is.
pub(crate) fn held(
    method: &Method<'_, '_>,
    (pc, frame): &(usize, Frame<'_>),
    state: &State,
    handler: usize,
) -> Vec<Held> {
    let find = |types: &[VerificationType<'_>], values: &[Value], slot_of: fn(usize) -> Slot| {
        let positions = with_slots(types).enumerate().filter_map(|(element, (slot, it))| {
            let value = values.get(slot).filter(|value| value.may_be(Origin::Caught(handler)))?;
            let declared = type_name(class_of(it, &method.class.pool)?);
            let merged = !value.is_only(Origin::Caught(handler));
            Some(Held { pc: *pc, line: method.line(*pc), slot: slot_of(slot), declared, merged, element })
        });
        positions.collect::<Vec<Held>>()
    };
    let mut positions = find(&frame.locals, &state.locals, Slot::Local);
    positions.extend(find(&frame.stack, &state.stack, Slot::Stack));
    positions
}
