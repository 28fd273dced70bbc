//! From exception table rows to handlers and tries (JVMS §2.10: rows are tried in table order).

use crate::{CompiledClause, CompiledTry, PcRange};
use catchment_classfile::ExceptionRow;
use smallvec::{SmallVec, smallvec};

/// All rows that lead to one handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Handler {
    pub(crate) pc: u16,
    /// Indices into the exception table, ascending.
    pub(crate) rows: SmallVec<[u16; 8]>,
    /// The constant pool index of the caught class, if there is only one. 0 catches everything.
    pub(crate) only_type: Option<u16>,
    pub(crate) catches_everything: bool,
    /// Sorted by start, unmerged.
    pub(crate) ranges: SmallVec<[PcRange; 4]>,
}

/// The handlers of a method, in the order of their first entry.
pub(crate) fn handlers_of(table: &[ExceptionRow]) -> SmallVec<[Handler; 4]> {
    let rows = table.iter().zip(0u16..).filter(|(row, _)| row.start < row.end);
    let mut by_handler: SmallVec<[(u16, u16); 16]> = rows.map(|(row, index)| (row.handler, index)).collect();
    by_handler.sort_unstable();
    let same_handler = by_handler.chunk_by(|a, b| a.0 == b.0);
    let mut handlers: SmallVec<[Handler; 4]> = same_handler.map(|rows| handler(rows, table)).collect();
    handlers.sort_unstable_by_key(|it| it.rows[0]);
    handlers
}

/// `rows` are the handler and the indices of its rows, at least one.
fn handler(rows: &[(u16, u16)], table: &[ExceptionRow]) -> Handler {
    let indices: SmallVec<[u16; 8]> = rows.iter().map(|(_, index)| *index).collect();
    let own = || indices.iter().map(|index| table[usize::from(*index)]);
    let mut ranges: SmallVec<[PcRange; 4]> =
        own().map(|it| PcRange { start: it.start, end: it.end }).collect();
    ranges.sort_unstable();
    ranges.dedup();
    let first = table[usize::from(indices[0])].catch_type;
    let only_type = own().all(|it| it.catch_type == first).then_some(first);
    let catches_everything = own().any(|it| it.catch_type == 0);
    Handler { pc: rows[0].0, only_type, catches_everything, rows: indices, ranges }
}

/// Types that the given rows of the exception table catch, each once.
pub(crate) fn types_of(rows: &[u16], table: &[ExceptionRow]) -> Vec<u16> {
    let mut types = Vec::with_capacity(1);
    for row in rows.iter().map(|index| table[usize::from(*index)]) {
        if !types.contains(&row.catch_type) {
            types.push(row.catch_type);
        }
    }
    types
}

/// Groups the handlers of a method into tries, in source order: by first instruction, an enclosing try before what it
/// encloses.
pub(crate) fn tries_of(method: usize, handlers: impl IntoIterator<Item = Handler>) -> Vec<CompiledTry> {
    let mut tries: Vec<CompiledTry> = Vec::new();
    for Handler { pc, rows, ranges, .. } in handlers {
        let clause = CompiledClause { handler: pc, rows };
        match tries.iter_mut().find(|it| it.ranges == ranges) {
            Some(it) => it.clauses.push(clause),
            None => {
                tries.push(CompiledTry {
                    method,
                    ranges,
                    clauses: smallvec![clause],
                    suspensions: Vec::new(),
                });
            }
        }
    }
    tries.sort_by_key(|it| (it.start(), std::cmp::Reverse(it.last_entry())));
    tries
}

impl CompiledTry {
    /// The last exception table row of its clauses; enclosing tries come later in the table.
    fn last_entry(&self) -> u16 {
        self.clauses.iter().flat_map(|clause| clause.rows.last()).copied().max().unwrap_or(0)
    }

    fn covers(&self, pc: u16) -> bool {
        self.ranges.iter().any(|range| (range.start..range.end).contains(&pc))
    }

    /// True if `inner` lies in the body of this try.
    fn encloses(&self, inner: &Self) -> bool {
        let last = inner.ranges.last().map_or(0, |range| range.end.saturating_sub(1));
        self.last_entry() > inner.last_entry() && self.covers(inner.start()) && self.covers(last)
    }
}

/// For each try the nearest one around it.
pub(crate) fn parents_of(tries: &[CompiledTry]) -> Vec<Option<usize>> {
    tries
        .iter()
        .map(|inner| {
            let around = tries.iter().enumerate().filter(|(_, outer)| outer.encloses(inner));
            around.min_by_key(|(_, outer)| outer.last_entry()).map(|(index, _)| index)
        })
        .collect()
}
