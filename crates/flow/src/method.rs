//! One method opened up: code, blocks, debug tables.

use crate::FlowError;
use crate::blocks::Blocks;
use catchment_classfile::{
    Attribute, ClassFile, Code, ExceptionEntry, Insn, LineTable, Member, MemberRef, VariableTable, access,
    opcodes,
};
use catchment_pairs::{CompiledClause, CompiledTry};

/// A method with code.
#[derive(Debug)]
pub(crate) struct Method<'c, 'a> {
    pub(crate) class: &'c ClassFile<'a>,
    pub(crate) member: &'c Member<'a>,
    pub(crate) attribute: Attribute<'a>,
    pub(crate) code: Code<'a>,
    pub(crate) blocks: Blocks<'a>,
    lines: LineTable,
    pub(crate) variables: VariableTable<'a>,
}

impl<'c, 'a> Method<'c, 'a> {
    /// Method number `index` of the class.
    pub(crate) fn open(class: &'c ClassFile<'a>, index: usize) -> Result<Self, FlowError> {
        let member = class.methods.get(index).ok_or(FlowError::NoSuchClause)?;
        let (attribute, code) = class.code(member)?.ok_or(FlowError::NoSuchClause)?;
        Ok(Self {
            class,
            member,
            attribute,
            code,
            blocks: Blocks::of(&code)?,
            lines: LineTable::read(&code, &class.pool),
            variables: VariableTable::read(&code, &class.pool),
        })
    }

    /// Clause number `clause` of a try of this method. Refused if its rows of the exception table lead elsewhere: then the
    /// try was found in another class.
    pub(crate) fn clause<'t>(
        &self,
        site: &'t CompiledTry,
        clause: usize,
    ) -> Result<&'t CompiledClause, FlowError> {
        let clause = site.clauses.get(clause).ok_or(FlowError::NoSuchClause)?;
        let rows: Vec<ExceptionEntry> = self.code.exceptions().collect();
        let leads_there =
            |row: &u16| rows.get(usize::from(*row)).is_some_and(|it| it.handler == clause.handler);
        clause.entries.iter().all(leads_there).then_some(clause).ok_or(FlowError::NoSuchClause)
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
