//! Handlers of a method: clauses, and compiler-made ones with the throws that pass on what they catch.
//!
//! A `finally`, a `synchronized` or a try-with-resources catches everything and throws it on: the same exception,
//! raised where it was raised before. A `throw` in a clause that somebody wrote is a raising point of its own, even of
//! the same object.

use catchment_classfile::{ClassFile, ExceptionRow};
use catchment_ir::{Body, Op, PoolIndex, Translator, Var};
use catchment_pairs::{ClassPairs, pairs_of};
use rustc_hash::{FxHashMap, FxHashSet};

/// The handlers of one class.
#[derive(Debug)]
pub struct ClassHandlers {
    pub pairs: ClassPairs,
    /// The pair of a handler, by the method's position and the handler's pc.
    by_handler: FxHashMap<(u16, u16), usize>,
}

impl ClassHandlers {
    pub fn of(class: &ClassFile<'_>) -> Self {
        let pairs = pairs_of(class);
        let mut by_handler = FxHashMap::default();
        for (index, site) in pairs.tries.iter().enumerate() {
            for (clause, at) in site.clauses.iter().enumerate() {
                let method = u16::try_from(site.method).unwrap_or(u16::MAX);
                by_handler.insert((method, at.handler), pairs.pair_of(index, clause));
            }
        }
        Self { pairs, by_handler }
    }

    /// Position of the pair that a handler belongs to; nothing if nobody wrote it.
    pub fn pair_at(&self, method: u16, handler: u16) -> Option<usize> {
        self.by_handler.get(&(method, handler)).copied()
    }
}

/// The exception table of one method, and the throws that only pass on.
#[derive(Debug, Default)]
pub(crate) struct MethodHandlers {
    rows: Vec<ExceptionRow>,
    /// By pc of a `throw`: the handlers whose exceptions it throws on.
    passed_on: FxHashMap<u16, Vec<u16>>,
    /// By pc of a `throw` that somebody wrote: the clauses whose exceptions it throws again.
    thrown_again: FxHashMap<u16, Vec<u16>>,
}

impl MethodHandlers {
    /// Nothing where nothing is caught.
    pub(crate) fn of(
        class: &ClassFile<'_>,
        position: u16,
        handlers: &ClassHandlers,
        translator: &mut Translator,
    ) -> Self {
        let Some(method) = class.methods.get(usize::from(position)) else { return Self::default() };
        let Ok(Some((_, code))) = class.code(method) else { return Self::default() };
        let rows: Vec<ExceptionRow> = code.exceptions().collect();
        let all: FxHashSet<u16> = rows.iter().map(|row| row.handler).collect();
        let (written, compiler_made): (FxHashSet<u16>, FxHashSet<u16>) =
            all.into_iter().partition(|handler| handlers.pair_at(position, *handler).is_some());
        let body = translator.translate(class, method).ok().flatten();
        let of = |handlers| body.as_ref().map(|body| throws_of(body, handlers)).unwrap_or_default();
        let (passed_on, thrown_again) = (of(&compiler_made), of(&written));
        Self { rows, passed_on, thrown_again }
    }

    /// The rows that are asked in turn about what is thrown at `pc`: their handlers, and what they catch if not
    /// everything.
    pub(crate) fn rows_at(&self, pc: u16) -> Vec<(u16, Option<PoolIndex>)> {
        let mut rows = Vec::new();
        for row in self.rows.iter().filter(|row| row.start <= pc && pc < row.end) {
            rows.push((row.handler, (row.catch_type != 0).then_some(row.catch_type)));
            if row.catch_type == 0 {
                break;
            }
        }
        rows
    }

    pub(crate) fn rows(&self) -> &[ExceptionRow] {
        &self.rows
    }

    /// The throws that throw on what a handler catches.
    pub(crate) fn passing_on(&self, handler: u16) -> Vec<u16> {
        let throws = self.passed_on.iter().filter(|(_, handlers)| handlers.contains(&handler));
        let mut throws: Vec<u16> = throws.map(|(pc, _)| *pc).collect();
        throws.sort_unstable();
        throws
    }

    /// The handlers whose exceptions the `throw` at `pc` throws on.
    pub(crate) fn passed_on_at(&self, pc: u16) -> &[u16] {
        self.passed_on.get(&pc).map_or(&[], Vec::as_slice)
    }

    /// The clauses whose exceptions the `throw` at `pc` throws again, each with the rows that lead there.
    pub(crate) fn thrown_again_at(&self, pc: u16) -> impl Iterator<Item = &ExceptionRow> {
        let handlers = self.thrown_again.get(&pc).map_or(&[][..], Vec::as_slice);
        self.rows.iter().filter(|row| handlers.contains(&row.handler))
    }
}

/// By pc: the throws of what one of these handlers has caught.
fn throws_of(body: &Body, of_interest: &FxHashSet<u16>) -> FxHashMap<u16, Vec<u16>> {
    if of_interest.is_empty() {
        return FxHashMap::default();
    }
    let mut definitions: FxHashMap<Var, (u16, Op)> = FxHashMap::default();
    for statement in &body.statements {
        match statement.op {
            Op::Phi { dst, .. } | Op::Catch { dst } => {
                definitions.insert(dst, (statement.pc, statement.op));
            }
            _ => {}
        }
    }
    let throws = body.statements.iter().filter_map(|statement| match statement.op {
        Op::Throw { src } => Some((statement.pc, src)),
        _ => None,
    });
    let caught = throws.map(|(pc, src)| (pc, caught_in(body, &definitions, src, of_interest)));
    caught.filter(|(_, handlers)| !handlers.is_empty()).collect()
}

/// Handlers from which a variable may come.
fn caught_in(
    body: &Body,
    definitions: &FxHashMap<Var, (u16, Op)>,
    var: Var,
    of_interest: &FxHashSet<u16>,
) -> Vec<u16> {
    let mut handlers = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![var];
    while let Some(var) = open.pop() {
        if !seen.insert(var) {
            continue;
        }
        match definitions.get(&var) {
            Some((_, Op::Phi { sources, .. })) => open.extend(body.operands(*sources).iter().flatten()),
            Some((pc, Op::Catch { .. })) if of_interest.contains(pc) => handlers.push(*pc),
            _ => {}
        }
    }
    handlers.sort_unstable();
    handlers
}
