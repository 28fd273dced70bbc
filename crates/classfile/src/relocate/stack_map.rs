//! Writes the stack map: old frames at their new places, repeated where several slots are targets, and the frames of
//! appended blocks.

use super::emit::{Emitter, short};
use super::layout::Layout;
use super::{AppendedEnd, CodeEdit, Constants, Piece, Place, RelocateError};
use crate::bytes::{Reader, put2};
use crate::frames::read_type;
use crate::{ClassError, Code, Frame, FrameAt, FrameWalk, VerificationType};

/// `full_frame` and its neighbours in JVMS §4.7.4.
const SAME_LOCALS_1_EXTENDED: u8 = 247;
const SAME_EXTENDED: u8 = 251;
const FULL: u8 = 255;

impl<'a> Emitter<'_, 'a> {
    pub(super) fn emit_frames(&mut self, table: &'a [u8], out: &mut Vec<u8>) -> Result<(), RelocateError> {
        let count_at = out.len();
        put2(out, 0);
        let mut count = 0u16;
        let mut last = None;
        let targets = FrameTargets::collect(self.code, self.edit, self.layout)?;
        let mut walk = FrameWalk::new(table, Frame::at_entry(self.class, self.method))?;
        while let Some(frame) = walk.advance()? {
            let mut encoding = frame;
            if !self.layout.has_pieces(frame.pc) {
                self.emit_encoded(frame, delta(&mut last, self.layout.instruction(frame.pc)?)?, out)?;
                count = count.checked_add(1).ok_or(RelocateError::TooLong)?;
                continue;
            }
            for slot in targets.slots(frame.pc, self.edit.landing(frame.pc)) {
                let pc = self.layout.find(Place::Slot { pc: frame.pc, slot })?;
                self.emit_encoded(encoding, delta(&mut last, pc)?, out)?;
                encoding = repeated(frame);
                count = count.checked_add(1).ok_or(RelocateError::TooLong)?;
            }
        }
        for (index, block) in self.edit.appended.iter().enumerate() {
            let pc = self.layout.find(Place::Appended(index))?;
            out.push(FULL);
            put2(out, delta(&mut last, pc)?);
            emit_types(&block.frame.locals, self.layout, self.constants, out)?;
            emit_types(&block.frame.stack, self.layout, self.constants, out)?;
            count = count.checked_add(1).ok_or(RelocateError::TooLong)?;
        }
        out[count_at..count_at + 2].copy_from_slice(&count.to_be_bytes());
        Ok(())
    }

    /// A frame in its old encoding, with the short form given up where the distance outgrew it.
    fn emit_encoded(&self, frame: FrameAt<'a>, delta: u16, out: &mut Vec<u8>) -> Result<(), ClassError> {
        let short_delta = u8::try_from(delta).ok().filter(|delta| *delta < 64);
        match (frame.kind, short_delta) {
            (0..=63, Some(delta)) => out.push(delta),
            (64..=127, Some(delta)) => out.push(64 + delta),
            (kind, _) => {
                out.push(match kind {
                    0..=63 => SAME_EXTENDED,
                    64..=127 => SAME_LOCALS_1_EXTENDED,
                    kind => kind,
                });
                put2(out, delta);
            }
        }
        self.emit_body(frame, out)
    }

    fn emit_body(&self, frame: FrameAt<'a>, out: &mut Vec<u8>) -> Result<(), ClassError> {
        let mut reader = Reader::new(frame.body);
        while !reader.at_end() {
            if frame.kind == FULL {
                let count = reader.u2()?;
                put2(out, count);
                (0..count).try_for_each(|_| copy_type(&mut reader, self.layout, out))?;
            } else {
                copy_type(&mut reader, self.layout, out)?;
            }
        }
        Ok(())
    }
}

/// The encoding of a frame that repeats the one before it at a later instruction.
fn repeated(frame: FrameAt<'_>) -> FrameAt<'_> {
    match frame.kind {
        64..=127 | SAME_LOCALS_1_EXTENDED | FULL => frame,
        _ => FrameAt { kind: 0, body: &[], ..frame },
    }
}

/// `offset_delta` of a frame at the new `pc` behind the one at `last`.
fn delta(last: &mut Option<u32>, pc: u32) -> Result<u16, ClassError> {
    let delta = match *last {
        None => Some(pc),
        Some(last) => pc.checked_sub(last + 1),
    };
    *last = Some(pc);
    delta
        .and_then(|delta| u16::try_from(delta).ok())
        .ok_or(ClassError::Attribute { attribute: "StackMapTable", what: "frames are not in order".into() })
}

fn copy_type(reader: &mut Reader<'_>, layout: &Layout, out: &mut Vec<u8>) -> Result<(), ClassError> {
    match read_type(reader)? {
        VerificationType::Uninitialized(pc) => {
            out.push(8);
            put2(out, short(layout.instruction(usize::from(pc))?));
        }
        VerificationType::Object(index) => {
            out.push(7);
            put2(out, index);
        }
        other => out.push(simple_tag(other)),
    }
    Ok(())
}

fn emit_types(
    types: &[VerificationType<'_>],
    layout: &Layout,
    constants: &mut dyn Constants,
    out: &mut Vec<u8>,
) -> Result<(), RelocateError> {
    put2(out, u16::try_from(types.len()).map_err(|_| RelocateError::TooLong)?);
    for it in types {
        match it {
            VerificationType::Object(index) => {
                out.push(7);
                put2(out, *index);
            }
            VerificationType::Named(name) => {
                out.push(7);
                put2(out, constants.class(name).ok_or(RelocateError::PoolFull)?);
            }
            VerificationType::Uninitialized(pc) => {
                out.push(8);
                put2(out, short(layout.instruction(usize::from(*pc))?));
            }
            other => out.push(simple_tag(*other)),
        }
    }
    Ok(())
}

/// Tags of the types that are nothing but a tag.
fn simple_tag(it: VerificationType<'_>) -> u8 {
    match it {
        VerificationType::Integer => 1,
        VerificationType::Float => 2,
        VerificationType::Double => 3,
        VerificationType::Long => 4,
        VerificationType::Null => 5,
        VerificationType::UninitializedThis => 6,
        _ => 0,
    }
}

/// Which slots of which pcs control arrives at, and so need a frame.
struct FrameTargets {
    /// (pc, slot), sorted, only for pcs with inserted pieces.
    slots: Vec<(usize, usize)>,
    /// Pcs with inserted pieces that the instruction before does not fall into. Sorted.
    cut_off: Vec<usize>,
}

impl FrameTargets {
    fn collect(code: &Code<'_>, edit: &CodeEdit<'_>, layout: &Layout) -> Result<Self, ClassError> {
        let mut it = Self { slots: Vec::new(), cut_off: Vec::new() };
        if edit.pieces.is_empty() {
            return Ok(it);
        }
        for insn in code.insns() {
            let insn = insn?;
            insn.targets().for_each(|target| it.add(edit.jump(insn.pc, target), layout));
            if !insn.falls_through() && layout.has_pieces(insn.next_pc()) {
                it.cut_off.push(insn.next_pc());
            }
        }
        let gotos = edit.pieces.iter().filter_map(|piece| match piece {
            Piece::Goto { to, .. } => Some(*to),
            Piece::Code { .. } => None,
        });
        let ends = edit.appended.iter().filter_map(|block| match block.end {
            AppendedEnd::Goto(to) => Some(to),
            AppendedEnd::Throws => None,
        });
        gotos
            .chain(ends)
            .chain(edit.exceptions.iter().map(|row| row.handler))
            .for_each(|to| it.add(to, layout));
        it.slots.sort_unstable();
        it.slots.dedup();
        Ok(it)
    }

    fn add(&mut self, place: Place, layout: &Layout) {
        if let Place::Slot { pc, slot } = place
            && layout.has_pieces(pc)
        {
            self.slots.push((pc, slot));
        }
    }

    /// The slots of `pc` that get a copy of its frame, in order.
    fn slots(&self, pc: usize, landing: usize) -> Vec<usize> {
        let from = self.slots.partition_point(|(at, _)| *at < pc);
        let mut slots: Vec<usize> =
            self.slots[from..].iter().take_while(|(at, _)| *at == pc).map(|(_, slot)| *slot).collect();
        // Code behind a goto or return needs a frame even where only dead code could stand.
        if self.cut_off.binary_search(&pc).is_ok() && slots.first() != Some(&0) {
            slots.insert(0, 0);
        }
        if slots.is_empty() {
            slots.push(landing);
        }
        slots
    }
}
