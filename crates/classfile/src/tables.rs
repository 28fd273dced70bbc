//! Debug tables of a method that are only read: line numbers.

use crate::bytes::u2_at;
use crate::{Code, ConstantPool};

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
