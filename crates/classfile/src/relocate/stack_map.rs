//! Writes the stack map: old frames at their new places, repeated where several slots are targets, and the frames of
//! appended blocks.

use super::attributes::Frames;
use super::emit::{Emitter, short};
use super::positions::CodeMap;
use super::{AppendedEnd, BlockFrame, CodePosition, Constants, Piece, RelocateError};
use crate::bytes::{Reader, put2};
use crate::frames::FrameAt;
use crate::frames::{EncodedFrames, read_type};
use crate::{ClassError, VerificationType};

/// `full_frame` and its neighbours in JVMS §4.7.4.
pub(crate) const SAME_LOCALS_1_EXTENDED: u8 = 247;
pub(crate) const SAME_EXTENDED: u8 = 251;
const FULL: u8 = 255;
/// The tag of a type that is a class.
const OBJECT: u8 = 7;
/// The tag of a type that is an object under construction.
const UNINITIALIZED: u8 = 8;

impl<'a> Frames<'a> for Emitter<'_, 'a> {
    fn put_frames(&mut self, table: &'a [u8], out: &mut Vec<u8>) -> Result<(), RelocateError> {
        self.complete_targets();
        let map = self.layout.map();
        let mut frames = EncodedFrames::new(table)?;
        let mut stack_map = StackMap::begin(map, out);
        while let Some(frame) = frames.advance()? {
            let moved = map.moved(frame.pc)?;
            if !moved.has_pieces() {
                stack_map.put(frame, moved.at())?;
                continue;
            }
            let landing = self.edit.landing(frame.pc);
            let mut encoding = frame;
            for slot in self.targets.slots(frame.pc, landing) {
                stack_map.put(encoding, self.layout.slot(frame.pc, *slot, moved))?;
                encoding = repeated(frame);
            }
        }
        for (index, block) in self.edit.appended.iter().enumerate() {
            let pc = self.layout.find(CodePosition::Appended(index))?;
            stack_map.put_block(&block.frame, pc, self.constants)?;
        }
        stack_map.end();
        Ok(())
    }

    fn name(&mut self) -> Option<u16> {
        self.constants.stack_map_name()
    }
}

impl Emitter<'_, '_> {
    /// Adds the targets that are new; those of the old jumps are in already.
    fn complete_targets(&mut self) {
        let gotos = self.edit.pieces.iter().filter_map(|piece| match piece {
            Piece::Goto { to, .. } => Some(*to),
            Piece::Code { .. } => None,
        });
        let ends = self.edit.appended.iter().filter_map(|block| match block.end {
            AppendedEnd::Goto(to) => Some(to),
            AppendedEnd::Throws => None,
        });
        let handlers = self.edit.exceptions.iter().map(|row| row.handler);
        for place in gotos.chain(ends).chain(handlers) {
            if let CodePosition::Slot { pc, .. } = place
                && self.layout.has_pieces(pc)
            {
                self.targets.add(place);
            }
        }
        self.targets.sort();
    }
}

/// The table being written.
pub(super) struct StackMap<'s> {
    map: CodeMap<'s>,
    out: &'s mut Vec<u8>,
    count_at: usize,
    count: u16,
    /// New pc of the frame before.
    last: Option<u32>,
}

impl<'s> StackMap<'s> {
    #[inline]
    pub(super) fn begin(map: CodeMap<'s>, out: &'s mut Vec<u8>) -> Self {
        let count_at = out.len();
        put2(out, 0);
        Self { map, out, count_at, count: 0, last: None }
    }

    #[inline]
    pub(super) fn end(self) {
        self.out[self.count_at..self.count_at + 2].copy_from_slice(&self.count.to_be_bytes());
    }

    /// Counts a frame at the new `pc`; gives its `offset_delta`.
    #[inline]
    fn next(&mut self, pc: u32) -> Result<u16, RelocateError> {
        self.count = self.count.checked_add(1).ok_or(RelocateError::TooLong)?;
        let delta = match self.last {
            None => Some(pc),
            Some(last) => pc.checked_sub(last + 1),
        };
        self.last = Some(pc);
        let delta = delta.and_then(|delta| u16::try_from(delta).ok());
        Ok(delta.ok_or_else(|| ClassError::Attribute {
            attribute: "StackMapTable",
            what: "frames are not in order".into(),
        })?)
    }

    /// A frame in its old encoding, with the short form given up where the distance outgrew it.
    #[inline]
    pub(super) fn put(&mut self, frame: FrameAt<'_>, pc: u32) -> Result<(), RelocateError> {
        let delta = self.next(pc)?;
        let short_delta = u8::try_from(delta).ok().filter(|delta| *delta < 64);
        match (frame.kind, short_delta) {
            (0..=63, Some(delta)) => self.out.push(delta),
            (64..=127, Some(delta)) => self.out.push(64 + delta),
            (kind, _) => {
                let [high, low] = delta.to_be_bytes();
                let kind = match kind {
                    0..=63 => SAME_EXTENDED,
                    64..=127 => SAME_LOCALS_1_EXTENDED,
                    kind => kind,
                };
                self.out.extend_from_slice(&[kind, high, low]);
            }
        }
        let body_at = self.out.len();
        self.out.extend_from_slice(frame.body);
        if frame.has_uninitialized {
            self.aim_uninitialized(frame, body_at)?;
        }
        Ok(())
    }

    /// Lets the uninitialised objects of a copied frame name their `new` at its new place.
    fn aim_uninitialized(&mut self, frame: FrameAt<'_>, body_at: usize) -> Result<(), ClassError> {
        let mut reader = Reader::new(frame.body);
        while !reader.at_end() {
            let count = if frame.kind == FULL { reader.u2()? } else { 1 };
            for _ in 0..count {
                if let VerificationType::Uninitialized(pc) = read_type(&mut reader)? {
                    let new_pc = short(self.map.instruction(usize::from(pc))?);
                    let end = body_at + reader.pos();
                    self.out[end - 2..end].copy_from_slice(&new_pc.to_be_bytes());
                }
            }
        }
        Ok(())
    }

    /// The frame of a handler of everything that needs no locals.
    #[inline]
    pub(super) fn put_handler(
        &mut self,
        pc: u32,
        constants: &mut dyn Constants,
    ) -> Result<(), RelocateError> {
        let [high, low] = self.next(pc)?.to_be_bytes();
        let [class_high, class_low] = constants.throwable().ok_or(RelocateError::PoolFull)?.to_be_bytes();
        self.out.extend_from_slice(&[FULL, high, low, 0, 0, 0, 1, OBJECT, class_high, class_low]);
        Ok(())
    }

    pub(super) fn put_block(
        &mut self,
        frame: &BlockFrame<'_>,
        pc: u32,
        constants: &mut dyn Constants,
    ) -> Result<(), RelocateError> {
        let delta = self.next(pc)?;
        self.out.push(FULL);
        put2(self.out, delta);
        emit_types(frame.locals(), self.map, constants, self.out)?;
        emit_types(frame.stack(), self.map, constants, self.out)
    }
}

/// The encoding of a frame that repeats the one before it at a later instruction.
fn repeated(frame: FrameAt<'_>) -> FrameAt<'_> {
    match frame.kind {
        64..=127 | SAME_LOCALS_1_EXTENDED | FULL => frame,
        _ => FrameAt { kind: 0, body: &[], has_uninitialized: false, ..frame },
    }
}

fn emit_types(
    types: &[VerificationType<'_>],
    map: CodeMap<'_>,
    constants: &mut dyn Constants,
    out: &mut Vec<u8>,
) -> Result<(), RelocateError> {
    put2(out, u16::try_from(types.len()).map_err(|_| RelocateError::TooLong)?);
    for it in types {
        let it = match it {
            VerificationType::Named(name) => {
                VerificationType::Object(constants.class(name).ok_or(RelocateError::PoolFull)?)
            }
            VerificationType::Uninitialized(pc) => {
                VerificationType::Uninitialized(short(map.instruction(usize::from(*pc))?))
            }
            other => *other,
        };
        put_type(it, out);
    }
    Ok(())
}

/// One type as it is; a class has to have its index.
pub(crate) fn put_type(it: VerificationType<'_>, out: &mut Vec<u8>) {
    match it {
        VerificationType::Object(index) => {
            out.push(OBJECT);
            put2(out, index);
        }
        VerificationType::Uninitialized(pc) => {
            out.push(UNINITIALIZED);
            put2(out, pc);
        }
        other => out.push(simple_tag(other)),
    }
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

/// Slots at which control arrives, and which so need a frame.
#[derive(Debug, Default)]
pub(super) struct FrameTargets {
    /// (pc, slot), only for pcs with inserted pieces; sorted once complete.
    slots: Vec<(usize, usize)>,
    /// Pcs with inserted pieces that the instruction before does not fall into; sorted once complete.
    cut_off: Vec<usize>,
    /// The answer given last.
    found: Vec<usize>,
}

impl FrameTargets {
    pub(super) fn clear(&mut self) {
        self.slots.clear();
        self.cut_off.clear();
    }

    /// Adds a place where something is inserted.
    #[inline]
    pub(super) fn add(&mut self, place: CodePosition) {
        if let CodePosition::Slot { pc, slot } = place {
            self.slots.push((pc, slot));
        }
    }

    /// Adds a pc where something is inserted behind an instruction that does not go on.
    #[inline]
    pub(super) fn add_cut_off(&mut self, pc: usize) {
        self.cut_off.push(pc);
    }

    fn sort(&mut self) {
        self.slots.sort_unstable();
        self.slots.dedup();
        self.cut_off.sort_unstable();
    }

    /// The slots of `pc` that get a copy of its frame, in order.
    fn slots(&mut self, pc: usize, landing: usize) -> &[usize] {
        self.found.clear();
        let from = self.slots.partition_point(|(at, _)| *at < pc);
        let own = self.slots[from..].iter().take_while(|(at, _)| *at == pc).map(|(_, slot)| *slot);
        // Code behind a goto or return needs a frame even where only dead code could stand.
        if self.cut_off.binary_search(&pc).is_ok() && self.slots.get(from) != Some(&(pc, 0)) {
            self.found.push(0);
        }
        self.found.extend(own);
        if self.found.is_empty() {
            self.found.push(landing);
        }
        &self.found
    }
}
