//! From exception table entries to handlers and tries (JVMS §2.10: entries are tried in table order).

use crate::PcRange;
use crate::body::Body;
use rustc_hash::FxHashMap;

/// All entries that lead to one handler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Handler {
    pub(crate) pc: u16,
    /// Indices into the exception table, ascending.
    pub(crate) entries: Vec<u16>,
    /// Constant pool indices of the caught classes, in table order; 0 catches everything.
    pub(crate) types: Vec<u16>,
    /// Sorted by start, unmerged.
    pub(crate) ranges: Vec<PcRange>,
}

impl Handler {
    pub(crate) fn catches_everything(&self) -> bool {
        self.types.contains(&0)
    }
}

/// The handlers of a method, in the order of their first entry.
pub(crate) fn handlers_of(body: &Body<'_>) -> Vec<Handler> {
    let mut handlers: Vec<Handler> = Vec::new();
    let mut by_pc: FxHashMap<u16, usize> = FxHashMap::default();
    for (entry, index) in body.entries.iter().zip(0u16..) {
        if entry.start >= entry.end {
            continue;
        }
        let position = *by_pc.entry(entry.handler).or_insert_with(|| {
            let pc = entry.handler;
            handlers.push(Handler { pc, entries: Vec::new(), types: Vec::new(), ranges: Vec::new() });
            handlers.len() - 1
        });
        let handler = &mut handlers[position];
        handler.entries.push(index);
        if !handler.types.contains(&entry.catch_type) {
            handler.types.push(entry.catch_type);
        }
        handler.ranges.push(PcRange { start: entry.start, end: entry.end });
    }
    for handler in &mut handlers {
        handler.ranges.sort_unstable();
        handler.ranges.dedup();
    }
    handlers
}

/// A `try`: the clauses that protect the same ranges.
#[derive(Debug, Clone)]
pub(crate) struct Try {
    pub(crate) ranges: Vec<PcRange>,
    /// In the order the JVM tries them.
    pub(crate) clauses: Vec<Handler>,
}

impl Try {
    pub(crate) fn start(&self) -> u16 {
        self.ranges.first().map_or(0, |range| range.start)
    }

    /// The last exception table entry of its clauses; enclosing tries come later in the table.
    fn last_entry(&self) -> u16 {
        self.clauses.iter().flat_map(|clause| clause.entries.last()).copied().max().unwrap_or(0)
    }

    fn covers(&self, pc: u16) -> bool {
        self.ranges.iter().any(|range| (range.start..range.end).contains(&pc))
    }

    /// Whether `inner` lies in the body of this try.
    fn encloses(&self, inner: &Try) -> bool {
        let last = inner.ranges.last().map_or(0, |range| range.end.saturating_sub(1));
        self.last_entry() > inner.last_entry() && self.covers(inner.start()) && self.covers(last)
    }
}

/// Groups handlers into tries, in source order: by first instruction, an enclosing try before what it encloses.
pub(crate) fn tries_of(handlers: Vec<Handler>) -> Vec<Try> {
    let mut tries: Vec<Try> = Vec::new();
    let mut by_ranges: FxHashMap<Vec<PcRange>, usize> = FxHashMap::default();
    for handler in handlers {
        let position = *by_ranges.entry(handler.ranges.clone()).or_insert_with(|| {
            tries.push(Try { ranges: handler.ranges.clone(), clauses: Vec::new() });
            tries.len() - 1
        });
        tries[position].clauses.push(handler);
    }
    tries.sort_by_key(|it| (it.start(), std::cmp::Reverse(it.last_entry())));
    tries
}

/// For each try the nearest one around it.
pub(crate) fn parents_of(tries: &[Try]) -> Vec<Option<usize>> {
    tries
        .iter()
        .map(|inner| {
            let around = tries.iter().enumerate().filter(|(_, outer)| outer.encloses(inner));
            around.min_by_key(|(_, outer)| outer.last_entry()).map(|(index, _)| index)
        })
        .collect()
}
