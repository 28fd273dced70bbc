//! One method opened up: its instructions by pc, handlers, lines and variables.
//!
//! Debug tables are read when asked for: most handlers are told apart without them.

use catchment_classfile::{
    ClassError, Code, ConstantPool, ControlKind, ExceptionRow, Insn, LineTable, Member, MemberRef,
    MethodCode, Outline, VariableRow, variable_rows,
};
use smallvec::SmallVec;
use std::cell::OnceCell;

/// A method with code, decoded.
#[derive(Debug)]
pub(crate) struct Body<'a> {
    pub(crate) pool: &'a ConstantPool<'a>,
    pub(crate) method: &'a Member<'a>,
    pub(crate) code: Code<'a>,
    pub(crate) outline: Outline<'a>,
    pub(crate) rows: SmallVec<[ExceptionRow; 8]>,
    lines: OnceCell<LineTable>,
    variables: OnceCell<Vec<VariableRow>>,
}

impl<'a> Body<'a> {
    pub(crate) fn open(source: &MethodCode<'a, 'a>) -> Result<Self, ClassError> {
        let MethodCode { class, method, code, outline, .. } = *source;
        let body = Self {
            pool: &class.pool,
            method,
            code,
            outline,
            rows: code.exceptions().collect(),
            lines: OnceCell::new(),
            variables: OnceCell::new(),
        };
        body.check_rows()?;
        Ok(body)
    }

    fn check_rows(&self) -> Result<(), ClassError> {
        let is_start = |pc: u16| self.outline.is_start(usize::from(pc));
        for row in &self.rows {
            let end = usize::from(row.end);
            if !is_start(row.start) || !is_start(row.handler) {
                return Err(ClassError::NotAnInstruction(usize::from(row.start.max(row.handler))));
            }
            if end != self.code.bytes.len() && !is_start(row.end) {
                return Err(ClassError::NotAnInstruction(end));
            }
        }
        Ok(())
    }

    /// The instruction at `pc`, which is one, or `None` at the end of the code.
    #[inline]
    pub(crate) fn insn(&self, pc: usize) -> Option<Insn<'a>> {
        Insn::at(self.code.bytes, pc).ok()
    }

    /// All instructions.
    pub(crate) fn insns(&self) -> impl Iterator<Item = Insn<'a>> + use<'a> {
        self.code.insns().map_while(Result::ok)
    }

    /// Instructions that call a method.
    pub(crate) fn calls(&self) -> impl Iterator<Item = Insn<'a>> {
        let calls = self.outline.calls_and_exits().iter().filter(|it| it.control == ControlKind::Call);
        calls.filter_map(|it| it.insn(self.code.bytes).ok())
    }

    pub(crate) fn lines(&self) -> &LineTable {
        self.lines.get_or_init(|| LineTable::read(&self.code, self.pool))
    }

    pub(crate) fn line(&self, pc: u16) -> Option<u16> {
        self.lines().line_at(pc)
    }

    /// The method or field an instruction names.
    pub(crate) fn member(&self, insn: &Insn<'a>) -> Option<MemberRef<'a>> {
        self.pool.member_ref(insn.u2()).ok()
    }

    /// True if a call is one of a method of the class called `owner`; cheaper than asking for all of the method.
    pub(crate) fn calls_into(&self, call: &Insn<'a>, owner: &str) -> bool {
        self.pool.member_owner(call.u2()).is_ok_and(|it| it == owner)
    }

    /// The variables that live in `slot`, by start.
    pub(crate) fn variables_in(&self, slot: u16) -> &[VariableRow] {
        let all = self.variables.get_or_init(|| read_variables(&self.code, self.pool));
        let from = all.partition_point(|it| it.slot < slot);
        let to = all.partition_point(|it| it.slot <= slot);
        &all[from..to]
    }
}

fn read_variables(code: &Code<'_>, pool: &ConstantPool<'_>) -> Vec<VariableRow> {
    let mut variables: Vec<VariableRow> = variable_rows(code, pool).collect();
    variables.sort_unstable_by_key(|row| (row.slot, row.start, row.end));
    variables
}
