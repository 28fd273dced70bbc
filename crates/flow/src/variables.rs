//! Local variables and fields that code writes and reads.

use crate::FlowError;
use crate::effects::{incremented, is_wide};
use crate::method::Method;
use crate::value::{Origin, State};
use catchment_classfile::{Insn, opcodes};

/// A local variable or a field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    Local {
        slot: usize,
        /// As in the source, where debug information has it.
        name: Option<String>,
    },
    Field {
        /// The class the field is looked up in; a binary name with dots.
        owner: String,
        name: String,
        of: Receiver,
    },
}

/// Whose field it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Receiver {
    Static,
    This,
    /// Of some other object. Two of them count as the same variable, though they may be of different objects.
    Other,
}

impl Variable {
    /// The variable without its name, which local variables have only in a part of the code.
    pub(crate) fn key(self) -> Self {
        match self {
            Self::Local { slot, .. } => Self::Local { slot, name: None },
            field => field,
        }
    }

    /// True if a write to it surely replaces what was there.
    pub(crate) fn is_one(&self) -> bool {
        !matches!(self, Self::Field { of: Receiver::Other, .. })
    }
}

/// The variable that `insn` reads, with its name.
pub(crate) fn read_by(
    method: &Method<'_, '_>,
    insn: &Insn<'_>,
    state: &State,
) -> Result<Option<Variable>, FlowError> {
    if let Some((opcode, slot)) = insn.local() {
        return Ok((opcode < opcodes::ISTORE).then(|| named(method, usize::from(slot), insn.pc)));
    }
    if let Some(slot) = incremented(insn) {
        return Ok(Some(named(method, slot, insn.pc)));
    }
    match insn.opcode {
        opcodes::GETSTATIC => field(method, insn, Receiver::Static).map(Some),
        opcodes::GETFIELD => field(method, insn, receiver(method, state, 0)).map(Some),
        _ => Ok(None),
    }
}

/// The variables that `insn` writes, without names. Two slots for a long or double.
pub(crate) fn written_by(
    method: &Method<'_, '_>,
    insn: &Insn<'_>,
    state: &State,
) -> Result<Vec<Variable>, FlowError> {
    if let Some((opcode, slot)) = insn.local() {
        let count = if opcode < opcodes::ISTORE { 0 } else { 1 + usize::from(is_wide(opcode)) };
        let slots = usize::from(slot)..usize::from(slot) + count;
        return Ok(slots.map(|slot| Variable::Local { slot, name: None }).collect());
    }
    if let Some(slot) = incremented(insn) {
        return Ok(vec![Variable::Local { slot, name: None }]);
    }
    match insn.opcode {
        opcodes::PUTSTATIC => Ok(vec![field(method, insn, Receiver::Static)?]),
        opcodes::PUTFIELD => {
            let size = catchment_classfile::descriptor::slots(method.named(insn)?.descriptor.as_bytes());
            Ok(vec![field(method, insn, receiver(method, state, size))?])
        }
        _ => Ok(Vec::new()),
    }
}

fn named(method: &Method<'_, '_>, slot: usize, pc: usize) -> Variable {
    let variable = u16::try_from(slot).ok().and_then(|slot| method.variables.at(slot, pc));
    Variable::Local { slot, name: variable.map(|it| it.name.to_string()) }
}

fn field(method: &Method<'_, '_>, insn: &Insn<'_>, of: Receiver) -> Result<Variable, FlowError> {
    let field = method.named(insn)?;
    Ok(Variable::Field { owner: field.owner.to_binary_name(), name: field.name.to_string(), of })
}

/// Whose field is accessed when the object lies `depth` slots below the top of the stack.
fn receiver(method: &Method<'_, '_>, state: &State, depth: usize) -> Receiver {
    let object = state.below_top(depth);
    let is_this = object.is_some_and(|value| value.is_only(Origin::Parameter(0)));
    if is_this && !method.is_static() { Receiver::This } else { Receiver::Other }
}
