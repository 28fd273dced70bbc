//! Weaves one method: decides what stands where, then lets `classfile` move the code.
//!
//! Inserted pieces in front of one instruction, in this order:
//!
//! ```text
//!   method entry | exits by falling in | goto over the next | caught || try entries, outer to inner | in place | insn
//!                                                                    ^ ordinary jumps land here
//! ```
//!
//! A try's range begins just before its own entry probe and after those of the tries around it, so an exception
//! thrown by the probe reaches this try's clauses and no inner ones. Jumps out of a try go through a block behind
//! the method's code; so do exceptions that leave it uncaught.

use crate::ProbeSite;
use crate::constants::ProbeConstants;
use crate::edges::{Edges, Jump, TryRef, edges_of};
use crate::escapes::{BlockCover, EscapeRequest, Escapes};
use crate::frames::FrameTable;
use crate::sites::MethodSites;
use catchment_classfile::{
    Appended, AppendedEnd, Attribute, ClassFile, Code, CodeEdit, Constants as _, ExceptionEntry, Flow, Frame,
    Member, NewException, Piece, Place, RelocateError, opcodes, relocate,
};
use catchment_pairs::ClassPairs;
use catchment_protocol::runtime_abi::{self as abi, ProbeMethod};
use rustc_hash::FxHashMap;

/// Where a piece stands among those in front of one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    MethodEntry,
    FallExit,
    Bypass,
    Caught,
    /// From here on pieces lie behind the landing of ordinary jumps. Outer tries first.
    TryEntry(usize),
    InPlace(usize),
}

#[derive(Debug, Clone, Copy)]
enum Action {
    Probe {
        method: ProbeMethod,
        id: usize,
    },
    /// A caught probe whose stack map frame may promise less than an exception.
    CaughtWithCast {
        id: usize,
    },
    BypassCaught,
}

#[derive(Debug, Clone, Copy)]
struct Insert {
    pc: usize,
    rank: Rank,
    action: Action,
}

/// The probe ids of one try.
#[derive(Debug, Default, Clone)]
struct TryIds {
    enter: Option<usize>,
    exit: Option<usize>,
    escape: Option<usize>,
    caught: Vec<(usize, usize)>,
}

/// The new `Code` attribute of one method; `None` if nothing has to change.
pub(crate) fn weave_method<'a>(
    class: &ClassFile<'a>,
    pairs: &ClassPairs,
    sites: &[ProbeSite],
    method_sites: &MethodSites,
    constants: &mut ProbeConstants,
) -> Result<Option<(Attribute<'a>, Vec<u8>)>, RelocateError> {
    let method = &class.methods[method_sites.method];
    let Some((attribute, code)) = class.code(method)? else { return Ok(None) };
    let tries: Vec<TryRef<'_>> =
        pairs.tries.iter().enumerate().filter(|(_, it)| it.method == method_sites.method).collect();
    let weaver = MethodWeaver {
        class,
        method,
        code,
        entries: code.exceptions().collect(),
        frames: FrameTable::new(class, method, code),
        ids: try_ids(sites, method_sites),
        tries,
        sites: &sites[method_sites.ids.clone()],
        first_site: method_sites.ids.start,
    };
    let edit = weaver.edit(constants)?;
    if edit.pieces.is_empty() && edit.appended.is_empty() {
        return Ok(None);
    }
    let contents = relocate(class, method, (attribute, code), &edit, constants)?;
    Ok(Some((attribute, contents)))
}

fn try_ids(sites: &[ProbeSite], method_sites: &MethodSites) -> FxHashMap<usize, TryIds> {
    let mut ids: FxHashMap<usize, TryIds> = FxHashMap::default();
    for id in method_sites.ids.clone() {
        match sites[id] {
            ProbeSite::TryEnter { try_site } => ids.entry(try_site).or_default().enter = Some(id),
            ProbeSite::TryExit { try_site } => ids.entry(try_site).or_default().exit = Some(id),
            ProbeSite::TryEscape { try_site } => ids.entry(try_site).or_default().escape = Some(id),
            ProbeSite::Caught { try_site, clause } => {
                ids.entry(try_site).or_default().caught.push((clause, id));
            }
            _ => {}
        }
    }
    ids
}

struct MethodWeaver<'w, 'a> {
    class: &'w ClassFile<'a>,
    method: &'w Member<'a>,
    code: Code<'a>,
    entries: Vec<ExceptionEntry>,
    frames: FrameTable<'w, 'a>,
    ids: FxHashMap<usize, TryIds>,
    /// Outer tries before inner ones.
    tries: Vec<TryRef<'w>>,
    sites: &'w [ProbeSite],
    first_site: usize,
}

impl<'a> MethodWeaver<'_, 'a> {
    fn edit(&self, constants: &mut ProbeConstants) -> Result<CodeEdit<'a>, RelocateError> {
        let edges = match self.tries.is_empty() {
            true => Edges::default(),
            false => edges_of(&self.code, &self.entries, &self.tries, &|pc| self.starting_at(pc))?,
        };
        let mut inserts = Vec::with_capacity(self.sites.len() + 8);
        self.insert_try_probes(&edges, &mut inserts);
        self.insert_in_place(&mut inserts)?;
        self.insert_bypasses(&mut inserts)?;
        inserts.sort_by_key(|insert| (insert.pc, insert.rank));

        let mut edit = CodeEdit {
            max_stack: self.max_stack()?,
            pieces: Vec::with_capacity(inserts.len()),
            code: Vec::with_capacity(8 * inserts.len()),
            ..CodeEdit::default()
        };
        self.place_inserts(&inserts, constants, &mut edit)?;
        let slots = Slots { inserts: &inserts };
        let covers = self.redirect_jumps(&edges.jumps, &slots, constants, &mut edit)?;
        self.place_exceptions(&slots, &covers, constants, &mut edit)?;
        edit.redirects.sort_by_key(|(edge, _)| *edge);
        Ok(edit)
    }

    /// Probes push an id, and a throwable before it.
    fn max_stack(&self) -> Result<u16, RelocateError> {
        let extended = self.code.max_stack.checked_add(2).ok_or(RelocateError::StackTooDeep)?;
        Ok(extended.max(3))
    }

    /// The tries whose first instruction is at `pc`, outermost first.
    fn starting_at(&self, pc: usize) -> Vec<TryRef<'_>> {
        self.tries.iter().filter(|(_, it)| usize::from(it.start()) == pc).copied().collect()
    }

    /// How many of the first `count` tries that start at `pc` have an entry probe.
    fn entry_probes(&self, pc: usize, count: usize) -> usize {
        self.starting_at(pc).iter().take(count).filter(|(index, _)| self.enter_id(*index).is_some()).count()
    }

    fn enter_id(&self, index: usize) -> Option<usize> {
        self.ids.get(&index).and_then(|ids| ids.enter)
    }

    fn exits<'s>(&'s self, left: &'s [usize]) -> impl Iterator<Item = usize> + 's {
        left.iter().filter_map(|index| self.ids.get(index).and_then(|ids| ids.exit))
    }

    fn insert_try_probes(&self, edges: &Edges, inserts: &mut Vec<Insert>) {
        for (order, (index, it)) in self.tries.iter().enumerate() {
            let Some(ids) = self.ids.get(index) else { continue };
            let pc = usize::from(it.start());
            if let Some(id) = ids.enter {
                inserts.push(probe(pc, Rank::TryEntry(order), abi::TRY_ENTER, id));
            }
            for (clause, id) in &ids.caught {
                let handler = usize::from(it.clauses[*clause].handler);
                inserts.push(probe(handler, Rank::Caught, abi::CAUGHT, *id));
            }
        }
        for (pc, left) in &edges.falls {
            inserts.extend(self.exits(left).map(|id| probe(*pc, Rank::FallExit, abi::TRY_EXIT, id)));
        }
        for (pc, left) in &edges.returns {
            inserts.extend(self.exits(left).map(|id| probe(*pc, Rank::InPlace(0), abi::TRY_EXIT, id)));
        }
    }

    fn insert_in_place(&self, inserts: &mut Vec<Insert>) -> Result<(), RelocateError> {
        for (offset, site) in self.sites.iter().enumerate() {
            let id = self.first_site + offset;
            match *site {
                ProbeSite::Throwing { pc, .. } => {
                    inserts.push(probe(usize::from(pc), Rank::InPlace(1), abi::THROWING, id));
                }
                ProbeSite::Call { pc, .. } => {
                    inserts.push(probe(usize::from(pc), Rank::InPlace(1), abi::CALL, id));
                }
                ProbeSite::MethodEnter { .. } => {
                    inserts.push(probe(0, Rank::MethodEntry, abi::METHOD_ENTER, id));
                }
                ProbeSite::MethodExit { .. } => {
                    for insn in self.code.insns() {
                        let insn = insn?;
                        if insn.flow() == Flow::Return {
                            inserts.push(probe(insn.pc, Rank::InPlace(2), abi::METHOD_EXIT, id));
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Normal control that falls into a handler must not look like a caught exception. Where normal control gets to
    /// a handler at all, its frame is that of both ways and need not say `Throwable`; the probe casts then.
    fn insert_bypasses(&self, inserts: &mut Vec<Insert>) -> Result<(), RelocateError> {
        let mut caught: Vec<usize> =
            inserts.iter().filter(|insert| insert.rank == Rank::Caught).map(|insert| insert.pc).collect();
        if caught.is_empty() {
            return Ok(());
        }
        caught.sort_unstable();
        caught.dedup();
        let mut entered = Vec::new();
        for insn in self.code.insns() {
            let insn = insn?;
            if insn.falls_through() && caught.binary_search(&insn.next_pc()).is_ok() {
                inserts.push(Insert { pc: insn.next_pc(), rank: Rank::Bypass, action: Action::BypassCaught });
                entered.push(insn.next_pc());
            }
            entered.extend(insn.targets().filter(|target| caught.binary_search(target).is_ok()));
        }
        for insert in inserts.iter_mut().filter(|it| it.rank == Rank::Caught && entered.contains(&it.pc)) {
            if let Action::Probe { id, .. } = insert.action {
                insert.action = Action::CaughtWithCast { id };
            }
        }
        Ok(())
    }

    fn place_inserts(
        &self,
        inserts: &[Insert],
        constants: &mut ProbeConstants,
        edit: &mut CodeEdit<'a>,
    ) -> Result<(), RelocateError> {
        for row in inserts.chunk_by(|a, b| a.pc == b.pc) {
            let pc = row[0].pc;
            let landing = landing(row);
            if landing > 0 {
                edit.landings.push((pc, landing));
            }
            for insert in row {
                let start = edit.code.len();
                match insert.action {
                    Action::BypassCaught => {
                        edit.pieces.push(Piece::Goto { pc, to: Place::Slot { pc, slot: landing } });
                        continue;
                    }
                    Action::Probe { method, id } => put_probe(method, id, constants, &mut edit.code)?,
                    Action::CaughtWithCast { id } => put_caught_with_cast(id, constants, &mut edit.code)?,
                }
                edit.pieces.push(Piece::Code { pc, start, end: edit.code.len() });
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
            let to = Place::Slot { pc: jump.target, slot };
            let block = EdgeBlock {
                exits: self.exits(&jump.left).collect(),
                enters: jump.entered.iter().filter_map(|index| self.enter_id(*index)).collect(),
                to,
                rows: self.rows_around(jump),
            };
            let place = if block.exits.is_empty() && block.enters.is_empty() {
                to
            } else if let Some((_, index)) = blocks.iter().find(|(it, _)| *it == block) {
                Place::Appended(*index)
            } else {
                let index = self.append_edge_block(jump.target, &block, constants, edit)?;
                covers.push(BlockCover { block: index, rows: block.rows.clone() });
                blocks.push((block, index));
                Place::Appended(index)
            };
            edit.redirects.push(((jump.source, jump.target), place));
        }
        Ok(covers)
    }

    /// The table rows that must protect a block on the way of `jump`: those that protect both its ends. Where it enters
    /// a try, those of that try and around it, so that what the entry probe throws reaches its clauses.
    fn rows_around(&self, jump: &Jump) -> Vec<u16> {
        let entered = self.tries.iter().find(|(index, _)| jump.entered.first() == Some(index));
        let first_row = entered.map(|(_, it)| first_entry(it));
        let holds =
            |row: &ExceptionEntry, pc: usize| (usize::from(row.start)..usize::from(row.end)).contains(&pc);
        let rows = self.entries.iter().zip(0u16..).filter(|(row, index)| {
            holds(row, jump.target) && first_row.map_or(holds(row, jump.source), |first| *index >= first)
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
            Some(frame) => frame.clone(),
            None if !self.frames.exist() => Frame::default(),
            None => return Err(catchment_classfile::ClassError::NotAnInstruction(target).into()),
        };
        let start = edit.code.len();
        for id in &block.exits {
            put_probe(abi::TRY_EXIT, *id, constants, &mut edit.code)?;
        }
        for id in &block.enters {
            put_probe(abi::TRY_ENTER, *id, constants, &mut edit.code)?;
        }
        edit.appended.push(Appended {
            code: start..edit.code.len(),
            end: AppendedEnd::Goto(block.to),
            frame,
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
        let kept =
            self.entries.iter().zip(0u16..).map(|(entry, index)| self.keep(index, *entry, slots)).collect();
        let requests = self.tries.iter().filter_map(|(index, it)| {
            let id = self.ids.get(index)?.escape?;
            let start = self.range_start(usize::from(it.start()), first_entry(it), slots);
            Some(EscapeRequest { id, it, start })
        });
        let requests: Vec<_> = requests.collect();
        let method_escape = self.sites.iter().position(|site| matches!(site, ProbeSite::MethodEscape { .. }));
        let escapes = Escapes {
            class: self.class,
            method: self.method,
            code: &self.code,
            entries: &self.entries,
            frames: &self.frames,
        };
        let method_escape = method_escape.map(|offset| self.first_site + offset);
        escapes.add(kept, &requests, covers, method_escape, constants, edit)
    }

    fn keep(&self, index: u16, entry: ExceptionEntry, slots: &Slots<'_>) -> NewException {
        NewException {
            start: self.range_start(usize::from(entry.start), index, slots),
            handler: Place::Slot {
                pc: usize::from(entry.handler),
                slot: slots.handler(usize::from(entry.handler)),
            },
            ..NewException::keep(index, entry)
        }
    }

    /// Where a range that belongs to table row `entry` starts: behind the entry probes of the tries around it, whose
    /// rows come later, since rows are ordered from the inside out. A row that protects a handler protects its probe
    /// too: a monitor's handler must cover every call made while the monitor is held, or the JIT gives up on the method.
    fn range_start(&self, pc: usize, entry: u16, slots: &Slots<'_>) -> Place {
        let starting = self.starting_at(pc);
        let around = starting.iter().take_while(|(_, it)| first_entry(it) > entry).count();
        let own =
            starting.iter().any(|(_, it)| it.clauses.iter().any(|clause| clause.entries.contains(&entry)));
        let slot = match around {
            0 if !own => slots.handler(pc),
            around => slots.landing(pc) + self.entry_probes(pc, around),
        };
        Place::Slot { pc, slot }
    }
}

/// What stands in a block behind the code.
#[derive(Debug, Clone, PartialEq, Eq)]
struct EdgeBlock {
    exits: Vec<usize>,
    enters: Vec<usize>,
    to: Place,
    /// Indices of the old table rows that protect it.
    rows: Vec<u16>,
}

fn probe(pc: usize, rank: Rank, method: ProbeMethod, id: usize) -> Insert {
    Insert { pc, rank, action: Action::Probe { method, id } }
}

/// The first exception table row of a try's clauses.
fn first_entry(it: &catchment_pairs::TrySite) -> u16 {
    it.clauses.iter().filter_map(|clause| clause.entries.first()).min().copied().unwrap_or(u16::MAX)
}

/// Appends a probe; those that take a throwable copy the one on the stack.
pub(crate) fn put_probe(
    method: ProbeMethod,
    id: usize,
    constants: &mut ProbeConstants,
    out: &mut Vec<u8>,
) -> Result<(), RelocateError> {
    if method.takes_throwable() {
        out.push(opcodes::DUP);
    }
    constants.put_call(method, id, out).ok_or(RelocateError::PoolFull)
}

/// Where ordinary jumps land among the sorted inserts of one instruction.
fn landing(row: &[Insert]) -> usize {
    row.iter().take_while(|insert| insert.rank < Rank::TryEntry(0)).count()
}

/// Only exceptions come here, whatever the frame says, so the cast never fails.
fn put_caught_with_cast(
    id: usize,
    constants: &mut ProbeConstants,
    out: &mut Vec<u8>,
) -> Result<(), RelocateError> {
    let throwable = constants.class(b"java/lang/Throwable").ok_or(RelocateError::PoolFull)?;
    out.extend_from_slice(&[opcodes::DUP, opcodes::CHECKCAST]);
    out.extend_from_slice(&throwable.to_be_bytes());
    constants.put_call(abi::CAUGHT, id, out).ok_or(RelocateError::PoolFull)
}

/// Answers which slot is which among the sorted inserts of each instruction.
struct Slots<'i> {
    inserts: &'i [Insert],
}

impl Slots<'_> {
    fn at(&self, pc: usize) -> &[Insert] {
        let from = self.inserts.partition_point(|insert| insert.pc < pc);
        let to = self.inserts.partition_point(|insert| insert.pc <= pc);
        &self.inserts[from..to]
    }

    /// Where ordinary jumps to `pc` land.
    fn landing(&self, pc: usize) -> usize {
        landing(self.at(pc))
    }

    /// Where exceptions caught by the handler at `pc` arrive.
    fn handler(&self, pc: usize) -> usize {
        let row = self.at(pc);
        row.iter().position(|insert| insert.rank == Rank::Caught).unwrap_or_else(|| self.landing(pc))
    }
}
