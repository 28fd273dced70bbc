//! Gives the copied jumps and switches their new distances, and notes where they land for the stack map.

use super::RelocateError;
use super::emit::Emitter;
use super::layout::padding;
use crate::opcodes::{GOTO_W, JSR_W, TABLESWITCH};
use crate::{ClassError, Landmark, Role};

impl<'a> Emitter<'_, 'a> {
    /// `code` is the new code, copied but for the distances.
    pub(super) fn aim_jumps(&mut self, code: &mut [u8]) -> Result<(), RelocateError> {
        for landmark in self.source.outline.jumps() {
            let from = self.layout.moved_instruction(landmark.pc());
            match landmark.role {
                Role::Switch => self.aim_switch(landmark, from, code)?,
                Role::Ret => {}
                _ => self.aim_jump(landmark, from, code)?,
            }
        }
        self.note_cut_offs()
    }

    /// Notes what is inserted behind instructions that do not go on.
    fn note_cut_offs(&mut self) -> Result<(), RelocateError> {
        let outline = self.source.outline;
        let landmarks = outline.jumps().iter().chain(outline.calls_and_exits());
        for landmark in landmarks.filter(|it| !it.role.falls_through()) {
            let next_pc = landmark.insn(self.source.code.bytes)?.next_pc();
            if self.layout.has_pieces(next_pc) {
                self.targets.add_cut_off(next_pc);
            }
        }
        Ok(())
    }

    /// The distance from the new `from` to where the jump at the old `pc` to the old `target` now goes.
    #[inline]
    fn distance(&mut self, from: u32, pc: usize, target: usize) -> Result<u32, ClassError> {
        let place = self.edit.jump(pc, target);
        let (to, has_pieces) = self.layout.find_target(place)?;
        if has_pieces {
            self.targets.add(place);
        }
        Ok(to.wrapping_sub(from))
    }

    #[inline]
    fn aim_jump(&mut self, landmark: &Landmark, from: u32, code: &mut [u8]) -> Result<(), ClassError> {
        let old = self.source.code.bytes;
        let pc = landmark.pc();
        let operand = from as usize + 1;
        if matches!(landmark.opcode, GOTO_W | JSR_W) {
            let target = landmark.insn(old)?.targets().next().unwrap_or(usize::MAX);
            let distance = self.distance(from, pc, target)?.to_be_bytes();
            code[operand..operand + 4].copy_from_slice(&distance);
            return Ok(());
        }
        let distance = self.distance(from, pc, landmark.short_target(old))?.to_be_bytes();
        if self.layout.is_widened(pc) {
            code[operand..operand + 4].copy_from_slice(&distance);
        } else {
            code[operand..operand + 2].copy_from_slice(&distance[2..]);
        }
        Ok(())
    }

    fn aim_switch(&mut self, landmark: &Landmark, from: u32, code: &mut [u8]) -> Result<(), ClassError> {
        let insn = landmark.insn(self.source.code.bytes)?;
        let words = (from + 1 + padding(from)) as usize;
        // The default, then what stands behind low and high, or behind the count and the first key.
        let stride = if insn.opcode == TABLESWITCH { 4 } else { 8 };
        let offsets = std::iter::once(words).chain((words + 12..).step_by(stride));
        for (target, at) in insn.targets().zip(offsets) {
            let distance = self.distance(from, insn.pc, target)?;
            code[at..at + 4].copy_from_slice(&distance.to_be_bytes());
        }
        Ok(())
    }
}
