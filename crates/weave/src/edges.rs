//! Edges at which control enters and leaves tries, exceptions aside (`docs/semantics.md`, section 2).
//!
//! A try is entered when control comes to its first instruction from outside its ranges. It is left when control
//! goes from inside its ranges to outside, by falling, jumping or returning. The gaps between the ranges of one
//! try are outside, but for code that parks a coroutine.
//!
//! Two habits of compilers need care. ecj jumps past the first instruction where that is itself a jump: such a jump
//! from elsewhere into the middle of a try enters it. Groovy protects the instructions behind a gap once more: control
//! that comes back from a gap belongs to a usage that has ended, and neither enters nor leaves anything.

use catchment_classfile::{ClassError, ControlKind, ExceptionRow, Insn, Landmark, MethodCode};
use catchment_pairs::CompiledTry;
use smallvec::SmallVec;

/// Normal edges of one method that enter or leave tries. Tries are named by their index in the method.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    /// (pc, try left by falling into the instruction at pc), for each pc the innermost first.
    pub(crate) falls: SmallVec<[(usize, usize); 4]>,
    /// (pc of a return instruction, try left by it), for each the innermost first.
    pub(crate) returns: SmallVec<[(usize, usize); 4]>,
    /// Jumps that mean something to some try.
    pub(crate) jumps: Vec<Jump>,
}

/// A jump out of tries, into the middle of tries, or back to the first instruction of the tries it lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Jump {
    pub(crate) source: usize,
    pub(crate) target: usize,
    /// Innermost first.
    pub(crate) left: SmallVec<[usize; 2]>,
    /// Outermost first; not those whose first instruction is the target.
    pub(crate) entered: SmallVec<[usize; 2]>,
    /// Number of the tries that start at the target and, outermost first, the source lies in: for them the jump is a
    /// loop in the body and enters nothing.
    pub(crate) inside: usize,
}

/// Follows every edge of the method.
pub(crate) fn edges_of(
    source: &MethodCode<'_, '_>,
    rows: &[ExceptionRow],
    tries: &[CompiledTry],
) -> Result<Edges, ClassError> {
    let mut edges = Edges { jumps: jumps_of(source, tries)?, ..Edges::default() };
    let active = Active::of(source.code.bytes, rows, tries, &edges.jumps)?;
    let outline = source.outline;
    // A try is left by falling only where one of its ranges ends.
    for to in ends(tries) {
        if let Some(from) = outline.start_before(to).filter(|from| outline.falls_through(*from)) {
            edges.falls.extend(left_by(tries, &active, from, Some(to)).map(|it| (to, it)));
        }
    }
    for landmark in outline.calls_and_exits().iter().filter(|it| it.control == ControlKind::Return) {
        let pc = landmark.pc();
        edges.returns.extend(left_by(tries, &active, pc, None).map(|it| (pc, it)));
    }
    for jump in &mut edges.jumps {
        jump.left.retain(|index| active.holds(*index, jump.source));
    }
    edges.jumps.retain(Jump::means_something);
    Ok(edges)
}

/// Pcs at which ranges and suspensions end, each once.
fn ends(tries: &[CompiledTry]) -> SmallVec<[usize; 8]> {
    let ranges = tries.iter().flat_map(|it| it.ranges.iter().chain(&it.suspensions));
    let mut ends: SmallVec<[usize; 8]> = ranges.map(|range| usize::from(range.end)).collect();
    ends.sort_unstable();
    ends.dedup();
    ends
}

fn jumps_of(source: &MethodCode<'_, '_>, tries: &[CompiledTry]) -> Result<Vec<Jump>, ClassError> {
    let mut jumps = Vec::new();
    let mut targets = SmallVec::<[usize; 8]>::new();
    for landmark in source.outline.jumps() {
        targets.clear();
        targets.extend(landmark.insn(source.code.bytes)?.targets());
        targets.sort_unstable();
        targets.dedup();
        let edges = targets.iter().map(|target| jump(landmark, *target, tries));
        jumps.extend(edges.filter(Jump::means_something));
    }
    Ok(jumps)
}

fn jump(landmark: &Landmark, target: usize, tries: &[CompiledTry]) -> Jump {
    let source = landmark.pc();
    // A subroutine comes back, so calling one leaves nothing.
    let leaves = |it: &CompiledTry| {
        landmark.control != ControlKind::Subroutine && it.holds(source) && !it.holds(target)
    };
    let starting = tries.iter().filter(|it| usize::from(it.start()) == target);
    let mut jump = Jump {
        source,
        target,
        left: SmallVec::new(),
        entered: SmallVec::new(),
        inside: starting.take_while(|it| it.holds(source)).count(),
    };
    jump.left.extend((0..tries.len()).rev().filter(|index| leaves(&tries[*index])));
    jump.entered.extend((0..tries.len()).filter(|index| enters_middle(&tries[*index], source, target)));
    jump
}

impl Jump {
    fn means_something(&self) -> bool {
        !self.left.is_empty() || !self.entered.is_empty() || self.inside > 0
    }
}

/// A coroutine that resumes comes to the middle of its tries too, but there the usage goes on.
fn enters_middle(it: &CompiledTry, source: usize, target: usize) -> bool {
    let first = usize::from(it.start());
    let end = it.ranges.last().map_or(0, |range| usize::from(range.end));
    let in_own_gap = (first..end).contains(&source);
    it.suspensions.is_empty() && it.holds(target) && target != first && !it.holds(source) && !in_own_gap
}

/// The tries that the instruction at `from` leaves by going to `to`, or by returning; innermost first.
fn left_by(
    tries: &[CompiledTry],
    active: &Active,
    from: usize,
    to: Option<usize>,
) -> impl Iterator<Item = usize> {
    let left = tries.iter().enumerate().rev().filter(move |(index, it)| match to {
        _ if !it.holds(from) || !active.holds(*index, from) => false,
        Some(to) => !it.holds(to),
        None => !it.suspends_at(from),
    });
    left.map(|(index, _)| index)
}

/// For tries with gaps, the instructions that a running usage can be at.
struct Active {
    /// (try, pcs), for those tries where it matters.
    tries: Vec<(usize, Pcs)>,
}

impl Active {
    fn of(
        code: &[u8],
        rows: &[ExceptionRow],
        tries: &[CompiledTry],
        jumps: &[Jump],
    ) -> Result<Self, ClassError> {
        let with_gaps =
            tries.iter().enumerate().filter(|(_, it)| it.ranges.len() > 1 && it.suspensions.is_empty());
        let tries = with_gaps.map(|(index, it)| {
            let middles = jumps.iter().filter(|jump| jump.entered.contains(&index)).map(|jump| jump.target);
            let from = std::iter::once(usize::from(it.start())).chain(middles).collect();
            Ok((index, reach(code, rows, it, from)?))
        });
        Ok(Self { tries: tries.collect::<Result<_, ClassError>>()? })
    }

    /// True if a usage of the try can be running at `pc`, which lies inside it.
    fn holds(&self, index: usize, pc: usize) -> bool {
        self.tries.iter().find(|(it, _)| *it == index).is_none_or(|(_, pcs)| pcs.contains(pc))
    }
}

/// A set of pcs, one bit each.
#[derive(Debug, Default)]
struct Pcs(Vec<u64>);

impl Pcs {
    fn contains(&self, pc: usize) -> bool {
        self.0.get(pc / 64).is_some_and(|word| word >> (pc % 64) & 1 == 1)
    }

    /// False if it was there already.
    fn insert(&mut self, pc: usize) -> bool {
        let is_new = !self.contains(pc);
        if pc / 64 >= self.0.len() {
            self.0.resize(pc / 64 + 1, 0);
        }
        self.0[pc / 64] |= 1 << (pc % 64);
        is_new
    }
}

/// Follows control inside the try, through the handlers of inner tries too.
fn reach(
    code: &[u8],
    rows: &[ExceptionRow],
    it: &CompiledTry,
    mut work: Vec<usize>,
) -> Result<Pcs, ClassError> {
    let mut seen = Pcs::default();
    // Nearly all handlers lie outside, and each needs to be entered only once.
    let mut inner: Vec<_> = rows.iter().filter(|row| it.holds(usize::from(row.handler))).collect();
    while let Some(pc) = work.pop() {
        if !it.holds(pc) || !seen.insert(pc) {
            continue;
        }
        let insn = Insn::at(code, pc)?;
        work.extend(insn.targets());
        if insn.falls_through() {
            work.push(insn.next_pc());
        }
        inner.retain(|row| {
            let enters = (usize::from(row.start)..usize::from(row.end)).contains(&pc);
            work.extend(enters.then_some(usize::from(row.handler)));
            !enters
        });
    }
    Ok(seen)
}
