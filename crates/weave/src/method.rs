//! Decides what stands where in one method; `classfile` then moves the code.
//!
//! A try's range begins just before its own entry probe and after those of the tries around it, so an exception
//! thrown by the probe reaches this try's clauses and no inner ones. Jumps out of a try go through a block behind
//! the method's code; so do exceptions that leave it uncaught.

use crate::ProbeKinds;
use crate::constants::ProbeConstants;
use crate::edges::{Edges, Jump, edges_of};
use crate::escapes::{BlockCover, EscapeRequest, Escapes};
use crate::frames::FrameTable;
use crate::inserts::{Action, Insert, Rank, Slots, landing};
use crate::probe_points::{MethodIds, MethodProbePoints, TryIds};
use crate::probes::Probe;
use catchment_classfile::{
    Appended, AppendedEnd, BlockFrame, ClassError, CodeEdit, CodePosition, Constants as _, ControlKind,
    ExceptionRow, Frame, JvmStr, MethodCode, NewException, Piece, RelocateError, opcodes,
};
use catchment_pairs::CompiledTry;
use smallvec::SmallVec;

/// The longest code a class file may have (JVMS §4.7.3).
const MAX_CODE_LEN: usize = 65_535;

pub(crate) struct MethodWeaver<'w, 'a> {
    source: MethodCode<'w, 'a>,
    rows: &'w [ExceptionRow],
    frames: FrameTable<'w, 'a>,
    /// Outer tries before inner ones. An index of a try is one into this list.
    tries: &'w [CompiledTry],
    /// By index of the try.
    try_ids: &'w [TryIds],
    ids: MethodIds,
    kinds: ProbeKinds,
    /// The id of the first probe at a single instruction; the others follow in code order.
    first_in_place: usize,
}

/// Memory that goes from method to method.
#[derive(Debug, Default)]
pub(crate) struct MethodBuffers {
    rows: Vec<ExceptionRow>,
    try_ids: Vec<TryIds>,
}

impl<'w, 'a> MethodWeaver<'w, 'a> {
    pub(crate) fn new(
        source: MethodCode<'w, 'a>,
        tries: &'w [CompiledTry],
        points: &MethodProbePoints<'a>,
        kinds: ProbeKinds,
        buffers: &'w mut MethodBuffers,
    ) -> Self {
        let MethodBuffers { rows, try_ids } = buffers;
        rows.clear();
        rows.extend(source.code.exceptions());
        try_ids.clear();
        try_ids.extend(points.try_ids(kinds, tries));
        Self {
            source,
            rows,
            frames: FrameTable::new(&source),
            tries,
            try_ids,
            ids: points.ids,
            kinds,
            first_in_place: points.first_in_place,
        }
    }

    /// Fills `inserts` with all but what stands in place, sorted.
    pub(crate) fn insert_groups(&self, inserts: &mut Vec<Insert>) -> Result<Edges, RelocateError> {
        if self.source.code.bytes.len() > MAX_CODE_LEN {
            return Err(RelocateError::TooLong);
        }
        inserts.clear();
        if let Some(id) = self.ids.enter {
            inserts.push(Insert::probe(0, Rank::MethodEntry, self.ids.enter_probe(), id));
        }
        inserts.extend(self.ids.mark.map(Insert::entered));
        if self.tries.is_empty() {
            return Ok(Edges::default());
        }
        let edges = edges_of(&self.source, self.rows, self.tries)?;
        self.insert_try_probes(&edges, inserts);
        self.insert_bypasses(inserts)?;
        inserts.sort_by_key(Insert::position);
        Ok(edges)
    }

    /// Fills an empty edit. `inserts` holds the groups, and is lent.
    pub(crate) fn fill(
        &self,
        edges: &Edges,
        inserts: &mut Vec<Insert>,
        constants: &mut ProbeConstants,
        edit: &mut CodeEdit<'a>,
    ) -> Result<(), RelocateError> {
        self.insert_in_place(inserts);
        inserts.sort_by_key(Insert::position);
        place_inserts(inserts, constants, edit)?;
        self.complete(edges, inserts, constants, edit)
    }

    /// Adds what is left once everything in `inserts` has its place in the code.
    pub(crate) fn complete(
        &self,
        edges: &Edges,
        inserts: &[Insert],
        constants: &mut ProbeConstants,
        edit: &mut CodeEdit<'a>,
    ) -> Result<(), RelocateError> {
        let slots = Slots { inserts };
        let covers = self.redirect_jumps(&edges.jumps, &slots, constants, edit)?;
        self.place_exceptions(&slots, &covers, constants, edit)?;
        edit.redirects.sort_by_key(|(edge, _)| *edge);
        Ok(())
    }

    /// The tries whose first instruction is at `pc`, outermost first, with their indices.
    fn starting_at(&self, pc: usize) -> impl Iterator<Item = (usize, &'w CompiledTry)> + Clone {
        self.tries.iter().enumerate().filter(move |(_, it)| usize::from(it.start()) == pc)
    }

    /// Number of entry probes of the first `count` tries that start at `pc`.
    fn entry_probes(&self, pc: usize, count: usize) -> usize {
        self.starting_at(pc).take(count).filter(|(index, _)| self.try_ids[*index].enter.is_some()).count()
    }

    fn exits<'s>(&'s self, left: &'s [usize]) -> impl Iterator<Item = usize> + 's {
        left.iter().filter_map(|index| self.try_ids[*index].exit)
    }

    fn insert_try_probes(&self, edges: &Edges, inserts: &mut Vec<Insert>) {
        for ((it, ids), order) in self.tries.iter().zip(self.try_ids).zip(0u16..) {
            if let Some(id) = ids.enter {
                let pc = usize::from(it.start());
                inserts.push(Insert::probe(pc, Rank::TryEntry(order), Probe::TryEnter, id));
            }
            if let Some(first) = ids.first_caught {
                let caught = it.clauses.iter().zip(first..);
                inserts.extend(caught.map(|(clause, id)| self.caught_probe(usize::from(clause.handler), id)));
            }
        }
        for (edges, rank) in [(&edges.falls, Rank::FallExit), (&edges.returns, Rank::TryExit)] {
            inserts.extend(edges.iter().filter_map(|(pc, left)| {
                let id = self.try_ids[*left].exit?;
                Some(Insert::probe(*pc, rank, Probe::TryExit, id))
            }));
        }
    }

    fn caught_probe(&self, handler: usize, id: usize) -> Insert {
        let exchanged =
            if self.kinds.contains(ProbeKinds::EXCHANGE) { self.caught_class(handler) } else { None };
        match exchanged {
            Some(class) => Insert::exchange(handler, id, class),
            None => Insert::probe(handler, Rank::Caught, Probe::Caught, id),
        }
    }

    /// The constant of the class to which another object for this handler has to be cast: the one that the stack map
    /// frame promises, or in a method without frames the only one that is caught. `None` where the cast itself might
    /// fail to resolve: a superclass of several caught types may lie in another package and be private to it.
    fn caught_class(&self, handler: usize) -> Option<u16> {
        let rows = self.rows.iter().filter(|row| usize::from(row.handler) == handler);
        let mut caught: SmallVec<[u16; 4]> = rows.map(|row| row.catch_type).collect();
        caught.dedup();
        let class = match self.frames.at(handler).ok()? {
            Some(frame) => frame.only_class_on_stack()?,
            None if !self.frames.exist() && caught.len() == 1 => caught[0],
            None => return None,
        };
        let pool = &self.source.class.pool;
        let name = pool.class_name(class).ok()?;
        let is_caught = caught.iter().any(|caught| pool.class_name(*caught).is_ok_and(|it| it == name));
        let is_accessible = package(name) == b"java/lang" || package(name) == package(self.source.class.name);
        (is_caught || is_accessible).then_some(class)
    }

    fn insert_in_place(&self, inserts: &mut Vec<Insert>) {
        let mut next_id = self.first_in_place;
        for landmark in self.source.outline.calls_and_exits() {
            let pc = landmark.pc();
            if self.kinds.stand_before(landmark.control) {
                let probe = if landmark.control == ControlKind::Call { Probe::Call } else { Probe::Throwing };
                inserts.push(Insert::probe(pc, Rank::InPlace, probe, next_id));
                next_id += 1;
            } else if landmark.control == ControlKind::Return
                && let Some(id) = self.ids.exit
            {
                inserts.push(Insert::probe(pc, Rank::MethodExit, self.ids.exit_probe(), id));
            }
        }
    }

    /// Normal control that falls into a handler must not look like a caught exception. Where normal control gets to
    /// a handler at all, its frame is that of both ways and need not say `Throwable`; the probe casts then.
    fn insert_bypasses(&self, inserts: &mut Vec<Insert>) -> Result<(), ClassError> {
        let caught = inserts.iter().filter(|insert| insert.rank == Rank::Caught);
        let mut caught: SmallVec<[usize; 8]> = caught.map(Insert::pc).collect();
        if caught.is_empty() {
            return Ok(());
        }
        caught.sort_unstable();
        caught.dedup();
        let outline = self.source.outline;
        let mut entered = caught.clone();
        entered.retain(|pc| outline.start_before(*pc).is_some_and(|before| outline.falls_through(before)));
        inserts.extend(entered.iter().map(|pc| Insert::bypass(*pc)));
        for landmark in outline.jumps() {
            let targets = landmark.insn(self.source.code.bytes)?.targets();
            entered.extend(targets.filter(|target| caught.binary_search(target).is_ok()));
        }
        for insert in inserts.iter_mut().filter(|it| it.rank == Rank::Caught && entered.contains(&it.pc())) {
            match &mut insert.action {
                Action::Probe { id, .. } => insert.action = Action::CaughtWithCast { id: *id },
                Action::Exchange { with_cast, .. } => *with_cast = true,
                Action::CaughtWithCast { .. } | Action::BypassCaught | Action::Entered { .. } => {}
            }
        }
        Ok(())
    }

    /// Jumps that leave or enter tries are sent through a block that counts and then goes where the jump went; loops
    /// land behind the entry probes of the tries they stay in. Gives what has to protect the blocks.
    fn redirect_jumps(
        &self,
        jumps: &[Jump],
        slots: &Slots<'_>,
        constants: &mut ProbeConstants,
        edit: &mut CodeEdit<'a>,
    ) -> Result<Vec<BlockCover>, RelocateError> {
        let mut blocks: Vec<(EdgeBlock, usize)> = Vec::new();
        let mut covers = Vec::new();
        for jump in jumps {
            let slot = slots.landing(jump.target) + self.entry_probes(jump.target, jump.inside);
            let to = CodePosition::Slot { pc: jump.target, slot };
            let block = EdgeBlock {
                exits: self.exits(&jump.left).collect(),
                enters: jump.entered.iter().filter_map(|index| self.try_ids[*index].enter).collect(),
                to,
                rows: self.rows_around(jump),
            };
            let place = if block.exits.is_empty() && block.enters.is_empty() {
                to
            } else if let Some((_, index)) = blocks.iter().find(|(it, _)| *it == block) {
                CodePosition::Appended(*index)
            } else {
                let index = self.append_edge_block(jump.target, &block, constants, edit)?;
                covers.push(BlockCover { block: index, rows: block.rows.clone() });
                blocks.push((block, index));
                CodePosition::Appended(index)
            };
            edit.redirects.push(((jump.source, jump.target), place));
        }
        Ok(covers)
    }

    /// The table rows that must protect a block on the way of `jump`: those that protect both its ends. Where it enters
    /// a try, those of that try and around it, so that what the entry probe throws reaches its clauses.
    fn rows_around(&self, jump: &Jump) -> SmallVec<[u16; 8]> {
        let first = jump.entered.first().map(|index| first_row(&self.tries[*index]));
        let holds =
            |row: &ExceptionRow, pc: usize| (usize::from(row.start)..usize::from(row.end)).contains(&pc);
        let rows = self.rows.iter().zip(0u16..).filter(|(row, index)| {
            holds(row, jump.target) && first.map_or(holds(row, jump.source), |first| *index >= first)
        });
        rows.map(|(_, index)| index).collect()
    }

    fn append_edge_block(
        &self,
        target: usize,
        block: &EdgeBlock,
        constants: &mut ProbeConstants,
        edit: &mut CodeEdit<'a>,
    ) -> Result<usize, RelocateError> {
        let frame = match self.frames.at(target)? {
            Some(frame) => frame.to_frame(),
            None if !self.frames.exist() => Frame::default(),
            None => return Err(ClassError::NotAnInstruction(target).into()),
        };
        let start = edit.code.len();
        for id in &block.exits {
            put_probe(Probe::TryExit, *id, constants, &mut edit.code)?;
        }
        for id in &block.enters {
            put_probe(Probe::TryEnter, *id, constants, &mut edit.code)?;
        }
        edit.appended.push(Appended {
            code: start..edit.code.len(),
            end: AppendedEnd::Goto(block.to),
            frame: BlockFrame::Jump(frame),
        });
        Ok(edit.appended.len() - 1)
    }

    fn place_exceptions(
        &self,
        slots: &Slots<'_>,
        covers: &[BlockCover],
        constants: &mut ProbeConstants,
        edit: &mut CodeEdit<'a>,
    ) -> Result<(), RelocateError> {
        let kept = self.rows.iter().zip(0u16..).map(|(row, index)| self.keep(index, *row, slots));
        let kept: SmallVec<[_; 8]> = kept.collect();
        let requests = self.tries.iter().zip(self.try_ids).filter_map(|(it, ids)| {
            let id = ids.escape?;
            let start = self.range_start(usize::from(it.start()), first_row(it), slots);
            Some(EscapeRequest { id, it, start })
        });
        let requests: SmallVec<[_; 4]> = requests.collect();
        let escapes = Escapes { source: &self.source, rows: self.rows, frames: &self.frames };
        let method_escape = self.ids.escape.map(|id| (self.ids.escape_probe(), id));
        escapes.add(&kept, &requests, covers, method_escape, constants, edit)
    }

    fn keep(&self, index: u16, row: ExceptionRow, slots: &Slots<'_>) -> NewException {
        NewException {
            start: self.range_start(usize::from(row.start), index, slots),
            handler: CodePosition::Slot {
                pc: usize::from(row.handler),
                slot: slots.handler(usize::from(row.handler)),
            },
            ..NewException::keep(index, row)
        }
    }

    /// Start of a range that belongs to table row `row`: behind the entry probes of the tries around it, whose
    /// rows come later, since rows are ordered from the inside out. A row that protects a handler protects its probe
    /// too: a monitor's handler must cover every call made while the monitor is held, or the JIT gives up on the
    /// method.
    fn range_start(&self, pc: usize, row: u16, slots: &Slots<'_>) -> CodePosition {
        let starting = self.starting_at(pc);
        let around = starting.clone().take_while(|(_, it)| first_row(it) > row).count();
        let own = || {
            let mut clauses = starting.clone().flat_map(|(_, it)| &it.clauses);
            clauses.any(|clause| clause.rows.contains(&row))
        };
        let slot = match around {
            0 if !own() => slots.handler(pc),
            around => slots.landing(pc) + self.entry_probes(pc, around),
        };
        CodePosition::Slot { pc, slot }
    }
}

/// Probes push an id, and a throwable before it.
pub(crate) fn max_stack(source: &MethodCode<'_, '_>) -> Result<u16, RelocateError> {
    let extended = source.code.max_stack.checked_add(2).ok_or(RelocateError::StackTooDeep)?;
    Ok(extended.max(3))
}

/// Contents of a block behind the code.
#[derive(Debug, Clone, PartialEq, Eq)]
struct EdgeBlock {
    exits: SmallVec<[usize; 2]>,
    enters: SmallVec<[usize; 2]>,
    to: CodePosition,
    /// Indices of the old table rows that protect it.
    rows: SmallVec<[u16; 8]>,
}

fn place_inserts(
    inserts: &[Insert],
    constants: &mut ProbeConstants,
    edit: &mut CodeEdit<'_>,
) -> Result<(), RelocateError> {
    for group in inserts.chunk_by(|a, b| a.pc() == b.pc()) {
        let pc = group[0].pc();
        let landing = landing(group);
        if landing > 0 {
            edit.landings.push((pc, landing));
        }
        for insert in group {
            let start = edit.code.len();
            put_insert(insert, constants, &mut edit.code)?;
            edit.pieces.push(match insert.action {
                Action::BypassCaught => Piece::Goto { pc, to: CodePosition::Slot { pc, slot: landing } },
                _ => Piece::Code { pc, start, end: edit.code.len() },
            });
        }
    }
    Ok(())
}

/// Appends the code of an insert; that of a bypass is a jump, which only whoever moves the code can write.
pub(crate) fn put_insert(
    insert: &Insert,
    constants: &mut ProbeConstants,
    out: &mut Vec<u8>,
) -> Result<(), RelocateError> {
    match insert.action {
        Action::Probe { probe, id } => put_probe(probe, id as usize, constants, out),
        Action::CaughtWithCast { id } => put_caught_with_cast(id as usize, constants, out),
        Action::Exchange { id, class, with_cast } => {
            put_exchange(id as usize, class, with_cast, constants, out)
        }
        Action::BypassCaught => Ok(()),
        Action::Entered { mark } => put_entered(mark, constants, out),
    }
}

/// The first exception table row of a try's clauses.
fn first_row(it: &CompiledTry) -> u16 {
    it.clauses.iter().filter_map(|clause| clause.rows.first()).min().copied().unwrap_or(u16::MAX)
}

/// Appends a probe; those that take a throwable copy the one on the stack.
#[inline]
pub(crate) fn put_probe(
    probe: Probe,
    id: usize,
    constants: &mut ProbeConstants,
    out: &mut Vec<u8>,
) -> Result<(), RelocateError> {
    if probe.takes_throwable() {
        out.push(opcodes::DUP);
    }
    constants.put_call(probe, id, out).ok_or(RelocateError::PoolFull)
}

/// Appends the mark that the method has been entered.
pub(crate) fn put_entered(
    mark: u32,
    constants: &mut ProbeConstants,
    out: &mut Vec<u8>,
) -> Result<(), RelocateError> {
    constants.put_entered(mark, out).ok_or(RelocateError::PoolFull)
}

/// The exception on the stack is replaced by what the probe gives.
fn put_exchange(
    id: usize,
    class: u16,
    with_cast: bool,
    constants: &mut ProbeConstants,
    out: &mut Vec<u8>,
) -> Result<(), RelocateError> {
    if with_cast {
        let throwable = constants.throwable().ok_or(RelocateError::PoolFull)?;
        put_cast(throwable, out);
    }
    constants.put_call(Probe::Exchange, id, out).ok_or(RelocateError::PoolFull)?;
    put_cast(class, out);
    Ok(())
}

/// The package in the internal name of a class.
fn package(name: JvmStr<'_>) -> &[u8] {
    let bytes = name.as_bytes();
    bytes.iter().rposition(|byte| *byte == b'/').map_or(&[], |end| &bytes[..end])
}

fn put_cast(class: u16, out: &mut Vec<u8>) {
    out.push(opcodes::CHECKCAST);
    out.extend_from_slice(&class.to_be_bytes());
}

/// Only exceptions come here, whatever the frame says, so the cast never fails.
fn put_caught_with_cast(
    id: usize,
    constants: &mut ProbeConstants,
    out: &mut Vec<u8>,
) -> Result<(), RelocateError> {
    let throwable = constants.throwable().ok_or(RelocateError::PoolFull)?;
    out.push(opcodes::DUP);
    put_cast(throwable, out);
    constants.put_call(Probe::Caught, id, out).ok_or(RelocateError::PoolFull)
}
