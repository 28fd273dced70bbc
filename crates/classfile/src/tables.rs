//! Debug tables of a method that are only read: line numbers and names of local variables.

use crate::bytes::u2_at;
use crate::{Code, ConstantPool, JvmStr};

/// One row of a line number table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineNumber {
    pub pc: u16,
    pub line: u16,
}

/// All line numbers of a method, sorted by pc. Empty without debug information.
#[derive(Debug, Clone, Default)]
pub struct LineTable {
    rows: Vec<LineNumber>,
}

/// A named local variable: what the slot means to the programmer from `start` to before `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalVariable<'a> {
    pub slot: u16,
    pub start: u16,
    pub end: u16,
    pub name: JvmStr<'a>,
    pub descriptor: JvmStr<'a>,
}

/// All named local variables of a method. Empty without debug information.
#[derive(Debug, Clone, Default)]
pub struct VariableTable<'a> {
    rows: Vec<LocalVariable<'a>>,
}

impl LineTable {
    pub fn read<'a>(code: &Code<'a>, pool: &ConstantPool<'a>) -> Self {
        let tables = code.attributes.iter().filter(|attribute| attribute.name(pool) == "LineNumberTable");
        let mut rows: Vec<LineNumber> = tables
            .flat_map(|table| table.data.get(2..).unwrap_or_default().chunks_exact(4))
            .map(|row| LineNumber { pc: u2_at(row, 0), line: u2_at(row, 2) })
            .collect();
        rows.sort_by_key(|row| row.pc);
        Self { rows }
    }

    /// The line the instruction at `pc` belongs to.
    pub fn line_at(&self, pc: u16) -> Option<u16> {
        let after = self.rows.partition_point(|row| row.pc <= pc);
        after.checked_sub(1).map(|index| self.rows[index].line)
    }

    pub fn rows(&self) -> &[LineNumber] {
        &self.rows
    }
}

impl<'a> VariableTable<'a> {
    /// Rows whose name or type cannot be read are left out: nothing hangs on debug information.
    pub fn read(code: &Code<'a>, pool: &ConstantPool<'a>) -> Self {
        let tables = code.attributes.iter().filter(|attribute| attribute.name(pool) == "LocalVariableTable");
        let rows = tables
            .flat_map(|table| table.data.get(2..).unwrap_or_default().chunks_exact(10))
            .filter_map(|row| read_variable(row, pool))
            .collect();
        Self { rows }
    }

    /// The variable that lives in `slot` at `pc`. It does so only behind the instruction that first stores to it.
    pub fn at(&self, slot: u16, pc: usize) -> Option<&LocalVariable<'a>> {
        let lives = |it: &&LocalVariable<'a>| (usize::from(it.start)..usize::from(it.end)).contains(&pc);
        self.rows.iter().filter(|it| it.slot == slot).find(lives)
    }
}

fn read_variable<'a>(row: &[u8], pool: &ConstantPool<'a>) -> Option<LocalVariable<'a>> {
    let start = u2_at(row, 0);
    Some(LocalVariable {
        slot: u2_at(row, 8),
        start,
        end: start.saturating_add(u2_at(row, 2)),
        name: pool.utf8(u2_at(row, 4)).ok()?,
        descriptor: pool.utf8(u2_at(row, 6)).ok()?,
    })
}
