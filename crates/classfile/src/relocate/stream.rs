//! Methods that need no plan: what is inserted stands in front of single instructions and is written while the code
//! is copied.
//!
//! Nine methods in ten protect nothing and do not switch. Every jump to an instruction of theirs lands in front of what
//! is inserted there, but for the first instruction, where it lands behind what greets the entry.

use super::emit::{CODE_HEADER, Emitter, put_run};
use super::layout::Layout;
use super::positions::{Moved, Positions};
use super::{CodeEdit, Constants, MethodCode, RelocateError, Relocator};
use crate::{Landmark, Replacements, Role};

/// The longest new code in which everything reaches everything.
const MAX_STREAMED_LEN: usize = 32_767;

/// Writes what is inserted into a method, in the order of the code.
pub trait Inserter<'a> {
    /// The most bytes it writes at one place.
    const MAX_INSERTED: usize;

    /// Whether something stands in front of instructions of this role.
    fn wants(&self, role: Role) -> bool;

    /// Writes what stands in front of everything, where jumps do not come by.
    fn put_entry(&mut self, out: &mut Vec<u8>) -> Result<(), RelocateError>;

    /// Writes what stands in front of an instruction of a role it wants.
    fn put_before(&mut self, role: Role, out: &mut Vec<u8>) -> Result<(), RelocateError>;

    /// Adds at most one block behind the code, and the rows of the exception table, which must not need any slot.
    fn append(&mut self, edit: &mut CodeEdit<'a>) -> Result<(), RelocateError>;

    fn constants(&mut self) -> &mut dyn Constants;
}

impl Relocator {
    /// Whether [`Self::stream`] can take the method with insertions of this size.
    pub fn can_stream(source: &MethodCode<'_, '_>, max_inserted: usize) -> bool {
        let code = source.code.bytes;
        let places = source.outline.landmarks().len() + 2;
        !source.has_old_header()
            && !source.code.has_exceptions()
            && !source.outline.has_switches()
            && !code.is_empty()
            && code.len() + places * max_inserted <= MAX_STREAMED_LEN
    }

    /// Adds the method's `Code` attribute to `replacements` with what `inserter` writes; nothing if that is nothing, and
    /// nothing on an error. `edit` has a stack size and nothing else; the rest of it is only lent.
    pub fn stream<'a, I: Inserter<'a>>(
        &mut self,
        source: &MethodCode<'_, 'a>,
        edit: &mut CodeEdit<'a>,
        inserter: &mut I,
        replacements: &mut Replacements<'a>,
    ) -> Result<(), RelocateError> {
        let out = &mut replacements.contents;
        let start = out.len();
        let places = source.outline.landmarks().len() + 2;
        out.reserve(source.attribute.data.len() + places * I::MAX_INSERTED + 64);
        match self.stream_to(source, edit, inserter, out) {
            Ok(true) => replacements.finish(source.attribute),
            Ok(false) => out.truncate(start),
            Err(error) => {
                out.truncate(start);
                return Err(error);
            }
        }
        Ok(())
    }

    /// False if nothing has changed.
    fn stream_to<'a>(
        &mut self,
        source: &MethodCode<'_, 'a>,
        edit: &mut CodeEdit<'a>,
        inserter: &mut impl Inserter<'a>,
        out: &mut Vec<u8>,
    ) -> Result<bool, RelocateError> {
        out.extend_from_slice(&[0; CODE_HEADER]);
        let base = out.len();
        self.positions.clear();
        self.positions.copy(source.code.bytes, source.outline.landmarks(), inserter, out)?;
        if self.positions.start_landing > 0 {
            edit.landings.push((0, 1));
        }
        inserter.append(edit)?;
        if self.positions.end as usize == source.code.bytes.len() && edit.appended.is_empty() {
            return Ok(false);
        }
        let layout = Layout::streamed(source, edit, &mut self.positions);
        let constants = inserter.constants();
        let emitter = Emitter { source, edit, layout: &layout, targets: None, changed: true, constants };
        emitter.emit_behind(out, base)?;
        Ok(true)
    }
}

impl Positions {
    /// Copies the code with what is inserted, and notes where everything went.
    fn copy<'a>(
        &mut self,
        code: &[u8],
        landmarks: &[Landmark],
        inserter: &mut impl Inserter<'a>,
        out: &mut Vec<u8>,
    ) -> Result<(), RelocateError> {
        let base = out.len();
        let landmarks = self.greet_entry(landmarks, inserter, out)?;
        let mut copied = 0;
        for landmark in landmarks {
            if !inserter.wants(landmark.role) {
                continue;
            }
            put_run(code, copied..landmark.pc(), out);
            copied = landmark.pc();
            let before = new_pc(base, out);
            inserter.put_before(landmark.role, out)?;
            self.stop(copied, before, new_pc(base, out));
        }
        put_run(code, copied..code.len(), out);
        self.end = new_pc(base, out);
        self.stop(code.len(), self.end, self.end);
        Ok(())
    }

    /// Writes what stands in front of the first instruction; gives the landmarks behind it.
    fn greet_entry<'a, 'l>(
        &mut self,
        landmarks: &'l [Landmark],
        inserter: &mut impl Inserter<'a>,
        out: &mut Vec<u8>,
    ) -> Result<&'l [Landmark], RelocateError> {
        let base = out.len();
        inserter.put_entry(out)?;
        self.start_landing = new_pc(base, out);
        if self.start_landing == 0 {
            return Ok(landmarks);
        }
        let rest = match landmarks {
            [first, rest @ ..] if first.pc() == 0 && inserter.wants(first.role) => {
                inserter.put_before(first.role, out)?;
                rest
            }
            all => all,
        };
        self.stop(0, 0, new_pc(base, out));
        Ok(rest)
    }

    /// Notes that what was at `pc` is now at `at`, behind what is inserted from `before` on; all in front of it, up to
    /// the stop before, moved with that one.
    #[inline]
    fn stop(&mut self, pc: usize, before: u32, at: u32) {
        let run = (pc - self.moved.len()) as u32;
        self.move_run(pc, before - run);
        self.moved.push(Moved::to(before, at));
    }
}

/// How much was written since `base`: the insertions are bounded, so it fits.
#[inline]
fn new_pc(base: usize, out: &[u8]) -> u32 {
    (out.len() - base) as u32
}
