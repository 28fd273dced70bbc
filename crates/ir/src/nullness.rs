//! Statements that cannot fail because of a null: cheap, and within one method.
//!
//! Not null are the receiver, what was just made, constants, caught exceptions, and what only those meet in. Besides
//! that a variable is known once it was used as an object or tested, in the blocks that control comes to from there
//! only. The value of a call or field is never known before its first use.

use crate::body::{BlockId, Body, Op, Var};
use catchment_classfile::ConstantPool;

/// A tag of constants whose bootstrap method may give null.
const DYNAMIC: u8 = 17;

/// A set of statements, by their places in [`Body::statements`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementSet {
    words: Vec<u64>,
}

impl StatementSet {
    fn insert(&mut self, statement: usize) {
        if let Some(word) = self.words.get_mut(statement / 64) {
            *word |= 1 << (statement % 64);
        }
    }

    pub fn contains(&self, statement: usize) -> bool {
        self.words.get(statement / 64).is_some_and(|word| word & (1 << (statement % 64)) != 0)
    }
}

/// The statements that use a variable as an object ([`Op::dereferenced`]) which certainly is one. `pool` is that of the
/// method's class.
pub fn never_null(body: &Body, pool: &ConstantPool<'_>, is_static: bool) -> StatementSet {
    let mut search = Search {
        body,
        known: always_known(body, pool, is_static),
        log: Vec::new(),
        only_before: only_predecessors(body),
        found: StatementSet { words: vec![0; body.statements.len().div_ceil(64)] },
    };
    for root in 0..body.blocks.len() {
        if search.only_before[root] == NOTHING {
            search.tree(root);
        }
    }
    search.found
}

const NOTHING: u32 = u32::MAX;
const SEVERAL: u32 = u32::MAX - 1;

/// For each block the one from which alone control comes to it, [`NOTHING`] if there is no such.
fn only_predecessors(body: &Body) -> Vec<u32> {
    let mut only = vec![NOTHING; body.blocks.len()];
    // The method begins in the first, whatever else comes there; exceptions come from anywhere inside a block.
    let entered = body.handlers.iter().filter_map(|handler| handler.block).chain([BlockId(0)]);
    for BlockId(block) in entered {
        only[block as usize] = SEVERAL;
    }
    for (from, block) in (0..).zip(&body.blocks) {
        for BlockId(to) in &block.successors {
            let known = &mut only[*to as usize];
            *known = if *known == NOTHING { from } else { SEVERAL };
        }
    }
    only.iter_mut().filter(|it| **it == SEVERAL).for_each(|it| *it = NOTHING);
    only
}

/// By variable: never null, wherever it is.
fn always_known(body: &Body, pool: &ConstantPool<'_>, is_static: bool) -> Vec<bool> {
    let mut known = vec![false; body.variables as usize];
    if let (false, Some(Some(receiver))) = (is_static, body.parameters.first()) {
        known[receiver.0 as usize] = true;
    }
    let mut depending = Vec::new();
    for statement in &body.statements {
        match statement.op {
            Op::New { dst, .. } | Op::NewArray { dst, .. } | Op::Catch { dst } => {
                known[dst.0 as usize] = true;
            }
            Op::Constant { dst, constant } => known[dst.0 as usize] = pool.tag(constant) != Some(DYNAMIC),
            // Taken for granted until one of the sources says otherwise.
            Op::Phi { dst, .. } | Op::Cast { dst, .. } => {
                known[dst.0 as usize] = true;
                depending.push(statement.op);
            }
            _ => {}
        }
    }
    loop {
        let before = depending.len();
        depending.retain(|op| {
            let mut is_known = true;
            body.for_each_use(op, |source| is_known &= known[source.0 as usize]);
            if let (false, Some(dst)) = (is_known, op.dst()) {
                known[dst.0 as usize] = false;
            }
            is_known
        });
        if depending.len() == before {
            return known;
        }
    }
}

struct Search<'b> {
    body: &'b Body,
    /// By variable: not null where the search is.
    known: Vec<bool>,
    /// Variables that became known on the way, to be forgotten on the way back.
    log: Vec<Var>,
    only_before: Vec<u32>,
    found: StatementSet,
}

impl Search<'_> {
    /// Goes through the blocks that control comes to from `root` only.
    fn tree(&mut self, root: usize) {
        // Blocks with how much was known before them and which of their successors is next.
        let mut path = vec![(root, self.log.len(), 0)];
        self.block(root);
        while let Some((block, before, next)) = path.last_mut() {
            let (block, before) = (*block, *before);
            let successor = self.body.blocks[block].successors.get(*next).map(|it| it.0 as usize);
            *next += 1;
            match successor {
                Some(successor) if self.only_before[successor] as usize == block => {
                    path.push((successor, self.log.len(), 0));
                    self.edge(block, successor);
                    self.block(successor);
                }
                Some(_) => {}
                None => {
                    for forgotten in self.log.drain(before..) {
                        self.known[forgotten.0 as usize] = false;
                    }
                    path.pop();
                }
            }
        }
    }

    /// Variables that a test makes known on the way to one of its blocks.
    fn edge(&mut self, from: usize, to: usize) {
        let last = self.body.statements_of(&self.body.blocks[from]).last().map(|it| it.op);
        if let Some(Op::NullTest { src, if_null, otherwise }) = last
            && otherwise.0 as usize == to
            && if_null != otherwise
        {
            self.learn(src);
        }
    }

    fn block(&mut self, block: usize) {
        for statement in self.body.blocks[block].statements.clone() {
            let op = self.body.statements[statement as usize].op;
            if let Some(object) = op.dereferenced() {
                if self.known[object.0 as usize] {
                    self.found.insert(statement as usize);
                } else {
                    self.learn(object);
                }
            }
            if let Op::Cast { dst, src, .. } = op
                && self.known[src.0 as usize]
            {
                self.learn(dst);
            }
        }
    }

    fn learn(&mut self, variable: Var) {
        if !std::mem::replace(&mut self.known[variable.0 as usize], true) {
            self.log.push(variable);
        }
    }
}
