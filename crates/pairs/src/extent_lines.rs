//! The last lines of tries and clauses.

use crate::Reason;
use crate::blocks::Blocks;
use crate::find::FilteredHandler;
use crate::indexed::IndexedBody;
use crate::smap::SourceMap;

/// Lines of the instructions of one method, with what compilers put between them taken out: code of inline functions,
/// and copies of `finally` blocks in front of every `return`.
#[derive(Debug)]
pub(crate) struct ExtentLines<'i, 'b, 'a> {
    pub(crate) body: &'i IndexedBody<'b, 'a>,
    source_map: &'i SourceMap,
    finally_blocks: Vec<FinallyBlock>,
}

/// A `finally` with the lines that its handler has.
#[derive(Debug)]
struct FinallyBlock {
    handler: u16,
    /// Sorted.
    lines: Vec<u16>,
}

impl<'i, 'b, 'a> ExtentLines<'i, 'b, 'a> {
    pub(crate) fn new(
        body: &'i IndexedBody<'b, 'a>,
        filtered: &[FilteredHandler],
        source_map: &'i SourceMap,
        blocks: Option<&Blocks>,
    ) -> Self {
        let mut finally_blocks = Vec::new();
        for (handler, _) in filtered.iter().filter(|(_, reason)| *reason == Reason::Finally) {
            if let Some(start) = body.index(*handler) {
                let extent = body.extent(start, blocks);
                let mut lines: Vec<u16> = extent.iter().filter_map(|index| line_of(body, *index)).collect();
                lines.sort_unstable();
                lines.dedup();
                finally_blocks.push(FinallyBlock { handler: *handler, lines });
            }
        }
        Self { body, source_map, finally_blocks }
    }

    /// The last source line of an extent that begins at `start`; `None` if that has no line.
    pub(crate) fn last_line(&self, start: u16, extent: impl IntoIterator<Item = usize>) -> Option<u32> {
        let first = u32::from(self.body.body.line(start)?);
        let inlined_by = self.source_map.inlined_by(first);
        let around: Vec<&FinallyBlock> =
            self.finally_blocks.iter().filter(|finally| self.protects(finally, start)).collect();
        let own = extent.into_iter().filter_map(|index| {
            let line = line_of(self.body, index)?;
            let is_copy = around.iter().any(|finally| self.is_copied(finally, index, line));
            Some(u32::from(line)).filter(|_| !is_copy)
        });
        let last = own.filter(|line| self.source_map.inlined_by(*line) == inlined_by).fold(first, u32::max);
        Some(self.source_map.lookup(last).map_or(last, |mapped| mapped.line))
    }

    /// True if an instruction of a protected extent is of a copy of the `finally` block, which compilers leave
    /// unprotected.
    fn is_copied(&self, finally: &FinallyBlock, index: usize, line: u16) -> bool {
        let is_protected =
            u16::try_from(self.body.insns.pc(index)).is_ok_and(|pc| self.protects(finally, pc));
        !is_protected && finally.lines.binary_search(&line).is_ok()
    }

    fn protects(&self, finally: &FinallyBlock, pc: u16) -> bool {
        let mut rows = self.body.body.rows.iter().filter(|row| row.handler == finally.handler);
        rows.any(|row| (row.start..row.end).contains(&pc))
    }
}

fn line_of(body: &IndexedBody<'_, '_>, index: usize) -> Option<u16> {
    body.body.line(u16::try_from(body.insns.pc(index)).ok()?)
}
