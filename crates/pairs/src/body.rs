//! One method opened up: instructions by index, handlers and lines.
//!
//! Instructions are decoded again when asked for: only their places are kept, since most are never looked at.

use crate::PcRange;
use crate::blocks::Blocks;
use catchment_classfile::{
    ClassError, ClassFile, Code, ConstantPool, ExceptionEntry, Insn, LineTable, Member, MemberRef,
};
use std::cell::OnceCell;
use std::ops::Range;

const NOT_AN_INSTRUCTION: u32 = u32::MAX;

/// A method with code, decoded.
#[derive(Debug)]
pub(crate) struct Body<'a> {
    pub(crate) pool: &'a ConstantPool<'a>,
    pub(crate) method: &'a Member<'a>,
    pub(crate) code: Code<'a>,
    /// Where each instruction starts; at the end the length of the code.
    starts: Vec<u32>,
    pub(crate) entries: Vec<ExceptionEntry>,
    pub(crate) lines: LineTable,
    index_of_pc: Vec<u32>,
    variables: OnceCell<Vec<Variable>>,
}

/// A named local variable, as far as the debug information tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Variable {
    pub(crate) slot: u16,
    pub(crate) start: u16,
    pub(crate) end: u16,
}

impl<'a> Body<'a> {
    pub(crate) fn open(
        class: &'a ClassFile<'a>,
        method: &'a Member<'a>,
        code: Code<'a>,
    ) -> Result<Self, ClassError> {
        let mut index_of_pc = vec![NOT_AN_INSTRUCTION; code.bytes.len()];
        let mut starts = Vec::with_capacity(code.bytes.len() / 2);
        for insn in code.insns() {
            let insn = insn?;
            index_of_pc[insn.pc] = u32::try_from(starts.len()).unwrap_or(NOT_AN_INSTRUCTION);
            starts.push(u32::try_from(insn.pc).unwrap_or(u32::MAX));
        }
        starts.push(u32::try_from(code.bytes.len()).unwrap_or(u32::MAX));
        let entries: Vec<ExceptionEntry> = code.exceptions().collect();
        let lines = LineTable::read(&code, &class.pool);
        let body = Self {
            pool: &class.pool,
            method,
            code,
            starts,
            entries,
            lines,
            index_of_pc,
            variables: OnceCell::new(),
        };
        body.check_entries()?;
        Ok(body)
    }

    fn check_entries(&self) -> Result<(), ClassError> {
        for entry in &self.entries {
            let end = usize::from(entry.end);
            if self.index(entry.start).is_none() || self.index(entry.handler).is_none() {
                return Err(ClassError::NotAnInstruction(usize::from(entry.start.max(entry.handler))));
            }
            if end != self.code.bytes.len() && self.index(entry.end).is_none() {
                return Err(ClassError::NotAnInstruction(end));
            }
        }
        Ok(())
    }

    /// How many instructions there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The instruction with the given index.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<Insn<'a>> {
        let pc = *self.starts.get(index)? as usize;
        let end = *self.starts.get(index + 1)? as usize;
        let bytes = self.code.bytes.get(pc..end)?;
        bytes.first().map(|opcode| Insn { pc, opcode: *opcode, bytes })
    }

    /// All instructions.
    pub(crate) fn insns(&self) -> impl Iterator<Item = Insn<'a>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Where the instruction with the given index starts.
    pub(crate) fn pc(&self, index: usize) -> usize {
        self.starts[index] as usize
    }

    /// The index of the instruction at `pc`.
    pub(crate) fn index(&self, pc: u16) -> Option<usize> {
        self.index_at(usize::from(pc))
    }

    pub(crate) fn index_at(&self, pc: usize) -> Option<usize> {
        self.index_of_pc.get(pc).filter(|index| **index != NOT_AN_INSTRUCTION).map(|index| *index as usize)
    }

    /// The indices of the instructions whose pc lies in `range`.
    pub(crate) fn indices_in(&self, range: PcRange) -> Range<usize> {
        let pcs = &self.starts[..self.len()];
        let from = pcs.partition_point(|pc| *pc < u32::from(range.start));
        let to = pcs.partition_point(|pc| *pc < u32::from(range.end));
        from..to.max(from)
    }

    /// Where control can go after instruction `index`, exceptions aside.
    pub(crate) fn successors(&self, index: usize) -> impl Iterator<Item = usize> {
        let insn = self.get(index);
        let goes_on = insn.is_none_or(|insn| insn.falls_through());
        let next = goes_on.then_some(index + 1).filter(|next| *next < self.len());
        let targets = insn.into_iter().flat_map(|insn| insn.targets());
        targets.filter_map(|pc| self.index_at(pc)).chain(next)
    }

    pub(crate) fn line(&self, pc: u16) -> Option<u16> {
        self.lines.line_at(pc)
    }

    /// The method or field an instruction names.
    pub(crate) fn member(&self, insn: &Insn<'a>) -> Option<MemberRef<'a>> {
        self.pool.member_ref(insn.u2()).ok()
    }

    /// Whether an instruction calls a method of the class called `owner`; cheaper than asking for all of the method.
    pub(crate) fn calls_into(&self, insn: &Insn<'a>, owner: &str) -> bool {
        insn.is_call() && self.pool.member_owner(insn.u2()).is_ok_and(|it| it == owner)
    }

    /// The variables that live in `slot`, by start.
    pub(crate) fn variables_in(&self, slot: u16) -> &[Variable] {
        let all = self.variables.get_or_init(|| read_variables(&self.code, self.pool));
        let from = all.partition_point(|it| it.slot < slot);
        let to = all.partition_point(|it| it.slot <= slot);
        &all[from..to]
    }

    /// The instructions of the clause at `handler`, in code order: those only reachable through it, up to the end of
    /// the variable it stores the exception in, where debug information has it. Without that, code behind the try that
    /// nothing else leads to counts as well.
    pub(crate) fn clause(&self, handler: usize, blocks: &mut Blocks) -> Vec<usize> {
        let end = self.end_of_exception_variable(handler).unwrap_or(usize::MAX);
        blocks.only_through(handler).flatten().filter(|index| self.pc(*index) < end).collect()
    }

    fn end_of_exception_variable(&self, handler: usize) -> Option<usize> {
        let store = self.get(handler)?;
        let scope = usize::from(u16::try_from(store.next_pc()).ok()?);
        let variable = self.variables_in(store.astore()?).iter().find(|it| usize::from(it.start) == scope)?;
        Some(usize::from(variable.end))
    }

    /// The instructions from `start` to the first that does not go on to the next.
    pub(crate) fn straight_line(&self, start: usize) -> Vec<usize> {
        let ends = |index: usize| self.get(index).is_some_and(|insn| !insn.falls_through());
        (start..self.len()).take_while(|index| *index == start || !ends(index - 1)).collect()
    }
}

fn read_variables(code: &Code<'_>, pool: &ConstantPool<'_>) -> Vec<Variable> {
    let tables = code.attributes.iter().filter(|attribute| attribute.name(pool) == "LocalVariableTable");
    let mut variables: Vec<Variable> = tables
        .flat_map(|table| table.data.get(2..).unwrap_or_default().chunks_exact(10))
        .map(|row| {
            let field = |at: usize| u16::from_be_bytes([row[at], row[at + 1]]);
            Variable { slot: field(8), start: field(0), end: field(0).saturating_add(field(2)) }
        })
        .collect();
    variables.sort_unstable();
    variables
}
