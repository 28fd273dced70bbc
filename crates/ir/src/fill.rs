//! Goes through the blocks once, in reverse postorder, and writes their statements.
//!
//! A block is entered with the stack of a block before it that was already looked at; there always is one. Where
//! several come together every reference on the stack becomes a phi, unless all are known to agree.

use crate::Var;
use crate::blocks::{NONE, small};
use crate::body::{Op, Stmt};
use crate::descriptor::Shape;
use crate::error::{Failure, Fault};
use crate::graph::Graph;
use crate::scan::{Scan, THROWS};
use crate::stack::Stack;
use crate::step::{Output, Step};
use crate::values::{Cell, UNUSABLE, Values};
use catchment_classfile::{Code, ConstantPool, Insn};
use std::ops::Range;

/// The memory is used again for the next method.
#[derive(Debug, Default)]
pub(crate) struct Fill {
    pub(crate) output: Output,
    /// Of each block, in the statements of the output.
    pub(crate) written: Vec<Range<u32>>,
    stack: Stack,
    /// The stacks that blocks end with, behind each other.
    left: Vec<u32>,
    left_by: Vec<Option<Range<u32>>>,
    /// The height of the stack at the start of each block; none so far.
    heights: Vec<u32>,
    shapes: Vec<Shape>,
}

/// Inputs of filling blocks, which do not change.
pub(crate) struct Method<'t, 'a> {
    pub(crate) code: &'t Code<'a>,
    pub(crate) pool: &'t ConstantPool<'a>,
    pub(crate) scan: &'t Scan,
    pub(crate) graph: &'t Graph,
}

impl Fill {
    pub(crate) fn run(&mut self, method: &Method<'_, '_>, values: &mut Values) -> Result<(), Failure> {
        let blocks = method.graph.nodes.len();
        self.output.statements.clear();
        self.output.operands.clear();
        self.written.clear();
        self.written.resize(blocks, 0..0);
        self.left.clear();
        self.left_by.clear();
        self.left_by.resize(blocks, None);
        self.heights.clear();
        self.heights.resize(blocks, NONE);
        self.heights[0] = 0;
        self.stack.limit = usize::from(method.code.max_stack);
        for block in &method.graph.order {
            let first = small(self.output.statements.len());
            self.enter(*block, method.graph, values)
                .map_err(|fault| Failure::at(self.pc(*block, method), fault))?;
            self.block(*block, method, values)?;
            self.leave(*block, method)?;
            self.written[*block as usize] = first..small(self.output.statements.len());
        }
        Ok(())
    }

    /// The content of a slot of the stack at the end of a block.
    pub(crate) fn left_at(&self, block: u32, slot: u32) -> u32 {
        let range = self.left_by.get(block as usize).cloned().flatten().unwrap_or_default();
        let left = self.left.get(range.start as usize..range.end as usize).unwrap_or_default();
        left.get(slot as usize).copied().unwrap_or(UNUSABLE)
    }

    fn pc(&self, block: u32, method: &Method<'_, '_>) -> usize {
        method.graph.nodes.get(block as usize).map_or(0, |it| it.start as usize)
    }

    fn enter(&mut self, block: u32, graph: &Graph, values: &mut Values) -> Result<(), Fault> {
        self.stack.slots.clear();
        if graph.is_catch(block) {
            let dst = values.new_variable();
            let pc = graph.nodes.get(block as usize).map_or(0, |it| it.start);
            let pc = u16::try_from(pc).unwrap_or(u16::MAX);
            self.output.statements.push(Stmt { pc, op: Op::Catch { dst: Var(dst) } });
            return self.stack.push(dst);
        }
        if matches!(self.heights[block as usize], 0 | NONE) {
            return Ok(());
        }
        let predecessors = graph.predecessors(block);
        let seen = predecessors.iter().find_map(|it| self.left_by[*it as usize].clone());
        let seen = seen.unwrap_or_default();
        self.stack.slots.extend_from_slice(&self.left[seen.start as usize..seen.end as usize]);
        if predecessors.len() > 1 {
            self.meet(block, predecessors, values);
        }
        Ok(())
    }

    /// Replaces the references on the stack by phis.
    fn meet(&mut self, block: u32, predecessors: &[u32], values: &mut Values) {
        for slot in 0..self.stack.slots.len() {
            let value = self.stack.slots[slot];
            let depth = small(slot);
            let agrees = |it: &u32| self.left_by[*it as usize].is_some() && self.left_at(*it, depth) == value;
            if value != UNUSABLE && !predecessors.iter().all(agrees) {
                self.stack.slots[slot] = values.new_phi(block, Cell::Stack(depth));
            }
        }
    }

    fn block(&mut self, block: u32, method: &Method<'_, '_>, values: &mut Values) -> Result<(), Failure> {
        let Some(node) = method.graph.nodes.get(block as usize) else { return Ok(()) };
        let is_guarded = method.graph.is_guarded(block);
        let Method { pool, graph, .. } = *method;
        let (stack, output, shapes) = (&mut self.stack, &mut self.output, &mut self.shapes);
        let mut step = Step { pool, graph, values, stack, output, shapes, block, before: None };
        let mut pc = node.start as usize;
        while pc < node.end as usize {
            let insn = Insn::at(method.code.bytes, pc).map_err(|error| Failure::at(pc, error))?;
            if is_guarded && method.scan.flags[pc] & THROWS != 0 {
                step.values.throws(block);
            }
            step.instruction(&insn).map_err(|fault| Failure::at(pc, fault))?;
            pc = insn.next_pc();
            step.before = Some(insn);
        }
        step.values.end_block();
        Ok(())
    }

    fn leave(&mut self, block: u32, method: &Method<'_, '_>) -> Result<(), Failure> {
        let height = small(self.stack.slots.len());
        for next in method.graph.successors(block) {
            let known = &mut self.heights[*next as usize];
            if *known == NONE {
                *known = height;
            } else if *known != height {
                return Err(Failure::at(self.pc(*next, method), Fault::Heights));
            }
        }
        let start = small(self.left.len());
        self.left.extend_from_slice(&self.stack.slots);
        self.left_by[block as usize] = Some(start..small(self.left.len()));
        Ok(())
    }
}
