//! Exceptions that leave a try uncaught, or a whole method, are seen by one more handler that throws them on.
//!
//! The handler of a try stands in the table directly behind the try's own clauses. It lies outside the method's
//! old code, so every table row that protected the try must protect it too, in the old order; otherwise the
//! exception would skip an outer catch. The verifier then wants the handler's frame to satisfy each of those
//! outer handlers: per local the first type that one of them declares, from the inside out.

use crate::constants::ProbeConstants;
use crate::frames::{FrameTable, by_slot, has_uninitialized_this};
use crate::method::put_probe;
use crate::probes::Probe;
use catchment_classfile::{
    Appended, AppendedEnd, BlockFrame, ClassError, ClassFile, CodeEdit, CodePosition, ExceptionRow,
    MethodCode, NewException, RelocateError, VerificationType, opcodes,
};
use catchment_pairs::CompiledTry;
use smallvec::SmallVec;

/// A try whose uncaught exceptions are to be seen.
#[derive(Debug)]
pub(crate) struct EscapeRequest<'p> {
    pub(crate) id: usize,
    pub(crate) it: &'p CompiledTry,
    /// Position of the first range of the try in the new code.
    pub(crate) start: CodePosition,
}

/// A block behind the code and the old table rows that must protect it.
#[derive(Debug)]
pub(crate) struct BlockCover {
    pub(crate) block: usize,
    pub(crate) rows: SmallVec<[u16; 8]>,
}

/// A row of the new table together with the old pcs it protects.
#[derive(Debug, Clone)]
struct Row {
    start: usize,
    end: usize,
    new: NewException,
    /// Of an old row its index; of a new one that of the row it follows.
    origin: usize,
}

/// Handlers with the types they catch, in table order.
type Around = SmallVec<[(CodePosition, u16); 2]>;

/// Work spent on one method's nested tries before it is given up: hostile classes nest thousands.
const MAX_ROW_CHECKS: usize = 50_000_000;

/// Inputs of the handlers.
pub(crate) struct Escapes<'e, 'a> {
    pub(crate) source: &'e MethodCode<'e, 'a>,
    pub(crate) rows: &'e [ExceptionRow],
    pub(crate) frames: &'e FrameTable<'e, 'a>,
}

impl<'a> Escapes<'_, 'a> {
    /// Fills the exception table of `edit` from the old rows and the handlers asked for.
    pub(crate) fn add(
        &self,
        kept: &[NewException],
        requests: &[EscapeRequest<'_>],
        block_covers: &[BlockCover],
        method_escape: Option<(Probe, usize)>,
        constants: &mut ProbeConstants,
        edit: &mut CodeEdit<'a>,
    ) -> Result<(), RelocateError> {
        // From the last row to the first: when a try's turn comes, all rows around it are known.
        let mut reversed = SmallVec::<[Row; 8]>::new();
        let mut covers = Vec::new();
        let mut budget = MAX_ROW_CHECKS;
        for (index, new) in kept.iter().enumerate().rev() {
            for request in requests.iter().filter(|request| last_row(request.it) == index) {
                self.add_try_escape(request, &mut reversed, &mut covers, &mut budget, constants, edit)?;
            }
            let old = self.rows[index];
            let (start, end) = (usize::from(old.start), usize::from(old.end));
            reversed.push(Row { start, end, new: *new, origin: index });
        }
        for cover in block_covers {
            covers.extend(rows_over_block(cover, &reversed));
        }
        edit.exceptions.extend(reversed.into_iter().rev().map(|row| row.new));
        edit.exceptions.extend(covers);
        if let Some((probe, id)) = method_escape {
            self.add_method_escape(probe, id, constants, edit)?;
        }
        Ok(())
    }

    /// One handler per distinct set of rows around a part of the try; nearly always one in all.
    fn add_try_escape(
        &self,
        request: &EscapeRequest<'_>,
        reversed: &mut SmallVec<[Row; 8]>,
        covers: &mut Vec<NewException>,
        budget: &mut usize,
        constants: &mut ProbeConstants,
        edit: &mut CodeEdit<'a>,
    ) -> Result<(), RelocateError> {
        let mut handlers: SmallVec<[(Around, usize); 1]> = SmallVec::new();
        let mut rows = SmallVec::<[Row; 2]>::new();
        for (start, end) in parts(request.it, reversed) {
            *budget = budget.checked_sub(reversed.len()).ok_or(RelocateError::TooManyHandlers)?;
            let around = around(start, end, reversed);
            let block = match handlers.iter().find(|(it, _)| *it == around) {
                Some((_, block)) => *block,
                None => {
                    let frame = self.frame_of(request.it, &around, edit)?;
                    let block = append_rethrow(Probe::TryEscape, request.id, frame, constants, edit)?;
                    covers.extend(around.iter().map(|handler| over_block(block, *handler)));
                    handlers.push((around, block));
                    block
                }
            };
            let first = usize::from(request.it.start()) == start;
            let new = NewException {
                start: if first { request.start } else { CodePosition::before(start) },
                end: CodePosition::before(end),
                handler: CodePosition::Appended(block),
                catch_type: 0,
                original: None,
            };
            rows.push(Row { start, end, new, origin: last_row(request.it) });
        }
        reversed.extend(rows.into_iter().rev());
        Ok(())
    }

    fn frame_of(
        &self,
        it: &CompiledTry,
        around: &[(CodePosition, u16)],
        edit: &CodeEdit<'a>,
    ) -> Result<BlockFrame<'a>, ClassError> {
        let mut slots = SmallVec::new();
        for (handler, _) in around {
            let locals = match handler {
                CodePosition::Slot { pc, .. } => self.frames.at(*pc)?.map(|frame| frame.locals),
                CodePosition::Appended(block) | CodePosition::AfterAppended(block) => {
                    Some(edit.appended[*block].frame.locals())
                }
            };
            merge(&mut slots, locals.unwrap_or_default(), self.source.class);
        }
        let own = it.clauses.first().map(|clause| self.frames.at(usize::from(clause.handler))).transpose()?;
        if own.flatten().is_some_and(|frame| has_uninitialized_this(frame.locals)) {
            merge(&mut slots, &[VerificationType::UninitializedThis], self.source.class);
        }
        let mut locals: Vec<_> = slots.into_iter().flatten().collect();
        while locals.last() == Some(&VerificationType::Top) {
            locals.pop();
        }
        Ok(BlockFrame::Handler(locals))
    }

    /// A handler behind all others over the whole method. In a constructor it begins behind the call of
    /// `super()`: before it no handler frame can serve both kinds of `this`.
    fn add_method_escape(
        &self,
        probe: Probe,
        id: usize,
        constants: &mut ProbeConstants,
        edit: &mut CodeEdit<'a>,
    ) -> Result<(), RelocateError> {
        let Some(start) = initialized_from(self.source, self.frames)? else { return Ok(()) };
        let initialized: SmallVec<[usize; 8]> = edit
            .appended
            .iter()
            .enumerate()
            .filter(|(_, block)| !has_uninitialized_this(block.frame.locals()))
            .map(|(index, _)| index)
            .collect();
        let block = append_rethrow(probe, id, BlockFrame::Handler(Vec::new()), constants, edit)?;
        let whole = (CodePosition::before(start), CodePosition::before(self.source.code.bytes.len()));
        let blocks =
            initialized.iter().map(|it| (CodePosition::Appended(*it), CodePosition::AfterAppended(*it)));
        edit.exceptions.extend(std::iter::once(whole).chain(blocks).map(|(start, end)| NewException {
            start,
            end,
            handler: CodePosition::Appended(block),
            catch_type: 0,
            original: None,
        }));
        Ok(())
    }
}

/// The pc from which on `this` is initialised; `None` if that cannot be told or nothing follows it.
pub(crate) fn initialized_from(
    source: &MethodCode<'_, '_>,
    frames: &FrameTable<'_, '_>,
) -> Result<Option<usize>, ClassError> {
    if source.method.name != "<init>" || source.class.name == *"java/lang/Object" {
        return Ok(Some(0));
    }
    // Each constructor call is that of the object made last, or of `this` if there is none.
    let mut made = source.outline.places_of(source.code.bytes, opcodes::NEW).peekable();
    let mut pending = 0usize;
    let mut start = None;
    let calls = source.outline.calls_and_exits().iter().filter(|it| it.opcode == opcodes::INVOKESPECIAL);
    for call in calls {
        let insn = call.insn(source.code.bytes)?;
        if source.class.pool.member_name(insn.u2())? != "<init>" {
            continue;
        }
        while made.next_if(|pc| *pc < call.pc()).is_some() {
            pending += 1;
        }
        match pending.checked_sub(1) {
            Some(left) => pending = left,
            None => start = Some(insn.next_pc()),
        }
    }
    pending += made.count();
    match start {
        Some(pc) if pending == 0 && pc < source.code.bytes.len() => {
            Ok((!frames.uninitialized_this_from(pc)?).then_some(pc))
        }
        _ => Ok(None),
    }
}

fn append_rethrow<'a>(
    probe: Probe,
    id: usize,
    frame: BlockFrame<'a>,
    constants: &mut ProbeConstants,
    edit: &mut CodeEdit<'a>,
) -> Result<usize, RelocateError> {
    let start = edit.code.len();
    put_rethrow(probe, id, constants, &mut edit.code)?;
    edit.appended.push(Appended { code: start..edit.code.len(), end: AppendedEnd::Throws, frame });
    Ok(edit.appended.len() - 1)
}

/// A probe that is given the exception on the stack, which is then thrown on.
pub(crate) fn put_rethrow(
    probe: Probe,
    id: usize,
    constants: &mut ProbeConstants,
    out: &mut Vec<u8>,
) -> Result<(), RelocateError> {
    put_probe(probe, id, constants, out)?;
    out.push(opcodes::ATHROW);
    Ok(())
}

fn last_row(it: &CompiledTry) -> usize {
    it.clauses
        .iter()
        .filter_map(|clause| clause.rows.last())
        .max()
        .map_or(usize::MAX, |index| usize::from(*index))
}

/// A row that protects an appended block.
fn over_block(block: usize, (handler, catch_type): (CodePosition, u16)) -> NewException {
    let (start, end) = (CodePosition::Appended(block), CodePosition::AfterAppended(block));
    NewException { start, end, handler, catch_type, original: None }
}

/// The rows that protect a block on the way of a jump, in table order: the old ones asked for, and with the last row
/// of a try also the handler that sees its exceptions escape. `rows` is in reverse.
fn rows_over_block(cover: &BlockCover, rows: &[Row]) -> impl Iterator<Item = NewException> {
    let mut handlers = Around::new();
    for row in rows.iter().rev() {
        let wanted = u16::try_from(row.origin).is_ok_and(|origin| cover.rows.binary_search(&origin).is_ok());
        let handler = (row.new.handler, row.new.catch_type);
        if wanted && !handlers.contains(&handler) {
            handlers.push(handler);
        }
    }
    let block = cover.block;
    handlers.into_iter().map(move |handler| over_block(block, handler))
}

/// The ranges of a try, cut wherever a row around it begins or ends.
fn parts(it: &CompiledTry, rows: &[Row]) -> SmallVec<[(usize, usize); 4]> {
    let mut parts = SmallVec::new();
    for range in &it.ranges {
        let (start, end) = (usize::from(range.start), usize::from(range.end));
        let mut cuts: SmallVec<[usize; 8]> = rows
            .iter()
            .flat_map(|row| [row.start, row.end])
            .filter(|cut| (start + 1..end).contains(cut))
            .collect();
        cuts.extend([start, end]);
        cuts.sort_unstable();
        cuts.dedup();
        parts.extend(cuts.windows(2).map(|cut| (cut[0], cut[1])));
    }
    parts
}

/// The handlers of the rows that protect all of `start..end`, in table order. `rows` is in reverse.
fn around(start: usize, end: usize, rows: &[Row]) -> Around {
    let mut around = Around::new();
    for row in rows.iter().rev().filter(|row| row.start <= start && end <= row.end) {
        let handler = (row.new.handler, row.new.catch_type);
        if !around.contains(&handler) {
            around.push(handler);
        }
    }
    around
}

/// Adds the locals an outer handler needs to those the inner ones need. The inner ones are more specific, but for
/// `Object` and unset slots.
fn merge<'a>(
    slots: &mut SmallVec<[Option<VerificationType<'a>>; 8]>,
    locals: &[VerificationType<'a>],
    class: &ClassFile<'a>,
) {
    for (index, outer) in by_slot(locals).enumerate() {
        if index == slots.len() {
            slots.push(outer);
            continue;
        }
        let vague = match slots[index] {
            Some(VerificationType::Top) => true,
            Some(VerificationType::Object(name)) => {
                class.pool.class_name(name).is_ok_and(|name| name == "java/lang/Object")
            }
            Some(VerificationType::Named(name)) => name == b"java/lang/Object",
            _ => false,
        };
        if vague && outer.is_some_and(|outer| outer != VerificationType::Top) {
            slots[index] = outer;
            if let Some(VerificationType::Long | VerificationType::Double) = outer
                && let Some(second) = slots.get_mut(index + 1)
            {
                *second = None;
            }
        }
    }
}
