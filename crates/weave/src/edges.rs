//! Where control enters and leaves tries, exceptions aside (semantics: section 2, usages).
//!
//! A try is entered when control comes to its first instruction from outside its ranges. It is left when control
//! goes from inside its ranges to outside, by falling, jumping or returning. The gaps between the ranges of one
//! try are outside, but for code that parks a coroutine.

use catchment_classfile::{ClassError, Code, Flow, Insn};
use catchment_pairs::TrySite;

/// A try of the method at hand: its index in the class and where it is.
pub(crate) type TryRef<'p> = (usize, &'p TrySite);

/// What happens to tries of one method on its normal edges.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    /// (pc, tries left by falling into the instruction at pc).
    pub(crate) falls: Vec<(usize, Vec<usize>)>,
    /// Jumps that leave tries.
    pub(crate) jumps: Vec<ExitJump>,
    /// (pc of a return instruction, tries left by it).
    pub(crate) returns: Vec<(usize, Vec<usize>)>,
    /// Jumps from inside a try back to its first instruction: loops in the body, no entries.
    pub(crate) loops: Vec<LoopJump>,
}

/// A jump out of one or more tries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExitJump {
    pub(crate) source: usize,
    pub(crate) target: usize,
    pub(crate) left: Vec<usize>,
}

/// A jump to the first instruction of tries that the jump itself lies in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoopJump {
    pub(crate) source: usize,
    pub(crate) target: usize,
    /// How many of the tries that start at the target, outermost first, the source lies in.
    pub(crate) inside: usize,
}

/// Follows every edge of the method. `starts` gives the tries that start at a pc, outermost first.
pub(crate) fn edges_of<'p>(
    code: &Code<'_>,
    tries: &[TryRef<'p>],
    starts: &dyn Fn(usize) -> Vec<TryRef<'p>>,
) -> Result<Edges, ClassError> {
    let mut edges = Edges::default();
    for insn in code.insns() {
        let insn = insn?;
        add_jumps(&insn, tries, starts, &mut edges);
        if !tries.iter().any(|(_, it)| it.holds(insn.pc)) {
            continue;
        }
        if insn.falls_through() {
            let left = left_by(tries, insn.pc, insn.next_pc());
            push_if_any(&mut edges.falls, insn.next_pc(), left);
        }
        if insn.flow() == Flow::Return {
            let left = tries.iter().rev().filter(|(_, it)| it.holds(insn.pc) && !it.suspends_at(insn.pc));
            push_if_any(&mut edges.returns, insn.pc, left.map(|(index, _)| *index).collect());
        }
    }
    Ok(edges)
}

fn add_jumps<'p>(
    insn: &Insn<'_>,
    tries: &[TryRef<'p>],
    starts: &dyn Fn(usize) -> Vec<TryRef<'p>>,
    edges: &mut Edges,
) {
    let subroutine = matches!(insn.flow(), Flow::Subroutine(_));
    let mut targets: Vec<usize> = insn.targets().collect();
    targets.sort_unstable();
    targets.dedup();
    for target in targets {
        let inside = starts(target).iter().take_while(|(_, it)| it.holds(insn.pc)).count();
        if inside > 0 {
            edges.loops.push(LoopJump { source: insn.pc, target, inside });
        }
        // A subroutine comes back, so calling one leaves nothing.
        let left = if subroutine { Vec::new() } else { left_by(tries, insn.pc, target) };
        if !left.is_empty() {
            edges.jumps.push(ExitJump { source: insn.pc, target, left });
        }
    }
}

/// The tries that hold `from` but not `to`, innermost first.
fn left_by(tries: &[TryRef<'_>], from: usize, to: usize) -> Vec<usize> {
    let left = tries.iter().rev().filter(|(_, it)| it.holds(from) && !it.holds(to));
    left.map(|(index, _)| *index).collect()
}

fn push_if_any(list: &mut Vec<(usize, Vec<usize>)>, pc: usize, left: Vec<usize>) {
    if !left.is_empty() {
        list.push((pc, left));
    }
}
