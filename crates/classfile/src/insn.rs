//! Instructions in place: where they are, how long, and where control goes after them.

use crate::bytes::{u2_at, u4_at};
use crate::opcodes::{
    ALOAD, ALOAD_3, ASTORE, ASTORE_3, CONTROL_KINDS, ControlKind, GETSTATIC, GOTO_W, IALOAD, IASTORE, IDIV,
    IINC, ILOAD, ILOAD_0, INVOKEDYNAMIC, INVOKEVIRTUAL, IREM, ISTORE, ISTORE_0, JSR_W, LDC, LDC2_W, LDIV,
    LENGTHS, LREM, MONITOREXIT, MULTIANEWARRAY, RET, SALOAD, SASTORE, TABLESWITCH, WIDE,
};
use crate::{ClassError, ConstantPool};

/// One instruction of a method's code.
#[derive(Debug, Clone, Copy)]
pub struct Insn<'a> {
    pub pc: usize,
    pub opcode: u8,
    /// The whole instruction, opcode included.
    pub bytes: &'a [u8],
}

impl<'a> Insn<'a> {
    /// Decodes the instruction at `pc`.
    #[inline]
    pub fn at(code: &'a [u8], pc: usize) -> Result<Self, ClassError> {
        let opcode = *code.get(pc).ok_or(ClassError::NotAnInstruction(pc))?;
        let len = match LENGTHS[usize::from(opcode)] {
            0 => variable_length(code, pc, opcode)?,
            255 => return Err(ClassError::Opcode { opcode, pc }),
            len => usize::from(len),
        };
        let bytes = code.get(pc..pc + len).ok_or(ClassError::Truncated { offset: pc, needed: len })?;
        Ok(Self { pc, opcode, bytes })
    }

    #[inline]
    pub fn next_pc(&self) -> usize {
        self.pc + self.bytes.len()
    }

    /// The two-byte operand behind the opcode.
    #[inline]
    pub fn u2(&self) -> u16 {
        u2_at(self.bytes, 1)
    }

    #[inline]
    fn relative(&self, offset: i32) -> usize {
        // A target before the start wraps to a huge pc, which is no instruction and is reported as such.
        self.pc.wrapping_add_signed(offset as isize)
    }

    /// The kind of instruction in the control flow; never [`ControlKind::Wide`].
    #[inline]
    pub fn control(&self) -> ControlKind {
        match CONTROL_KINDS[usize::from(self.opcode)] {
            ControlKind::Wide if self.bytes.get(1) == Some(&RET) => ControlKind::Ret,
            ControlKind::Wide => ControlKind::Step,
            control => control,
        }
    }

    /// True if control can go on to the next instruction. A subroutine call counts: it usually comes back.
    #[inline]
    pub fn falls_through(&self) -> bool {
        self.control().falls_through()
    }

    /// Jump and switch targets, not the next instruction.
    #[inline]
    pub fn targets(&self) -> Successors<'a> {
        match self.control() {
            ControlKind::Branch | ControlKind::Goto | ControlKind::Subroutine => {
                Successors::One(Some(self.jump_target()))
            }
            ControlKind::Switch => self.switch_targets(),
            _ => Successors::One(None),
        }
    }

    #[inline]
    fn jump_target(&self) -> usize {
        match self.opcode {
            GOTO_W | JSR_W => self.relative(u4_at(self.bytes, 1).cast_signed()),
            _ => self.relative(i32::from(self.u2().cast_signed())),
        }
    }

    fn switch_targets(&self) -> Successors<'a> {
        let operands = ((self.pc + 4) & !3) - self.pc;
        // Behind default, low and high; or behind default, count and the first key.
        let next = operands + 12;
        let stride = if self.opcode == TABLESWITCH { 4 } else { 8 };
        Successors::Switch { insn: *self, default: Some(operands), next, stride }
    }

    /// The operation and slot of a load, store or `ret` on a local variable, whatever its encoding: `aload_1`,
    /// `aload 1` and `wide aload 1` are all `(ALOAD, 1)`.
    #[inline]
    pub fn local(&self) -> Option<(u8, u16)> {
        match (self.opcode, self.bytes) {
            (WIDE, [_, opcode, high, low, ..]) if *opcode != IINC => {
                Some((*opcode, u16::from_be_bytes([*high, *low])))
            }
            (ILOAD..=ALOAD | ISTORE..=ASTORE | RET, [opcode, slot]) => Some((*opcode, u16::from(*slot))),
            (ILOAD_0..=ALOAD_3, [opcode]) => {
                let index = opcode - ILOAD_0;
                Some((ILOAD + index / 4, u16::from(index % 4)))
            }
            (ISTORE_0..=ASTORE_3, [opcode]) => {
                let index = opcode - ISTORE_0;
                Some((ISTORE + index / 4, u16::from(index % 4)))
            }
            _ => None,
        }
    }

    /// The slot this instruction loads an object from.
    #[inline]
    pub fn aload(&self) -> Option<u16> {
        self.local().filter(|(opcode, _)| *opcode == ALOAD).map(|(_, slot)| slot)
    }

    /// The slot this instruction stores an object to.
    #[inline]
    pub fn astore(&self) -> Option<u16> {
        self.local().filter(|(opcode, _)| *opcode == ASTORE).map(|(_, slot)| slot)
    }

    /// The constant that an `ldc` of any form loads.
    #[inline]
    pub fn loaded_constant(&self) -> u16 {
        match self.bytes {
            [LDC, index] => u16::from(*index),
            _ => self.u2(),
        }
    }

    /// An instruction can throw by what it does itself or by what it calls. Errors of the JVM that may come at
    /// any time do not count, nor do returns, which throw only with unbalanced monitors.
    #[inline]
    pub fn can_throw(&self, pool: &ConstantPool<'_>) -> bool {
        match self.opcode {
            LDC..=LDC2_W => pool.is_resolved(self.loaded_constant()),
            // Elements of arrays, and division of integers.
            IALOAD..=SALOAD | IASTORE..=SASTORE | IDIV | LDIV | IREM | LREM => true,
            // Members, calls, allocation, `athrow`, and with casts `instanceof`: its class has to be resolved.
            GETSTATIC..=MONITOREXIT | MULTIANEWARRAY => true,
            _ => false,
        }
    }

    /// True if this calls a method.
    #[inline]
    pub fn is_call(&self) -> bool {
        matches!(self.opcode, INVOKEVIRTUAL..=INVOKEDYNAMIC)
    }
}

fn variable_length(code: &[u8], pc: usize, opcode: u8) -> Result<usize, ClassError> {
    let truncated = ClassError::Truncated { offset: pc, needed: 4 };
    if opcode == WIDE {
        let widened = *code.get(pc + 1).ok_or(truncated)?;
        return match widened {
            IINC => Ok(6),
            21..=25 | 54..=58 | RET => Ok(4),
            opcode => Err(ClassError::Opcode { opcode, pc }),
        };
    }
    let operands = (pc + 4) & !3;
    if code.len() < operands + 12 && (opcode == TABLESWITCH || code.len() < operands + 8) {
        return Err(truncated);
    }
    let entries = if opcode == TABLESWITCH {
        let low = i64::from(u4_at(code, operands + 4).cast_signed());
        let high = i64::from(u4_at(code, operands + 8).cast_signed());
        (high - low + 1, 12, 4)
    } else {
        (i64::from(u4_at(code, operands + 4).cast_signed()), 8, 8)
    };
    let (count, header, stride) = entries;
    let minimum = i64::from(opcode == TABLESWITCH);
    if !(minimum..=65_535).contains(&count) {
        return Err(ClassError::Switch(pc));
    }
    Ok(operands - pc + header + stride * usize::try_from(count).unwrap_or(0))
}

/// Iterator over jump targets.
#[derive(Debug, Clone)]
pub enum Successors<'a> {
    One(Option<usize>),
    /// Offsets into the instruction where the next target stands.
    Switch {
        insn: Insn<'a>,
        default: Option<usize>,
        next: usize,
        stride: usize,
    },
}

impl Iterator for Successors<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        match self {
            Self::One(target) => target.take(),
            Self::Switch { insn, default, next, stride } => {
                let at = match default.take() {
                    Some(at) => at,
                    None if *next + 4 <= insn.bytes.len() => {
                        *next += *stride;
                        *next - *stride
                    }
                    None => return None,
                };
                Some(insn.relative(u4_at(insn.bytes, at).cast_signed()))
            }
        }
    }
}

/// Iterator over the instructions of a method, in order. Ends after the first error.
#[derive(Debug, Clone)]
pub struct Insns<'a> {
    code: &'a [u8],
    pc: usize,
}

impl<'a> Insns<'a> {
    pub fn new(code: &'a [u8]) -> Self {
        Self { code, pc: 0 }
    }
}

impl<'a> Iterator for Insns<'a> {
    type Item = Result<Insn<'a>, ClassError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.pc >= self.code.len() {
            return None;
        }
        let insn = Insn::at(self.code, self.pc);
        self.pc = insn.as_ref().map_or(self.code.len(), Insn::next_pc);
        Some(insn)
    }
}
