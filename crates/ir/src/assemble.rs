//! Puts the statements in the order of the code, phis in front, and numbers the variables that are left.

use crate::blocks::{NONE, small};
use crate::body::{Block, BlockId, Body, Handler, HandlerId, Op, Operands, Stmt, Var};
use crate::error::{Failure, Fault};
use crate::fill::Fill;
use crate::graph::Graph;
use crate::phis::Phis;
use crate::scan::Scan;
use crate::values::{UNUSABLE, Values};
use catchment_classfile::ExceptionRow;

/// The memory is used again for the next method.
#[derive(Debug, Default)]
pub(crate) struct Assemble {
    /// The final number of each variable.
    numbers: Vec<u32>,
    next: u32,
    is_missing: bool,
}

/// All that is known of a method by now.
pub(crate) struct Parts<'t> {
    pub(crate) scan: &'t Scan,
    pub(crate) graph: &'t Graph,
    pub(crate) fill: &'t Fill,
    pub(crate) phis: &'t Phis,
    pub(crate) values: &'t Values,
}

impl Assemble {
    pub(crate) fn run(&mut self, parts: &Parts<'_>, parameters: Vec<Option<Var>>) -> Result<Body, Failure> {
        let mut body = Body {
            parameters,
            operands: parts.fill.output.operands.clone(),
            statements: Vec::with_capacity(parts.fill.output.statements.len() + parts.phis.kept.len()),
            blocks: Vec::with_capacity(parts.graph.nodes.len()),
            handlers: parts.scan.rows.iter().map(|row| handler(row, parts.graph)).collect(),
            variables: parts.values.variables,
        };
        let mut phis = parts.phis.kept.iter().peekable();
        for (id, written) in (0..).zip(&parts.fill.written) {
            let first = small(body.statements.len());
            while let Some((_, phi)) = phis.next_if(|(block, _)| *block == id) {
                add_phi(&mut body, parts, id, *phi)?;
            }
            let written = written.start as usize..written.end as usize;
            body.statements.extend_from_slice(&parts.fill.output.statements[written]);
            let range = first..small(body.statements.len());
            body.blocks.push(block(parts.graph, id, range));
        }
        // Without phis every variable is already what it will be.
        if !parts.values.phis.is_empty() {
            self.number(&mut body, parts)?;
        }
        Ok(body)
    }

    /// Replaces phis that are not there by what stands for them, and leaves no number out.
    fn number(&mut self, body: &mut Body, parts: &Parts<'_>) -> Result<(), Failure> {
        self.numbers.clear();
        self.numbers.resize(parts.values.variables as usize, NONE);
        self.next = 0;
        self.is_missing = false;
        body.parameters.iter_mut().flatten().for_each(|it| self.change(it, parts.phis));
        let Body { statements, operands, .. } = body;
        for statement in statements {
            statement.op.change_variables(|it| self.change(it, parts.phis));
            let list = statement.op.operands().unwrap_or_default();
            let list = list.start as usize..list.start as usize + usize::from(list.len);
            operands[list].iter_mut().flatten().for_each(|it| self.change(it, parts.phis));
            if self.is_missing {
                return Err(Failure::at(usize::from(statement.pc), Fault::NotAReference));
            }
        }
        body.variables = self.next;
        Ok(())
    }

    #[inline]
    fn change(&mut self, variable: &mut Var, phis: &Phis) {
        match self.numbers.get_mut(phis.stand_in(variable.0) as usize) {
            Some(number) => {
                if *number == NONE {
                    *number = self.next;
                    self.next += 1;
                }
                variable.0 = *number;
            }
            // Every way here brings something else than a reference.
            None => self.is_missing = true,
        }
    }
}

fn add_phi(body: &mut Body, parts: &Parts<'_>, block: u32, phi: u32) -> Result<(), Failure> {
    let pc = pc_of(parts.graph, block);
    let start = body.operands.len();
    let own = parts.values.phis[phi as usize].variable;
    for source in parts.phis.sources(phi) {
        let source = parts.phis.stand_in(*source);
        let is_new = !body.operands[start..].contains(&Some(Var(source)));
        if source != own && source != UNUSABLE && is_new {
            body.operands.push(Some(Var(source)));
        }
    }
    let len = u16::try_from(body.operands.len() - start);
    let len = len.map_err(|_| Failure::at(usize::from(pc), Fault::TooLarge))?;
    let sources = Operands { start: small(start), len };
    body.statements.push(Stmt { pc, op: Op::Phi { dst: Var(own), sources } });
    Ok(())
}

fn block(graph: &Graph, id: u32, statements: std::ops::Range<u32>) -> Block {
    Block {
        statements,
        successors: graph.successors(id).iter().copied().map(BlockId).collect(),
        handlers: graph.rows(id).iter().copied().map(HandlerId).collect(),
    }
}

fn handler(row: &ExceptionRow, graph: &Graph) -> Handler {
    Handler {
        catch_type: Some(row.catch_type).filter(|it| *it != 0),
        start: row.start,
        end: row.end,
        target: row.handler,
        block: graph.catch_at(row.handler).map(BlockId),
    }
}

fn pc_of(graph: &Graph, block: u32) -> u16 {
    // Code has at most 65,535 bytes.
    graph.nodes.get(block as usize).map_or(0, |it| u16::try_from(it.start).unwrap_or(u16::MAX))
}
