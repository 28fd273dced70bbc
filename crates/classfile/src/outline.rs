//! A method's code decoded once: where instructions start, and the ones worth a second look.
//!
//! Most instructions only compute and step to the next; nobody asks for them again. Those that call or steer
//! control are kept in a list of landmarks, about one instruction in four, so that every later question about
//! the method is a walk over few entries instead of another decoding.

use crate::bytes::u2_at;
use crate::opcodes::{LENGTHS, ROLES, Role};
use crate::{ClassError, Insn};
use std::ops::Range;

/// An instruction that calls or steers control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Landmark {
    pc: u32,
    pub opcode: u8,
    pub role: Role,
}

impl Landmark {
    #[inline]
    pub fn pc(&self) -> usize {
        self.pc as usize
    }

    /// The whole instruction. It was decoded before, so this fails only with the code of another method.
    #[inline]
    pub fn insn<'a>(&self, code: &'a [u8]) -> Result<Insn<'a>, ClassError> {
        Insn::at(code, self.pc())
    }

    /// Where a jump with a two-byte offset goes.
    #[inline]
    pub(crate) fn short_target(&self, code: &[u8]) -> usize {
        let offset = u2_at(code, self.pc() + 1).cast_signed();
        self.pc().wrapping_add_signed(isize::from(offset))
    }
}

/// Room for the outlines of many methods.
#[derive(Debug, Default)]
pub struct Outlines {
    /// One bit per byte of code, each method from a new word on.
    starts: Vec<u64>,
    landmarks: Vec<Landmark>,
}

/// Where the outline of one method lies in its [`Outlines`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineSpan {
    starts: Range<usize>,
    landmarks: Range<usize>,
    has_switches: bool,
}

/// The outline of one method.
#[derive(Debug, Clone, Copy)]
pub struct Outline<'o> {
    starts: &'o [u64],
    landmarks: &'o [Landmark],
    has_switches: bool,
}

impl Outlines {
    /// With room for code of `len` bytes, as compilers write it.
    pub fn with_room_for(len: usize) -> Self {
        Self { starts: Vec::with_capacity(len / 32), landmarks: Vec::with_capacity(len / 8) }
    }

    /// Forgets all methods and keeps the memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.landmarks.clear();
    }

    /// Decodes `code`. Of code with an error in it nothing is kept.
    pub fn add(&mut self, code: &[u8]) -> Result<OutlineSpan, ClassError> {
        let (first_word, first_landmark) = (self.starts.len(), self.landmarks.len());
        if let Err(error) = decode(code, &mut self.starts, &mut self.landmarks) {
            self.starts.truncate(first_word);
            self.landmarks.truncate(first_landmark);
            return Err(error);
        }
        let has_switches = self.landmarks[first_landmark..].iter().any(|it| it.role == Role::Switch);
        Ok(OutlineSpan {
            starts: first_word..self.starts.len(),
            landmarks: first_landmark..self.landmarks.len(),
            has_switches,
        })
    }

    pub fn get(&self, span: &OutlineSpan) -> Outline<'_> {
        Outline {
            starts: &self.starts[span.starts.clone()],
            landmarks: &self.landmarks[span.landmarks.clone()],
            has_switches: span.has_switches,
        }
    }
}

fn decode(code: &[u8], starts: &mut Vec<u64>, landmarks: &mut Vec<Landmark>) -> Result<(), ClassError> {
    let mut pc = 0;
    let mut last = 0;
    for word_end in (64..code.len() + 64).step_by(64) {
        let mut word = 0;
        while let Some(&opcode) = code.get(pc)
            && pc < word_end
        {
            word |= 1 << (pc % 64);
            last = pc;
            match STEPS[usize::from(opcode)] {
                0 => pc = decode_landmark(code, pc, landmarks)?,
                len => pc += usize::from(len),
            }
        }
        starts.push(word);
    }
    // The last instruction may be cut off.
    if pc > code.len() { Err(ClassError::Truncated { offset: last, needed: pc - last }) } else { Ok(()) }
}

/// Decodes an instruction that may be a landmark; gives the pc behind it.
#[inline]
fn decode_landmark(code: &[u8], pc: usize, landmarks: &mut Vec<Landmark>) -> Result<usize, ClassError> {
    let insn = Insn::at(code, pc)?;
    let role = insn.role();
    if role != Role::Step {
        landmarks.push(Landmark { pc: u32::try_from(pc).unwrap_or(u32::MAX), opcode: insn.opcode, role });
    }
    Ok(insn.next_pc())
}

/// Lengths of the instructions that are a step and nothing else; 0 for those worth a look.
static STEPS: [u8; 256] = steps();

const fn steps() -> [u8; 256] {
    let mut table = [0u8; 256];
    let mut opcode = 0;
    while opcode < 256 {
        if matches!(ROLES[opcode], Role::Step) && LENGTHS[opcode] != 255 {
            table[opcode] = LENGTHS[opcode];
        }
        opcode += 1;
    }
    table
}

#[inline]
fn is_set(starts: &[u64], pc: usize) -> bool {
    starts.get(pc / 64).is_some_and(|word| word >> (pc % 64) & 1 == 1)
}

impl<'o> Outline<'o> {
    /// In code order.
    pub fn landmarks(&self) -> &'o [Landmark] {
        self.landmarks
    }

    pub(crate) fn has_switches(&self) -> bool {
        self.has_switches
    }

    /// Whether an instruction starts at `pc`.
    #[inline]
    pub fn is_start(&self, pc: usize) -> bool {
        is_set(self.starts, pc)
    }

    /// The landmark at `pc`, if the instruction there is one.
    pub fn landmark_at(&self, pc: usize) -> Option<&'o Landmark> {
        self.landmarks.binary_search_by_key(&pc, Landmark::pc).ok().map(|index| &self.landmarks[index])
    }

    /// The start of the instruction in front of `pc`.
    pub fn start_before(&self, pc: usize) -> Option<usize> {
        (0..pc).rev().find(|before| self.is_start(*before))
    }

    /// Whether control can go on from the instruction at `pc` to the next.
    pub fn falls_through(&self, pc: usize) -> bool {
        self.landmark_at(pc).is_none_or(|landmark| landmark.role.falls_through())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opcodes::{GOTO, ICONST_0, ILOAD, NOP, RET, RETURN, WIDE};

    #[test]
    fn starts_and_landmarks_are_those_of_the_instructions() {
        let code = [ICONST_0, GOTO, 0, 4, NOP, WIDE, ILOAD, 0, 1, WIDE, RET, 0, 1, RETURN];
        let mut outlines = Outlines::default();
        outlines.add(&[NOP; 100]).expect("readable");
        let span = outlines.add(&code).expect("readable");
        let outline = outlines.get(&span);
        let starts: Vec<usize> = (0..20).filter(|pc| outline.is_start(*pc)).collect();
        assert_eq!(starts, [0, 1, 4, 5, 9, 13]);
        let landmarks: Vec<_> = outline.landmarks().iter().map(|it| (it.pc(), it.role)).collect();
        assert_eq!(landmarks, [(1, Role::Goto), (9, Role::Ret), (13, Role::Return)]);
        assert_eq!(outline.start_before(4), Some(1));
        assert!(!outline.falls_through(1) && outline.falls_through(4));
    }

    #[test]
    fn code_with_an_error_is_the_same_error_as_instruction_by_instruction() {
        for code in [&[NOP, GOTO, 0][..], &[NOP, 255], &[WIDE], &[WIDE, NOP, 0, 0]] {
            let mut outlines = Outlines::default();
            let error = crate::Insns::new(code).find_map(Result::err);
            assert_eq!(outlines.add(code).err(), error);
            assert!(outlines.landmarks.is_empty() && outlines.starts.is_empty());
        }
    }
}
