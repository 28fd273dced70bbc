//! The first look at a method's code: where instructions and blocks begin, what can throw, which locals change.

use crate::descriptor::Shape;
use crate::error::{Failure, Fault};
use catchment_classfile::opcodes::ISTORE;
use catchment_classfile::{Code, ConstantPool, ControlKind, ExceptionRow, Insn};

/// Flags of a pc. An instruction begins there.
pub(crate) const START: u8 = 1;
/// A block begins there, if an instruction does.
pub(crate) const LEADER: u8 = 2;
/// The instruction can throw.
pub(crate) const THROWS: u8 = 4;
/// A row of the exception table goes there.
pub(crate) const HANDLER: u8 = 8;
/// Control comes there other than by an exception.
pub(crate) const ENTERED: u8 = 16;

/// A `jsr`: where it goes and where it would come back to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Call {
    pub(crate) target: usize,
    pub(crate) back: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// For each byte of the code.
    pub(crate) flags: Vec<u8>,
    pub(crate) rows: Vec<ExceptionRow>,
    /// Number of writes of each local, by parameters or instructions; all beyond one is two.
    pub(crate) writes: Vec<u8>,
    pub(crate) calls: Vec<Call>,
}

impl Scan {
    pub(crate) fn run(&mut self, code: &Code<'_>, pool: &ConstantPool<'_>) -> Result<(), Failure> {
        let len = code.bytes.len();
        if len == 0 || len > usize::from(u16::MAX) {
            return Err(Failure::at(0, Fault::Length));
        }
        self.flags.clear();
        self.flags.resize(len, 0);
        self.writes.clear();
        self.writes.resize(usize::from(code.max_locals), 0);
        self.calls.clear();
        self.rows.clear();
        self.rows.extend(code.exceptions());
        self.mark(0, LEADER | ENTERED);
        let mut pc = 0;
        while pc < len {
            let insn = Insn::at(code.bytes, pc).map_err(|error| Failure::at(pc, error))?;
            self.instruction(&insn, pool)?;
            pc = insn.next_pc();
        }
        self.mark_rows(len)
    }

    /// Counts what the parameters write, with the receiver as a parameter.
    pub(crate) fn count_parameters(&mut self, shapes: &[Shape]) -> Result<(), Fault> {
        let mut slot = 0;
        for shape in shapes {
            self.count_write(slot, shape.slots())?;
            slot += shape.slots();
        }
        Ok(())
    }

    #[inline]
    fn instruction(&mut self, insn: &Insn<'_>, pool: &ConstantPool<'_>) -> Result<(), Failure> {
        let throws = insn.can_throw(pool);
        if let Some(flags) = self.flags.get_mut(insn.pc) {
            *flags |= if throws { START | THROWS } else { START };
        }
        match insn.control() {
            ControlKind::Step => self.write(insn),
            ControlKind::Call => Ok(()),
            control => {
                self.jump(insn, control);
                Ok(())
            }
        }
    }

    #[inline]
    fn write(&mut self, insn: &Insn<'_>) -> Result<(), Failure> {
        if let Some((opcode @ ISTORE.., slot)) = insn.local() {
            let slots = if is_wide_store(opcode) { 2 } else { 1 };
            self.count_write(usize::from(slot), slots).map_err(|fault| Failure::at(insn.pc, fault))?;
        }
        Ok(())
    }

    #[inline]
    fn count_write(&mut self, slot: usize, slots: usize) -> Result<(), Fault> {
        let written = self.writes.get_mut(slot..slot + slots).ok_or(Fault::NoLocal(slot + slots - 1))?;
        for writes in written {
            *writes = (*writes + 1).min(2);
        }
        Ok(())
    }

    fn jump(&mut self, insn: &Insn<'_>, control: ControlKind) {
        let back = insn.next_pc();
        for target in insn.targets() {
            self.mark(target, LEADER | ENTERED);
            if control == ControlKind::Subroutine {
                self.calls.push(Call { target, back });
            }
        }
        // Behind a call of a subroutine, its return comes there.
        self.mark(back, if control.falls_through() { LEADER | ENTERED } else { LEADER });
    }

    /// A target outside the code is reported by whoever goes there.
    #[inline]
    fn mark(&mut self, pc: usize, marks: u8) {
        if let Some(flags) = self.flags.get_mut(pc) {
            *flags |= marks;
        }
    }

    fn mark_rows(&mut self, len: usize) -> Result<(), Failure> {
        for index in 0..self.rows.len() {
            let row = self.rows[index];
            for bound in [row.start, row.end].map(usize::from) {
                let is_start = self.flags.get(bound).is_some_and(|flags| flags & START != 0);
                if !is_start && bound != len {
                    return Err(Failure::at(bound, Fault::Range));
                }
                self.mark(bound, LEADER);
            }
            self.mark(usize::from(row.handler), LEADER | HANDLER);
        }
        Ok(())
    }
}

/// True if the opcode (without its slot) stores a long or double.
#[inline]
pub(crate) fn is_wide_store(opcode: u8) -> bool {
    matches!(opcode, 55 | 57)
}
