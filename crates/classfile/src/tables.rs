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

/// One row of a local variable table; name and type are indices into the constant pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VariableRow {
    pub slot: u16,
    pub start: u16,
    pub end: u16,
    pub name: u16,
    pub descriptor: u16,
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
        Self { rows: variable_rows(code, pool).filter_map(|row| named_variable(row, pool)).collect() }
    }

    /// The variable that lives in `slot` at `pc`. It does so only behind the instruction that first stores to it.
    pub fn at(&self, slot: u16, pc: usize) -> Option<&LocalVariable<'a>> {
        let lives = |row: &&LocalVariable<'a>| (usize::from(row.start)..usize::from(row.end)).contains(&pc);
        self.rows.iter().filter(|row| row.slot == slot).find(lives)
    }
}

/// All rows of the local variable tables of a method, whatever their names are.
pub fn variable_rows<'a, 'p>(
    code: &Code<'a>,
    pool: &'p ConstantPool<'a>,
) -> impl Iterator<Item = VariableRow> + use<'a, 'p> {
    let tables = code.attributes.iter().filter(|attribute| attribute.name(pool) == "LocalVariableTable");
    let rows = tables.flat_map(|table| table.data.get(2..).unwrap_or_default().chunks_exact(10));
    rows.map(|row| VariableRow {
        slot: u2_at(row, 8),
        start: u2_at(row, 0),
        end: u2_at(row, 0).saturating_add(u2_at(row, 2)),
        name: u2_at(row, 4),
        descriptor: u2_at(row, 6),
    })
}

fn named_variable<'a>(row: VariableRow, pool: &ConstantPool<'a>) -> Option<LocalVariable<'a>> {
    let VariableRow { slot, start, end, name, descriptor } = row;
    Some(LocalVariable {
        slot,
        start,
        end,
        name: pool.utf8(name).ok()?,
        descriptor: pool.utf8(descriptor).ok()?,
    })
}
