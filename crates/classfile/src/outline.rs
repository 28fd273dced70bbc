//! A method's code decoded once: where instructions start, and the ones worth a second look.
//!
//! Most instructions only compute and step to the next; nobody asks for them again. Those that call or steer
//! control, about one instruction in eight, are kept in two lists of landmarks, so that every later question about
//! the method is a walk over few entries instead of another decoding.

use crate::bytes::u2_at;
use crate::opcodes::{CONTROL_KINDS, ControlKind, LENGTHS};
use crate::{ClassError, Insn};
use std::ops::Range;

/// An instruction that calls or steers control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Landmark {
    pc: u32,
    pub opcode: u8,
    pub control: ControlKind,
}

impl Landmark {
    #[inline]
    fn new(pc: usize, opcode: u8, control: ControlKind) -> Self {
        // Longer code than 32 bits count is no code of a class file.
        Self { pc: pc as u32, opcode, control }
    }

    #[inline]
    pub fn pc(&self) -> usize {
        self.pc as usize
    }

    /// The whole instruction. It was decoded before, so this fails only with the code of another method.
    #[inline]
    pub fn insn<'a>(&self, code: &'a [u8]) -> Result<Insn<'a>, ClassError> {
        Insn::at(code, self.pc())
    }

    /// The target of a jump with a two-byte offset.
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
    calls_and_exits: Vec<Landmark>,
    jumps: Vec<Landmark>,
    switches: Vec<Landmark>,
}

/// Position of the outline of one method in its [`Outlines`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlineSpan {
    starts: Range<u32>,
    calls_and_exits: Range<u32>,
    jumps: Range<u32>,
    switches: Range<u32>,
}

/// The outline of one method.
#[derive(Debug, Clone, Copy)]
pub struct Outline<'o> {
    starts: &'o [u64],
    calls_and_exits: &'o [Landmark],
    jumps: &'o [Landmark],
    switches: &'o [Landmark],
}

impl Outlines {
    /// Forgets all methods and keeps the memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.calls_and_exits.clear();
        self.jumps.clear();
        self.switches.clear();
    }

    /// Decodes `code`. Of code with an error in it nothing is kept.
    pub fn add(&mut self, code: &[u8]) -> Result<OutlineSpan, ClassError> {
        let (word, call) = (self.starts.len(), self.calls_and_exits.len());
        let (jump, switch) = (self.jumps.len(), self.switches.len());
        if let Err(error) = self.decode(code) {
            self.starts.truncate(word);
            self.calls_and_exits.truncate(call);
            self.jumps.truncate(jump);
            self.switches.truncate(switch);
            return Err(error);
        }
        Ok(OutlineSpan {
            starts: span(word, &self.starts),
            calls_and_exits: span(call, &self.calls_and_exits),
            jumps: span(jump, &self.jumps),
            switches: span(switch, &self.switches),
        })
    }

    #[inline]
    pub fn get(&self, span: &OutlineSpan) -> Outline<'_> {
        Outline {
            starts: at(&self.starts, &span.starts),
            calls_and_exits: at(&self.calls_and_exits, &span.calls_and_exits),
            jumps: at(&self.jumps, &span.jumps),
            switches: at(&self.switches, &span.switches),
        }
    }

    fn decode(&mut self, code: &[u8]) -> Result<(), ClassError> {
        let first_word = self.starts.len();
        self.starts.resize(first_word + code.len().div_ceil(64), 0);
        let (mut pc, mut last) = (0, 0);
        for (word, end) in self.starts[first_word..].iter_mut().zip((64..).step_by(64)) {
            let mut starts = 0u64;
            while let Some(&opcode) = code.get(pc)
                && pc < end
            {
                starts |= 1 << (pc % 64);
                last = pc;
                let shape = SHAPES[usize::from(opcode)];
                // Half of all instructions: where it guesses right, the processor need not wait for the length.
                if shape == 1 {
                    pc += 1;
                } else if shape < CALL_OR_EXIT {
                    pc += usize::from(shape);
                } else if shape < OTHER {
                    self.calls_and_exits.push(Landmark::new(pc, opcode, CONTROL_KINDS[usize::from(opcode)]));
                    pc += usize::from(shape - CALL_OR_EXIT);
                } else {
                    pc = decode_other(code, pc, &mut self.jumps, &mut self.switches)?;
                }
            }
            *word = starts;
        }
        // The last instruction may be cut off.
        if pc > code.len() { Err(ClassError::Truncated { offset: last, needed: pc - last }) } else { Ok(()) }
    }
}

/// Decodes an instruction that may be a jump; gives the pc behind it.
#[inline]
fn decode_other(
    code: &[u8],
    pc: usize,
    jumps: &mut Vec<Landmark>,
    switches: &mut Vec<Landmark>,
) -> Result<usize, ClassError> {
    let insn = Insn::at(code, pc)?;
    let control = insn.control();
    if control != ControlKind::Step {
        jumps.push(Landmark::new(pc, insn.opcode, control));
    }
    if control == ControlKind::Switch {
        switches.push(Landmark::new(pc, insn.opcode, control));
    }
    Ok(insn.next_pc())
}

/// The span of `list` from `first` on. All code of a class file has fewer bytes than 32 bits count.
fn span<T>(first: usize, list: &[T]) -> Range<u32> {
    first as u32..list.len() as u32
}

#[inline]
fn at<'l, T>(list: &'l [T], span: &Range<u32>) -> &'l [T] {
    &list[span.start as usize..span.end as usize]
}

/// The shape of an opcode for decoding: the length of its instruction, to which this is added for calls and exits;
/// from [`OTHER`] on it takes a closer look.
static SHAPES: [u8; 256] = shapes();
const CALL_OR_EXIT: u8 = 8;
const OTHER: u8 = 16;

const fn shapes() -> [u8; 256] {
    let mut table = [OTHER; 256];
    let mut opcode = 0;
    while opcode < 256 {
        let len = LENGTHS[opcode];
        if len != 255 {
            table[opcode] = match CONTROL_KINDS[opcode] {
                ControlKind::Step => len,
                ControlKind::Call | ControlKind::Return | ControlKind::Throw => CALL_OR_EXIT + len,
                _ => OTHER,
            };
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
    /// The instructions that call, return or throw, in code order.
    #[inline]
    pub fn calls_and_exits(&self) -> &'o [Landmark] {
        self.calls_and_exits
    }

    /// Instructions that go elsewhere in the method, in code order: jumps, switches and `ret`.
    #[inline]
    pub fn jumps(&self) -> &'o [Landmark] {
        self.jumps
    }

    /// Switches among the jumps.
    #[inline]
    pub(crate) fn switches(&self) -> &'o [Landmark] {
        self.switches
    }

    /// True if an instruction starts at `pc`.
    #[inline]
    pub fn is_start(&self, pc: usize) -> bool {
        is_set(self.starts, pc)
    }

    /// The landmark at `pc`, if the instruction there is one.
    pub fn landmark_at(&self, pc: usize) -> Option<&'o Landmark> {
        let find = |list: &'o [Landmark]| {
            list.binary_search_by_key(&pc, Landmark::pc).ok().map(|index| &list[index])
        };
        find(self.calls_and_exits).or_else(|| find(self.jumps))
    }

    /// Pcs of the instructions with the given opcode, in the code that was outlined.
    pub fn places_of(self, code: &[u8], opcode: u8) -> impl Iterator<Item = usize> {
        let places = code.iter().enumerate().filter(move |(_, it)| **it == opcode);
        places.map(|(pc, _)| pc).filter(move |pc| self.is_start(*pc))
    }

    /// The start of the instruction in front of `pc`.
    pub fn start_before(&self, pc: usize) -> Option<usize> {
        (0..pc).rev().find(|before| self.is_start(*before))
    }

    /// True if control can go on from the instruction at `pc` to the next.
    pub fn falls_through(&self, pc: usize) -> bool {
        self.landmark_at(pc).is_none_or(|landmark| landmark.control.falls_through())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opcodes::{GOTO, ICONST_0, ILOAD, INVOKESTATIC, NOP, RET, RETURN, WIDE};

    #[test]
    fn starts_and_landmarks_are_those_of_the_instructions() {
        let code = [ICONST_0, GOTO, 0, 4, NOP, WIDE, ILOAD, 0, 1, WIDE, RET, 0, 1, RETURN];
        let mut outlines = Outlines::default();
        outlines.add(&[NOP; 100]).expect("readable");
        let span = outlines.add(&code).expect("readable");
        let outline = outlines.get(&span);
        let starts: Vec<usize> = (0..20).filter(|pc| outline.is_start(*pc)).collect();
        assert_eq!(starts, [0, 1, 4, 5, 9, 13]);
        let places = |list: &[Landmark]| list.iter().map(|it| (it.pc(), it.control)).collect::<Vec<_>>();
        assert_eq!(places(outline.jumps()), [(1, ControlKind::Goto), (9, ControlKind::Ret)]);
        assert_eq!(places(outline.calls_and_exits()), [(13, ControlKind::Return)]);
        assert_eq!(outline.start_before(4), Some(1));
        assert!(!outline.falls_through(1) && outline.falls_through(4));
    }

    #[test]
    fn code_with_an_error_is_the_same_error_as_instruction_by_instruction() {
        let cut_off_call = &[RETURN, INVOKESTATIC, 0][..];
        for code in [cut_off_call, &[NOP, GOTO, 0], &[NOP, 255], &[WIDE], &[WIDE, NOP, 0, 0]] {
            let mut outlines = Outlines::default();
            let error = crate::insn::Insns::new(code).find_map(Result::err);
            assert_eq!(outlines.add(code).err(), error);
            assert!(outlines.starts.is_empty());
            assert!(outlines.jumps.is_empty() && outlines.calls_and_exits.is_empty());
        }
    }
}
