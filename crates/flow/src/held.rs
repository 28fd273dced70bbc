//! Where stack map frames speak of a caught object.

use crate::method::Method;
use crate::stack_map::{class_of, with_slots};
use crate::value::{Origin, State, Value};
use catchment_classfile::descriptor::type_name;
use catchment_classfile::{Frame, VerificationType};

/// A position of a stack map frame that holds the caught object, not cast, by its type there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Where the frame is.
    pub pc: usize,
    pub line: Option<u32>,
    pub slot: Slot,
    /// What the frame says is there, as a binary name with dots.
    pub declared: String,
    /// Other values may be there as well, so that the type cannot follow that of the clause.
    pub merged: bool,
    /// Which of the frame's locals or stack entries it is: there, longs and doubles count once.
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
