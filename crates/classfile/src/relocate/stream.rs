//! Methods that need no plan: what is inserted stands in front of single instructions and is written while the code
//! is copied.
//!
//! Nine methods in ten need no more and do not switch. Every jump to an instruction of theirs lands in front of what
//! is inserted there, but for the first instruction, where it lands behind what greets the entry; so do exceptions. One
//! block may be appended that gets what the code throws.

use super::attributes::{AttributeNames, Attributes, Frames};
use super::emit::{CODE_HEADER, put_header, short};
use super::positions::{CodeMap, Moved, Positions};
use super::stack_map::StackMap;
use super::{Constants, MethodCode, RelocateError, Relocator, RelocatorBuffers};
use crate::bytes::{put_run, put2};
use crate::frames::EncodedFrames;
use crate::opcodes::{GOTO_W, JSR_W};
use crate::{ClassError, Role};

/// The longest new code in which everything reaches everything.
const MAX_STREAMED_LEN: usize = 32_767;

/// Writes what is inserted into a method, in the order of the code.
pub trait Inserter {
    /// The most bytes it writes at one place.
    const MAX_INSERTED: usize;

    /// Whether something stands in front of instructions of this role: calls, returns or throws.
    fn wants(&self, role: Role) -> bool;

    /// Writes what stands in front of everything, where jumps do not come by.
    fn put_entry(&mut self, out: &mut Vec<u8>) -> Result<(), RelocateError>;

    /// Writes what stands in front of an instruction of a role it wants.
    fn put_before(&mut self, role: Role, out: &mut Vec<u8>) -> Result<(), RelocateError>;

    /// Writes a block that handles everything thrown from the old instruction on whose pc it gives. It finds no locals and
    /// does not go on. `None` for no block.
    fn put_handler(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, RelocateError>;

    fn constants(&mut self) -> &mut dyn Constants;
}

impl<'a> Relocator<'_, 'a> {
    /// Whether [`Self::stream`] can take the method with insertions of this size.
    pub fn can_stream(source: &MethodCode<'_, '_>, max_inserted: usize) -> bool {
        let code = source.code.bytes;
        !source.has_old_header()
            && !source.outline.has_switches()
            && !code.is_empty()
            && code.len() + places(source) * max_inserted <= MAX_STREAMED_LEN
    }

    /// Gives the method new code with what `inserter` writes; where that is nothing, and on an error, it stays as it is.
    pub fn stream<I: Inserter>(
        &mut self,
        source: &MethodCode<'_, 'a>,
        max_stack: u16,
        inserter: &mut I,
    ) -> Result<(), RelocateError> {
        let RelocatorBuffers { positions, names, tail, .. } = &mut *self.buffers;
        tail.replace(source.class.bytes, source.attribute, |out| {
            out.reserve(source.attribute.data.len() + places(source) * I::MAX_INSERTED + 64);
            stream_to(source, max_stack, inserter, positions, names, out)
        })
    }
}

/// False if nothing has changed.
fn stream_to<I: Inserter>(
    source: &MethodCode<'_, '_>,
    max_stack: u16,
    inserter: &mut I,
    positions: &mut Positions,
    names: &mut AttributeNames,
    out: &mut Vec<u8>,
) -> Result<bool, RelocateError> {
    out.extend_from_slice(&[0; CODE_HEADER]);
    let base = out.len();
    positions.moved.clear();
    let start_landing = positions.copy(source, inserter, out)?;
    let handler_pc = new_pc(base, out);
    let protected_from = inserter.put_handler(out)?;
    if handler_pc as usize == source.code.bytes.len() && protected_from.is_none() {
        return Ok(false);
    }
    let new_len = new_pc(base, out);
    let map = CodeMap { outline: source.outline, moved: &positions.moved };
    let streamed = Streamed { source, map, start_landing };
    let (header, new_code) = out[base - CODE_HEADER..].split_at_mut(CODE_HEADER);
    put_header(header, max_stack, source.code.max_locals, new_len);
    streamed.aim_jumps(new_code)?;
    let handler = protected_from.map(|_| handler_pc);
    streamed.put_exceptions(protected_from.zip(handler), out)?;
    let mut frames = StreamedFrames { streamed: &streamed, handler, constants: inserter.constants() };
    let appends = handler.is_some();
    Attributes { source, map, names, exceptions: &[], changed: true, appends }.put(&mut frames, out)?;
    Ok(true)
}

/// How many places there are to insert at.
fn places(source: &MethodCode<'_, '_>) -> usize {
    source.outline.calls_and_exits().len() + 2
}

impl Positions {
    /// Copies the code with what is inserted, and notes where everything went. Gives where jumps to the first
    /// instruction land.
    fn copy(
        &mut self,
        source: &MethodCode<'_, '_>,
        inserter: &mut impl Inserter,
        out: &mut Vec<u8>,
    ) -> Result<u32, RelocateError> {
        // Runs are copied out of the whole class file: something follows the last one too.
        let (class, code) = (source.class.bytes, source.attribute.offset + CODE_HEADER);
        let (len, base) = (source.code.bytes.len(), out.len());
        inserter.put_entry(out)?;
        let start_landing = new_pc(base, out);
        let mut copied = 0;
        for landmark in source.outline.calls_and_exits() {
            if !inserter.wants(landmark.role) {
                continue;
            }
            put_run(class, code + copied..code + landmark.pc(), out);
            copied = landmark.pc();
            let before = new_pc(base, out);
            inserter.put_before(landmark.role, out)?;
            self.stop(copied, before, new_pc(base, out));
        }
        put_run(class, code + copied..code + len, out);
        let end = new_pc(base, out);
        self.stop(len, end, end);
        self.moved[0] = Moved::to(0, self.moved[0].at());
        Ok(start_landing)
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

/// Code that was streamed.
struct Streamed<'s, 'a> {
    source: &'s MethodCode<'s, 'a>,
    map: CodeMap<'s>,
    /// Where jumps to the first instruction land.
    start_landing: u32,
}

impl Streamed<'_, '_> {
    /// Where control that comes to the old `pc` arrives.
    #[inline]
    fn landing(&self, pc: usize) -> Result<u32, ClassError> {
        let moved = self.map.moved(pc)?;
        Ok(if pc == 0 { self.start_landing } else { moved.before() })
    }

    /// The old rows, and one for exceptions of every type from an old pc on, with the new pc of its handler, which stands
    /// just behind the old code.
    fn put_exceptions(&self, last: Option<(usize, u32)>, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        let old = self.source.code.exceptions();
        let count = old.len() + usize::from(last.is_some());
        put2(out, u16::try_from(count).map_err(|_| RelocateError::TooLong)?);
        for row in old {
            let start = self.landing(usize::from(row.start))?;
            let end = self.map.moved(usize::from(row.end))?.before();
            let handler = self.landing(usize::from(row.handler))?;
            put_row([short(start), short(end), short(handler), row.catch_type], out);
        }
        if let Some((from, handler)) = last {
            let start = self.map.moved(from)?.before();
            put_row([short(start), short(handler), short(handler), 0], out);
        }
        Ok(())
    }

    /// Gives the copied jumps their new distances.
    fn aim_jumps(&self, code: &mut [u8]) -> Result<(), ClassError> {
        let old = self.source.code.bytes;
        for jump in self.source.outline.jumps().iter().filter(|it| it.role != Role::Ret) {
            let from = self.map.moved[jump.pc()].at();
            let operand = from as usize + 1;
            if matches!(jump.opcode, GOTO_W | JSR_W) {
                let target = jump.insn(old)?.targets().next().unwrap_or(usize::MAX);
                let distance = self.landing(target)?.wrapping_sub(from);
                code[operand..operand + 4].copy_from_slice(&distance.to_be_bytes());
            } else {
                let distance = self.landing(jump.short_target(old))?.wrapping_sub(from);
                code[operand..operand + 2].copy_from_slice(&(distance as u16).to_be_bytes());
            }
        }
        Ok(())
    }
}

/// A row of an exception table.
fn put_row(row: [u16; 4], out: &mut Vec<u8>) {
    out.extend_from_slice(row.map(u16::to_be_bytes).as_flattened());
}

/// Every frame stays one frame; one more for the handler, where there is one.
struct StreamedFrames<'s, 'a> {
    streamed: &'s Streamed<'s, 'a>,
    /// Its new pc.
    handler: Option<u32>,
    constants: &'s mut dyn Constants,
}

impl<'a> Frames<'a> for StreamedFrames<'_, 'a> {
    fn put_frames(&mut self, table: &'a [u8], out: &mut Vec<u8>) -> Result<(), RelocateError> {
        let mut frames = EncodedFrames::new(table)?;
        let mut stack_map = StackMap::begin(self.streamed.map, out);
        while let Some(frame) = frames.advance()? {
            stack_map.put(frame, self.streamed.landing(frame.pc)?)?;
        }
        if let Some(pc) = self.handler {
            stack_map.put_handler(pc, self.constants)?;
        }
        stack_map.end();
        Ok(())
    }

    fn name(&mut self) -> Option<u16> {
        self.constants.stack_map_name()
    }
}
