//! Effects of every instruction on locals and stack (JVMS §6.5), as far as origins of values go.
//!
//! Loads, stores, casts and the `dup` family pass values on; everything else pops some slots and pushes new values.

use crate::FlowError;
use crate::method::Method;
use crate::solve::{DataflowAnalysis, Solution, solve};
use crate::value::{Origin, State, Value};
use catchment_classfile::descriptor::{parameter_slots, parameters, returned, slots};
use catchment_classfile::{Insn, opcodes};

/// Slots of all states together; ordinary methods have some thousands.
const MAX_SLOTS: usize = 4_000_000;

/// Follows values through a method.
#[derive(Debug)]
pub(crate) struct Values<'m, 'c, 'a> {
    pub(crate) method: &'m Method<'c, 'a>,
}

/// The values in front of every block that control comes to.
pub(crate) fn values_of(method: &Method<'_, '_>) -> Result<Solution<State>, FlowError> {
    let depth = usize::from(method.code.max_locals) + usize::from(method.code.max_stack);
    if depth.saturating_mul(method.blocks.len()) > MAX_SLOTS {
        return Err(FlowError::TooLarge);
    }
    solve(method, &Values { method }, 0, at_entry(method)?)
}

fn at_entry(method: &Method<'_, '_>) -> Result<State, FlowError> {
    let max_locals = usize::from(method.code.max_locals);
    let mut locals = Vec::with_capacity(max_locals);
    let parameters = parameter_slots(method.member.descriptor.as_bytes()) + usize::from(!method.is_static());
    locals.extend((0..=u16::MAX).take(parameters).map(|slot| Value::of(Origin::Parameter(slot))));
    if locals.len() > max_locals {
        return Err(FlowError::Malformed(0));
    }
    locals.resize(max_locals, Value::of(Origin::Unset));
    Ok(State { locals, stack: Vec::new() })
}

impl<'a> DataflowAnalysis<'a> for Values<'_, '_, 'a> {
    type State = State;

    fn step(&self, insn: &Insn<'a>, state: &mut State) -> Result<bool, FlowError> {
        if let Some((opcode, slot)) = insn.local() {
            return local(insn.pc, opcode, usize::from(slot), state);
        }
        match insn.opcode {
            opcodes::IINC | opcodes::WIDE => {
                let slot = incremented(insn).ok_or(FlowError::Malformed(insn.pc))?;
                state.set_local(slot, Value::of(Origin::Insn(insn.pc)), insn.pc)?;
                return Ok(true);
            }
            opcodes::DUP..=opcodes::SWAP => shuffle(insn, state)?,
            opcodes::CHECKCAST => {
                let value = state.pop(insn.pc)?.cast();
                state.stack.push(value);
            }
            _ => {
                let (popped, pushed) = self.popped_and_pushed(insn)?;
                let left = state.stack.len().checked_sub(popped).ok_or(FlowError::Malformed(insn.pc))?;
                state.stack.truncate(left);
                state.stack.extend(std::iter::repeat_n(Value::of(Origin::Insn(insn.pc)), pushed));
            }
        }
        Ok(false)
    }

    /// The verifier lets everything throw, so frames at handlers fit everything before them.
    fn may_throw(&self, _: &Insn<'a>) -> bool {
        true
    }

    fn caught(&self, handler: usize, before: &State) -> State {
        State { locals: before.locals.clone(), stack: vec![Value::of(Origin::Caught(handler))] }
    }

    fn join(&self, pc: usize, state: &mut State, other: &State) -> Result<bool, FlowError> {
        state.join(other, pc)
    }
}

/// The slot that an `iinc`, wide or not, adds to.
pub(crate) fn incremented(insn: &Insn<'_>) -> Option<usize> {
    match *insn.bytes {
        [opcodes::IINC, slot, _] => Some(usize::from(slot)),
        [opcodes::WIDE, opcodes::IINC, high, low, ..] => Some(usize::from(u16::from_be_bytes([high, low]))),
        _ => None,
    }
}

/// True if the load or store `opcode`, in its long form, moves a long or double.
pub(crate) fn is_wide(opcode: u8) -> bool {
    matches!(opcode, 22 | 24 | 55 | 57)
}

fn local(pc: usize, opcode: u8, slot: usize, state: &mut State) -> Result<bool, FlowError> {
    let count = 1 + usize::from(is_wide(opcode));
    if opcode < opcodes::ISTORE {
        for slot in slot..slot + count {
            let value = state.local(slot, pc)?.clone();
            state.stack.push(value);
        }
        return Ok(false);
    }
    for slot in (slot..slot + count).rev() {
        let value = state.pop(pc)?;
        state.set_local(slot, value, pc)?;
    }
    Ok(true)
}

/// `dup` to `dup2_x2` copy the top one or two slots below up to two more; `swap` changes the top two.
fn shuffle(insn: &Insn<'_>, state: &mut State) -> Result<(), FlowError> {
    let len = state.stack.len();
    let from_top = |depth: usize| len.checked_sub(depth).ok_or(FlowError::Malformed(insn.pc));
    if insn.opcode == opcodes::SWAP {
        let second = from_top(2)?;
        state.stack.swap(second, len - 1);
        return Ok(());
    }
    let kind = usize::from(insn.opcode - opcodes::DUP);
    let (copied, skipped) = (1 + kind / 3, kind % 3);
    let target = from_top(copied + skipped)?;
    let copy: Vec<Value> = state.stack.iter().skip(len - copied).cloned().collect();
    state.stack.splice(target..target, copy);
    Ok(())
}

impl<'a> Values<'_, '_, 'a> {
    /// Slots that an instruction takes from the stack and puts there.
    fn popped_and_pushed(&self, insn: &Insn<'a>) -> Result<(usize, usize), FlowError> {
        Ok(match insn.opcode {
            opcodes::GETSTATIC..=opcodes::PUTFIELD => {
                let size = slots(self.method.named(insn)?.descriptor.as_bytes());
                match insn.opcode {
                    opcodes::GETSTATIC => (0, size),
                    opcodes::PUTSTATIC => (size, 0),
                    opcodes::GETFIELD => (1, size),
                    _ => (1 + size, 0),
                }
            }
            opcodes::INVOKEVIRTUAL..=opcodes::INVOKEDYNAMIC => {
                let descriptor = self.method.callee_descriptor(insn)?;
                (parameter_slots(descriptor) + usize::from(has_receiver(insn)), slots(returned(descriptor)))
            }
            opcodes::MULTIANEWARRAY => (insn.bytes.get(3).copied().map_or(0, usize::from), 1),
            opcode => simple(opcode),
        })
    }
}

/// True if a call takes an object to call the method of.
pub(crate) fn has_receiver(call: &Insn<'_>) -> bool {
    !matches!(call.opcode, opcodes::INVOKESTATIC | opcodes::INVOKEDYNAMIC)
}

/// The parameters of a call: number, type, and how deep below the top of the stack the first slot lies.
pub(crate) fn arguments(descriptor: &[u8]) -> impl Iterator<Item = (usize, &[u8], usize)> {
    let mut below = parameter_slots(descriptor);
    parameters(descriptor).enumerate().map(move |(index, parameter)| {
        let depth = below - 1;
        below -= slots(parameter);
        (index, parameter, depth)
    })
}

/// Slots popped and pushed by instructions whose opcode alone says so.
fn simple(opcode: u8) -> (usize, usize) {
    match opcode {
        1..=8 | 11..=13 | 16..=19 | 187 => (0, 1),
        9 | 10 | 14 | 15 | 20 => (0, 2),
        // Array loads and stores.
        47 | 49 => (2, 2),
        46..=53 => (2, 1),
        80 | 82 => (4, 0),
        79..=86 => (3, 0),
        87 => (1, 0),
        88 => (2, 0),
        // add, sub, mul, div, rem: int, long, float, double each; then neg, shifts, and, or, xor.
        96..=115 if opcode.is_multiple_of(2) => (2, 1),
        96..=115 => (4, 2),
        116 | 118 => (1, 1),
        117 | 119 => (2, 2),
        121 | 123 | 125 => (3, 2),
        127 | 129 | 131 => (4, 2),
        120..=130 => (2, 1),
        // Conversions and comparisons.
        133 | 135 | 140 | 141 => (1, 2),
        136 | 137 | 142 | 144 => (2, 1),
        138 | 143 => (2, 2),
        134 | 139 | 145..=147 => (1, 1),
        148 | 151 | 152 => (4, 1),
        149 | 150 => (2, 1),
        159..=166 => (2, 0),
        173 | 175 => (2, 0),
        153..=158 | 170..=176 | 191 | 194 | 195 | 198 | 199 => (1, 0),
        188..=190 | 193 => (1, 1),
        _ => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack_map::{frames_of, with_slots};
    use catchment_classfile::{ClassFile, VerificationType};
    use catchment_program::{LoadOptions, visit};
    use catchment_testkit::pinned;

    /// The compiler's frames are the oracle: they say how high the stack is and which locals are set. Gives the
    /// number of frames.
    fn compare_with_frames(bytes: &[u8]) -> usize {
        let class = ClassFile::parse(bytes).expect("a class");
        let with_code = (0..class.methods.len())
            .filter(|index| class.code(&class.methods[*index]).is_ok_and(|code| code.is_some()));
        with_code.map(|index| compare_method(&Method::open(&class, index).expect("a method"))).sum()
    }

    fn compare_method(method: &Method<'_, '_>) -> usize {
        let values = values_of(method).expect("followed");
        let frames = frames_of(method).expect("frames");
        for (pc, frame) in &frames {
            let place = format!("{} {} {pc}", method.class.name, method.member.name);
            let block = method.block_at(*pc).expect("frames stand where control comes to");
            // Compilers leave some code that nothing leads to.
            let Some(state) = values.at_block(block) else { continue };
            let height = with_slots(&frame.stack).last().map_or(0, |(slot, it)| slot + width(it));
            assert_eq!(state.stack.len(), height, "{place}");
            for (slot, it) in with_slots(&frame.locals) {
                let unset = state.locals[slot].may_be(Origin::Unset);
                assert!(it == VerificationType::Top || !unset, "{place}: local {slot}");
            }
        }
        frames.len()
    }

    fn width(it: VerificationType<'_>) -> usize {
        if matches!(it, VerificationType::Long | VerificationType::Double) { 2 } else { 1 }
    }

    fn frames_of_library(coordinate: &str) -> usize {
        let jar = pinned::jars(&[coordinate]).expect("a library").remove(0);
        let mut frames = 0;
        visit(&jar, &LoadOptions::default(), &mut |it| frames += compare_with_frames(it.bytes))
            .expect("a jar");
        frames
    }

    #[test]
    fn stack_and_locals_are_as_the_frames_of_javac_say() {
        assert!(frames_of_library(pinned::LANG3) > 1_000);
    }

    #[test]
    fn stack_and_locals_are_as_the_frames_of_ecj_say() {
        assert!(frames_of_library(pinned::ECJ_2025) > 10_000);
    }

    #[test]
    fn stack_and_locals_are_as_the_frames_of_kotlinc_say() {
        assert!(frames_of_library(pinned::KOTLIN_STDLIB_2) > 1_000);
    }
}
