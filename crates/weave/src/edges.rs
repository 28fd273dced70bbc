//! Where control enters and leaves tries, exceptions aside (semantics: section 2, usages).
//!
//! A try is entered when control comes to its first instruction from outside its ranges. It is left when control
//! goes from inside its ranges to outside, by falling, jumping or returning. The gaps between the ranges of one
//! try are outside, but for code that parks a coroutine.
//!
//! Two habits of compilers need care. ecj jumps past the first instruction where that is itself a jump: such a jump
//! from elsewhere into the middle of a try enters it. Groovy protects the instructions behind a gap once more: control
//! that comes back from a gap belongs to a usage that has ended, and neither enters nor leaves anything.

use catchment_classfile::{ClassError, Code, ExceptionEntry, Flow, Insn};
use catchment_pairs::TrySite;
use rustc_hash::FxHashSet;

/// A try of the method at hand: its index in the class and where it is.
pub(crate) type TryRef<'p> = (usize, &'p TrySite);

/// What happens to tries of one method on its normal edges.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    /// (pc, tries left by falling into the instruction at pc).
    pub(crate) falls: Vec<(usize, Vec<usize>)>,
    /// (pc of a return instruction, tries left by it).
    pub(crate) returns: Vec<(usize, Vec<usize>)>,
    /// Jumps that mean something to some try.
    pub(crate) jumps: Vec<Jump>,
}

/// A jump out of tries, into the middle of tries, or back to the first instruction of the tries it lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Jump {
    pub(crate) source: usize,
    pub(crate) target: usize,
    /// Innermost first.
    pub(crate) left: Vec<usize>,
    /// Outermost first; not those whose first instruction is the target.
    pub(crate) entered: Vec<usize>,
    /// How many of the tries that start at the target, outermost first, the source lies in: for them the jump is a
    /// loop in the body and enters nothing.
    pub(crate) inside: usize,
}

/// Follows every edge of the method. `starts` gives the tries that start at a pc, outermost first.
pub(crate) fn edges_of<'p>(
    code: &Code<'_>,
    entries: &[ExceptionEntry],
    tries: &[TryRef<'p>],
    starts: &dyn Fn(usize) -> Vec<TryRef<'p>>,
) -> Result<Edges, ClassError> {
    let mut jumps = Vec::new();
    for insn in code.insns() {
        add_jumps(&insn?, tries, starts, &mut jumps);
    }
    let active = Active::of(code, entries, tries, &jumps)?;
    let mut edges = Edges { jumps, ..Edges::default() };
    for insn in code.insns() {
        let insn = insn?;
        let left = |to| left_by(tries, &active, insn.pc, to);
        if insn.falls_through() {
            push_if_any(&mut edges.falls, insn.next_pc(), left(Some(insn.next_pc())));
        }
        if insn.flow() == Flow::Return {
            push_if_any(&mut edges.returns, insn.pc, left(None));
        }
    }
    for jump in &mut edges.jumps {
        jump.left.retain(|index| active.holds(*index, jump.source));
    }
    edges.jumps.retain(|jump| !jump.left.is_empty() || !jump.entered.is_empty() || jump.inside > 0);
    Ok(edges)
}

fn add_jumps<'p>(
    insn: &Insn<'_>,
    tries: &[TryRef<'p>],
    starts: &dyn Fn(usize) -> Vec<TryRef<'p>>,
    jumps: &mut Vec<Jump>,
) {
    let source = insn.pc;
    // A subroutine comes back, so calling one leaves nothing.
    let subroutine = matches!(insn.flow(), Flow::Subroutine(_));
    let mut targets: Vec<usize> = insn.targets().collect();
    targets.sort_unstable();
    targets.dedup();
    for target in targets {
        let inside = starts(target).iter().take_while(|(_, it)| it.holds(source)).count();
        let left = tries.iter().rev().filter(|(_, it)| !subroutine && it.holds(source) && !it.holds(target));
        let entered = tries.iter().filter(|(_, it)| enters_middle(it, source, target));
        let jump = Jump {
            source,
            target,
            left: left.map(|(index, _)| *index).collect(),
            entered: entered.map(|(index, _)| *index).collect(),
            inside,
        };
        if !jump.left.is_empty() || !jump.entered.is_empty() || inside > 0 {
            jumps.push(jump);
        }
    }
}

/// A coroutine that resumes comes to the middle of its tries too, but there the usage goes on.
fn enters_middle(it: &TrySite, source: usize, target: usize) -> bool {
    let first = usize::from(it.start());
    let end = it.ranges.last().map_or(0, |range| usize::from(range.end));
    let in_own_gap = (first..end).contains(&source);
    it.suspensions.is_empty() && it.holds(target) && target != first && !it.holds(source) && !in_own_gap
}

/// The tries that the instruction at `from` leaves by going to `to`, or by returning; innermost first.
fn left_by(tries: &[TryRef<'_>], active: &Active, from: usize, to: Option<usize>) -> Vec<usize> {
    let left = tries.iter().rev().filter(|(index, it)| match to {
        _ if !it.holds(from) || !active.holds(*index, from) => false,
        Some(to) => !it.holds(to),
        None => !it.suspends_at(from),
    });
    left.map(|(index, _)| *index).collect()
}

fn push_if_any(list: &mut Vec<(usize, Vec<usize>)>, pc: usize, left: Vec<usize>) {
    if !left.is_empty() {
        list.push((pc, left));
    }
}

/// For tries with gaps, the instructions that a running usage can be at.
struct Active {
    /// (try, pcs), for those tries where it matters.
    tries: Vec<(usize, FxHashSet<usize>)>,
}

impl Active {
    fn of(
        code: &Code<'_>,
        entries: &[ExceptionEntry],
        tries: &[TryRef<'_>],
        jumps: &[Jump],
    ) -> Result<Self, ClassError> {
        let with_gaps = tries.iter().filter(|(_, it)| it.ranges.len() > 1 && it.suspensions.is_empty());
        let tries = with_gaps.map(|(index, it)| {
            let middles = jumps.iter().filter(|jump| jump.entered.contains(index)).map(|jump| jump.target);
            let from = std::iter::once(usize::from(it.start())).chain(middles).collect();
            Ok((*index, reach(code, entries, it, from)?))
        });
        Ok(Self { tries: tries.collect::<Result<_, ClassError>>()? })
    }

    /// Whether a usage of the try can be running at `pc`, which lies inside it.
    fn holds(&self, index: usize, pc: usize) -> bool {
        self.tries.iter().find(|(it, _)| *it == index).is_none_or(|(_, pcs)| pcs.contains(&pc))
    }
}

/// Follows control inside the try, through the handlers of inner tries too.
fn reach(
    code: &Code<'_>,
    entries: &[ExceptionEntry],
    it: &TrySite,
    mut work: Vec<usize>,
) -> Result<FxHashSet<usize>, ClassError> {
    let mut seen = FxHashSet::default();
    while let Some(pc) = work.pop() {
        if !it.holds(pc) || !seen.insert(pc) {
            continue;
        }
        let insn = Insn::at(code.bytes, pc)?;
        work.extend(insn.targets());
        if insn.falls_through() {
            work.push(insn.next_pc());
        }
        let rows = entries.iter().filter(|row| (usize::from(row.start)..usize::from(row.end)).contains(&pc));
        work.extend(rows.map(|row| usize::from(row.handler)));
    }
    Ok(seen)
}
