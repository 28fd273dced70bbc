//! Methods written in one pass: what is inserted is written while the code is copied.
//!
//! Nine methods in ten are plain: nothing is inserted but in front of single instructions. Every jump to an instruction
//! of theirs lands in front of what is inserted there, but for the first instruction, where it lands behind what
//! greets the entry; so do exceptions. One block may be appended that gets what the code throws.
//!
//! The others have a plan, which is completed once their instructions are copied. Code so long that jumps may not reach
//! is left to [`Relocator::relocate`].

use super::attributes::{Attributes, Frames};
use super::copy::{Copier, Inserter, new_pc};
use super::emit::{CODE_HEADER, Emitter, put_header, short};
use super::jumps::{Aim, aim_jumps};
use super::layout::{Layout, MAX_NEAR_LEN};
use super::positions::{CodeMap, Moved};
use super::stack_map::StackMap;
use super::{CodeEdit, Constants, MethodCode, RelocateError, Relocator, RelocatorBuffers, WorkBuffers};
use crate::ClassError;
use crate::bytes::put2;
use crate::frames::EncodedFrames;

/// Inserts into a plain method.
pub trait StreamInserter: Inserter {
    /// Writes what stands in front of everything, where jumps do not come by.
    fn put_entry(&mut self, out: &mut Vec<u8>) -> Result<(), RelocateError>;

    /// Writes a block that handles everything thrown from the old instruction on whose pc it gives. It finds no
    /// locals and does not go on. `None` for no block.
    fn put_handler(&mut self, out: &mut Vec<u8>) -> Result<Option<usize>, RelocateError>;

    fn constants(&mut self) -> &mut dyn Constants;
}

/// Inserts into a method with a plan.
pub trait PlannedInserter<'a>: Inserter {
    /// The changes to make once all is inserted: an edit without pieces.
    fn plan(&mut self) -> Result<(&CodeEdit<'a>, &mut dyn Constants), RelocateError>;
}

/// The result of streaming a method.
enum StreamResult {
    Done,
    Unchanged,
    TooLong,
}

impl<'a> Relocator<'_, 'a> {
    /// Gives a plain method new code with what `inserter` writes; where that is nothing, and on an error, it stays as
    /// it is. False if it is too long for that.
    pub fn stream_without_tries<I: StreamInserter>(
        &mut self,
        source: &MethodCode<'_, 'a>,
        max_stack: u16,
        inserter: &mut I,
    ) -> Result<bool, RelocateError> {
        self.stream::<I>(source, |work, out| stream_without_tries(source, max_stack, inserter, work, out))
    }

    /// The same for a method with a plan.
    pub fn stream_planned<I: PlannedInserter<'a>>(
        &mut self,
        source: &MethodCode<'_, 'a>,
        inserter: &mut I,
    ) -> Result<bool, RelocateError> {
        self.stream::<I>(source, |work, out| stream_planned(source, inserter, work, out))
    }

    #[inline]
    fn stream<I: Inserter>(
        &mut self,
        source: &MethodCode<'_, 'a>,
        put: impl FnOnce(&mut WorkBuffers, &mut Vec<u8>) -> Result<StreamResult, RelocateError>,
    ) -> Result<bool, RelocateError> {
        let len = source.code.bytes.len();
        if source.has_old_header() || len == 0 || len > MAX_NEAR_LEN as usize {
            return Ok(false);
        }
        let RelocatorBuffers { work, tail } = &mut *self.buffers;
        let mut fits = true;
        let replaced = tail.replace(source.class.bytes, source.attribute, |out| {
            let places = source.outline.calls_and_exits().len() + 2;
            out.reserve(source.attribute.data.len() + places * I::MAX_INSERTED + 64);
            out.extend_from_slice(&[0; CODE_HEADER]);
            work.positions.clear();
            let result = put(work, out)?;
            fits = !matches!(result, StreamResult::TooLong);
            Ok(matches!(result, StreamResult::Done))
        });
        replaced.map(|()| fits)
    }
}

fn stream_without_tries(
    source: &MethodCode<'_, '_>,
    max_stack: u16,
    inserter: &mut impl StreamInserter,
    work: &mut WorkBuffers,
    out: &mut Vec<u8>,
) -> Result<StreamResult, RelocateError> {
    let base = out.len();
    inserter.put_entry(out)?;
    let start_landing = new_pc(base, out);
    let WorkBuffers { positions, frame_targets: targets, names } = work;
    Copier { source, positions, targets, base }.copy(inserter, out)?;
    positions.moved[0] = Moved::to(0, positions.moved[0].at());
    let handler_pc = new_pc(base, out);
    let protected_from = inserter.put_handler(out)?;
    if handler_pc as usize == source.code.bytes.len() && protected_from.is_none() {
        return Ok(StreamResult::Unchanged);
    }
    let new_len = new_pc(base, out);
    if new_len > MAX_NEAR_LEN {
        return Ok(StreamResult::TooLong);
    }
    let map = CodeMap { outline: source.outline, moved: &positions.moved };
    let mut streamed = Streamed { source, map, start_landing };
    let (header, new_code) = out[base - CODE_HEADER..].split_at_mut(CODE_HEADER);
    put_header(header, max_stack, source.code.max_locals, new_len);
    aim_jumps(source, map.moved, &mut streamed, new_code)?;
    let handler = protected_from.map(|_| handler_pc);
    streamed.put_exceptions(protected_from.zip(handler), out)?;
    let mut frames = StreamedFrames { streamed: &streamed, handler, constants: inserter.constants() };
    let appends = handler.is_some();
    Attributes { source, map, names, exceptions: &[], changed: true, appends }.put(&mut frames, out)?;
    Ok(StreamResult::Done)
}

fn stream_planned<'a>(
    source: &MethodCode<'_, 'a>,
    inserter: &mut impl PlannedInserter<'a>,
    work: &mut WorkBuffers,
    out: &mut Vec<u8>,
) -> Result<StreamResult, RelocateError> {
    let base = out.len();
    let WorkBuffers { positions, frame_targets: targets, names } = work;
    targets.clear();
    Copier { source, positions, targets, base }.copy(inserter, out)?;
    let copied_len = new_pc(base, out);
    let (edit, constants) = inserter.plan()?;
    if copied_len as usize == source.code.bytes.len() && edit.is_empty() {
        return Ok(StreamResult::Unchanged);
    }
    let layout = Layout::of_copied(source, edit, positions, copied_len);
    if layout.code_len() > MAX_NEAR_LEN {
        return Ok(StreamResult::TooLong);
    }
    Emitter { source, edit, layout: &layout, targets, changed: true, constants }
        .complete(base, names, out)?;
    Ok(StreamResult::Done)
}

/// Code that was streamed.
struct Streamed<'s, 'a> {
    source: &'s MethodCode<'s, 'a>,
    map: CodeMap<'s>,
    /// The pc at which jumps to the first instruction land.
    start_landing: u32,
}

impl Streamed<'_, '_> {
    /// The new pc at which control that comes to the old `pc` arrives.
    #[inline]
    fn landing(&self, pc: usize) -> Result<u32, ClassError> {
        let moved = self.map.moved(pc)?;
        Ok(if pc == 0 { self.start_landing } else { moved.before() })
    }

    /// The old rows, and one for exceptions of every type from an old pc on, with the new pc of its handler, which
    /// stands just behind the old code.
    fn put_exceptions(&self, last: Option<(usize, u32)>, out: &mut Vec<u8>) -> Result<(), RelocateError> {
        let old = self.source.code.exceptions();
        let count = old.len() + usize::from(last.is_some());
        put2(out, u16::try_from(count).map_err(|_| RelocateError::TooLong)?);
        for row in old {
            let start = self.landing(usize::from(row.start))?;
            let end = self.map.moved(usize::from(row.end))?.before();
            let handler = self.landing(usize::from(row.handler))?;
            put_exception_row([short(start), short(end), short(handler), row.catch_type], out);
        }
        if let Some((from, handler)) = last {
            let start = self.map.moved(from)?.before();
            put_exception_row([short(start), short(handler), short(handler), 0], out);
        }
        Ok(())
    }
}

impl Aim for Streamed<'_, '_> {
    #[inline]
    fn aim(&mut self, _: usize, target: usize) -> Result<u32, ClassError> {
        self.landing(target)
    }
}

/// A row of an exception table.
fn put_exception_row(row: [u16; 4], out: &mut Vec<u8>) {
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
