//! One method opened up: instructions, blocks, debug tables.

use crate::FlowError;
use catchment_classfile::{
    Attribute, ClassError, ClassFile, Code, ControlKind, ExceptionRow, Insn, LineTable, Member, MemberRef,
    VariableTable, access, opcodes, variable_rows,
};
use catchment_pairs::{Blocks, CompiledClause, CompiledTry, Instructions, clause_extent};
use std::collections::BTreeSet;

/// Instructions and rows of the exception table around each; compilers stay far below.
const MAX_STEPS: usize = 10_000_000;

/// A method with code.
#[derive(Debug)]
pub(crate) struct Method<'c, 'a> {
    pub(crate) class: &'c ClassFile<'a>,
    pub(crate) member: &'c Member<'a>,
    pub(crate) attribute: Attribute<'a>,
    pub(crate) code: Code<'a>,
    pub(crate) insns: Instructions<'a>,
    pub(crate) blocks: Blocks,
    pub(crate) rows: Vec<ExceptionRow>,
    lines: LineTable,
    pub(crate) variables: VariableTable<'a>,
}

impl<'c, 'a> Method<'c, 'a> {
    /// Method number `index` of the class.
    pub(crate) fn open(class: &'c ClassFile<'a>, index: usize) -> Result<Self, FlowError> {
        let member = class.methods.get(index).ok_or(FlowError::NoSuchClause)?;
        let (attribute, code) = class.code(member)?.ok_or(FlowError::NoSuchClause)?;
        let insns = Instructions::of(&code)?;
        let rows: Vec<ExceptionRow> = code.exceptions().collect();
        check_flow(&insns, &rows)?;
        let blocks = Blocks::of(&insns, &rows, |steps| steps <= MAX_STEPS).ok_or(FlowError::TooLarge)?;
        Ok(Self {
            class,
            member,
            attribute,
            code,
            insns,
            blocks,
            rows,
            lines: LineTable::read(&code, &class.pool),
            variables: VariableTable::read(&code, &class.pool),
        })
    }

    /// Clause number `clause` of a try of this method. Refused if its rows of the exception table lead elsewhere:
    /// then the try was found in another class.
    pub(crate) fn clause<'t>(
        &self,
        compiled_try: &'t CompiledTry,
        clause: usize,
    ) -> Result<&'t CompiledClause, FlowError> {
        let clause = compiled_try.clauses.get(clause).ok_or(FlowError::NoSuchClause)?;
        let leads_there =
            |row: &u16| self.rows.get(usize::from(*row)).is_some_and(|row| row.handler == clause.handler);
        clause.rows.iter().all(leads_there).then_some(clause).ok_or(FlowError::NoSuchClause)
    }

    /// The instruction at `pc`.
    pub(crate) fn insn_at(&self, pc: usize) -> Option<Insn<'a>> {
        self.insns.get(self.insns.index_at(pc)?)
    }

    /// The block that begins at `pc`.
    pub(crate) fn block_at(&self, pc: usize) -> Result<usize, FlowError> {
        let index = self.insns.index_at(pc).ok_or(ClassError::NotAnInstruction(pc))?;
        let block = self.blocks.containing(index);
        let begins = self.blocks.insns(block).start == index;
        begins.then_some(block).ok_or(ClassError::NotAnInstruction(pc).into())
    }

    /// The pc of a block's first instruction.
    pub(crate) fn start_of(&self, block: usize) -> usize {
        self.insns.pc(self.blocks.insns(block).start)
    }

    /// The instructions of a block.
    pub(crate) fn insns_of(&self, block: usize) -> impl Iterator<Item = Insn<'a>> {
        self.insns.in_range(self.blocks.insns(block))
    }

    /// The pcs of the instructions of the clause at `handler`.
    pub(crate) fn clause_pcs(&self, handler: usize) -> Result<BTreeSet<usize>, FlowError> {
        let start = self.insns.index_at(handler).ok_or(ClassError::NotAnInstruction(handler))?;
        let variables = variable_rows(&self.code, &self.class.pool);
        let extent = clause_extent(&self.insns, &self.blocks, start, variables);
        Ok(extent.into_iter().map(|index| self.insns.pc(index)).collect())
    }

    pub(crate) fn is_static(&self) -> bool {
        self.member.access & access::STATIC != 0
    }

    pub(crate) fn line(&self, pc: usize) -> Option<u32> {
        self.lines.line_at(u16::try_from(pc).ok()?).map(u32::from)
    }

    /// The field or method that `insn` names.
    pub(crate) fn named(&self, insn: &Insn<'_>) -> Result<MemberRef<'a>, FlowError> {
        Ok(self.class.pool.member_ref(insn.u2())?)
    }

    /// The descriptor of the method that `call` calls.
    pub(crate) fn callee_descriptor(&self, call: &Insn<'_>) -> Result<&'a [u8], FlowError> {
        Ok(if call.opcode == opcodes::INVOKEDYNAMIC {
            self.class.pool.dynamic(call.u2())?.1.as_bytes()
        } else {
            self.named(call)?.descriptor.as_bytes()
        })
    }
}

/// Refuses subroutines, and control that goes to no instruction.
fn check_flow(insns: &Instructions<'_>, rows: &[ExceptionRow]) -> Result<(), FlowError> {
    let check = |pc: usize| match insns.index_at(pc) {
        Some(_) => Ok(()),
        None => Err(FlowError::from(ClassError::NotAnInstruction(pc))),
    };
    for insn in insns.iter() {
        if matches!(insn.control(), ControlKind::Subroutine | ControlKind::Ret) {
            return Err(FlowError::Subroutine(insn.pc));
        }
        let falls = insn.falls_through().then_some(insn.next_pc());
        insn.targets().chain(falls).try_for_each(check)?;
    }
    let end = insns.pc(insns.len());
    let pcs = rows.iter().flat_map(|row| [row.start, row.end, row.handler].map(usize::from));
    pcs.filter(|pc| *pc != end).try_for_each(check)
}
