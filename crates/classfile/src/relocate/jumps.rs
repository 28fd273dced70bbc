//! Gives the copied jumps and switches their new distances, and notes where they land for the stack map.

use super::emit::Emitter;
use super::layout::padding;
use super::positions::Moved;
use super::{MethodCode, RelocateError};
use crate::opcodes::{GOTO_W, JSR_W, TABLESWITCH};
use crate::{ClassError, ControlKind, Landmark};

/// New targets of the jumps of a method.
pub(super) trait Aim {
    /// The new pc that the jump at the old `pc` to the old `target` goes to.
    fn aim(&mut self, pc: usize, target: usize) -> Result<u32, ClassError>;

    /// True if the jump at the old `pc` has become its wide form.
    fn is_widened(&self, _pc: usize) -> bool {
        false
    }
}

/// Sets the distances in `code`, the new code, copied but for them.
#[inline]
pub(super) fn aim_jumps(
    source: &MethodCode<'_, '_>,
    moved: &[Moved],
    aim: &mut impl Aim,
    code: &mut [u8],
) -> Result<(), ClassError> {
    for landmark in source.outline.jumps() {
        let from = moved[landmark.pc()].at();
        match landmark.control {
            ControlKind::Switch => aim_switch(source, landmark, from, aim, code)?,
            ControlKind::Ret => {}
            _ => aim_jump(source, landmark, from, aim, code)?,
        }
    }
    Ok(())
}

#[inline]
fn aim_jump(
    source: &MethodCode<'_, '_>,
    landmark: &Landmark,
    from: u32,
    aim: &mut impl Aim,
    code: &mut [u8],
) -> Result<(), ClassError> {
    let (old, pc) = (source.code.bytes, landmark.pc());
    let operand = from as usize + 1;
    let was_wide = matches!(landmark.opcode, GOTO_W | JSR_W);
    let target = if was_wide {
        landmark.insn(old)?.targets().next().unwrap_or(usize::MAX)
    } else {
        landmark.short_target(old)
    };
    let distance = aim.aim(pc, target)?.wrapping_sub(from).to_be_bytes();
    if was_wide || aim.is_widened(pc) {
        code[operand..operand + 4].copy_from_slice(&distance);
    } else {
        code[operand..operand + 2].copy_from_slice(&distance[2..]);
    }
    Ok(())
}

fn aim_switch(
    source: &MethodCode<'_, '_>,
    landmark: &Landmark,
    from: u32,
    aim: &mut impl Aim,
    code: &mut [u8],
) -> Result<(), ClassError> {
    let insn = landmark.insn(source.code.bytes)?;
    let words = (from + 1 + padding(from)) as usize;
    // The default, then what stands behind low and high, or behind the count and the first key.
    let stride = if insn.opcode == TABLESWITCH { 4 } else { 8 };
    let offsets = std::iter::once(words).chain((words + 12..).step_by(stride));
    for (target, at) in insn.targets().zip(offsets) {
        let distance = aim.aim(insn.pc, target)?.wrapping_sub(from);
        code[at..at + 4].copy_from_slice(&distance.to_be_bytes());
    }
    Ok(())
}

impl Aim for Emitter<'_, '_> {
    #[inline]
    fn aim(&mut self, pc: usize, target: usize) -> Result<u32, ClassError> {
        let place = self.edit.jump(pc, target);
        let (to, has_pieces) = self.layout.find_target(place)?;
        if has_pieces {
            self.targets.add(place);
        }
        Ok(to)
    }

    #[inline]
    fn is_widened(&self, pc: usize) -> bool {
        self.layout.is_widened(pc)
    }
}

impl Emitter<'_, '_> {
    /// Sets the distances in `code`, and notes what is inserted behind instructions that do not go on.
    pub(super) fn aim_jumps(&mut self, code: &mut [u8]) -> Result<(), RelocateError> {
        let layout = self.layout;
        aim_jumps(self.source, layout.map().moved, self, code)?;
        let outline = self.source.outline;
        let landmarks = outline.jumps().iter().chain(outline.calls_and_exits());
        for landmark in landmarks.filter(|it| !it.control.falls_through()) {
            let next_pc = landmark.insn(self.source.code.bytes)?.next_pc();
            if self.layout.has_pieces(next_pc) {
                self.targets.add_cut_off(next_pc);
            }
        }
        Ok(())
    }
}
