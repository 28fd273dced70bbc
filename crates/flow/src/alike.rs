//! Comparison of two clauses of a try: they are alike if they do the same.
//!
//! Both handlers are gone through side by side. They are alike if they never differ before they meet: same
//! instructions, protected alike, and out of both control leads to the same places. Variables of theirs that nothing
//! else knows may be kept in different slots.

use crate::FlowError;
use crate::method::Method;
use catchment_classfile::{ClassFile, ExceptionRow, Insn, opcodes};
use catchment_pairs::CompiledTry;
use std::collections::{BTreeMap, BTreeSet};

/// True if clauses number `one` and `other` of a try do the same. What they call on the caught object has to be
/// looked up in the same type, so clauses of different types are made to catch one type first.
pub fn are_alike(
    class: &ClassFile<'_>,
    compiled_try: &CompiledTry,
    one: usize,
    other: usize,
) -> Result<bool, FlowError> {
    let method = Method::open(class, compiled_try.method)?;
    let [one, other] =
        [one, other].map(|clause| method.clause(compiled_try, clause).map(|it| usize::from(it.handler)));
    Ok(Walk { method }.meet(one?, other?))
}

struct Walk<'c, 'a> {
    method: Method<'c, 'a>,
}

/// Slots of the one that stand for slots of the other, each for one.
type Slots = BTreeMap<u16, u16>;

impl<'a> Walk<'_, 'a> {
    /// True if everything that control comes to from one pc on is like what it comes to from the other.
    fn meet(&self, one: usize, other: usize) -> bool {
        let (mut seen, mut slots) = (BTreeSet::new(), Slots::new());
        let mut work = vec![(one, other)];
        while let Some((one, other)) = work.pop() {
            let (Some(one), Some(other)) = (self.skip_jumps(one), self.skip_jumps(other)) else {
                return false;
            };
            if one.pc == other.pc || !seen.insert((one.pc, other.pc)) {
                continue;
            }
            let Some(handlers) = self.handlers(&one, &other) else { return false };
            if !self.is_same(&one, &other, &mut slots) {
                return false;
            }
            work.extend(handlers);
            work.extend(one.targets().zip(other.targets()));
            if one.falls_through() {
                work.push((one.next_pc(), other.next_pc()));
            }
        }
        let is_own = |slot: u16, seen: &BTreeSet<usize>| {
            let insns = self.method.insns.iter();
            let mut uses = insns.filter(|insn| insn.local().is_some_and(|(_, used)| used == slot));
            uses.all(|insn| seen.contains(&insn.pc))
        };
        let (ones, others) = seen.into_iter().unzip();
        let mut renamed = slots.into_iter().filter(|(one, other)| one != other);
        renamed.all(|(one, other)| is_own(one, &ones) && is_own(other, &others))
    }

    /// The instruction at `pc`, or where a jump there leads.
    fn skip_jumps(&self, pc: usize) -> Option<Insn<'a>> {
        let mut insn = self.method.insn_at(pc)?;
        for _ in 0..self.method.insns.len() {
            let next = match insn.opcode {
                opcodes::GOTO | opcodes::GOTO_W => insn.targets().next()?,
                opcodes::NOP => insn.next_pc(),
                _ => return Some(insn),
            };
            insn = self.method.insn_at(next)?;
        }
        None
    }

    /// The handlers of what the two throw, in pairs, if these catch the same types in the same order.
    fn handlers(&self, one: &Insn<'_>, other: &Insn<'_>) -> Option<Vec<(usize, usize)>> {
        // Compilers protect more than can throw, and not always the same.
        if !one.can_throw(&self.method.class.pool) {
            return Some(Vec::new());
        }
        let around = |pc: usize| {
            let rows = self.method.rows.iter();
            rows.filter(move |row| (usize::from(row.start)..usize::from(row.end)).contains(&pc))
        };
        let name = |row: &ExceptionRow| self.method.class.pool.class_name(row.catch_type).ok();
        let (ones, others): (Vec<_>, Vec<_>) = (around(one.pc).collect(), around(other.pc).collect());
        let pairs = || ones.iter().zip(&others);
        let fit = ones.len() == others.len() && pairs().all(|(one, other)| name(one) == name(other));
        let handlers = || pairs().map(|(one, other)| (usize::from(one.handler), usize::from(other.handler)));
        fit.then(|| handlers().collect())
    }

    fn is_same(&self, one: &Insn<'_>, other: &Insn<'_>, slots: &mut Slots) -> bool {
        if let (Some((one, slot)), Some((other, other_slot))) = (one.local(), other.local()) {
            slots.entry(slot).or_insert(other_slot);
            return one == other && slots.iter().all(|(own, meant)| (*own == slot) == (*meant == other_slot));
        }
        one.opcode == other.opcode
            && match one.opcode {
                // Where they lead to is compared by going there.
                153..=166 | opcodes::IFNULL | opcodes::IFNONNULL => true,
                opcodes::TABLESWITCH | opcodes::LOOKUPSWITCH => keys(one).eq(keys(other)),
                opcodes::GETSTATIC..=opcodes::INVOKEINTERFACE => self.is_same_member(one, other),
                opcodes::INVOKEDYNAMIC => self.is_same_dynamic(one, other),
                _ => one.bytes == other.bytes,
            }
    }

    fn is_same_member(&self, one: &Insn<'_>, other: &Insn<'_>) -> bool {
        self.method.named(one).is_ok_and(|one| self.method.named(other).is_ok_and(|other| one == other))
    }

    /// Of the same bootstrap method with the same arguments, which the first two bytes of the constant number.
    fn is_same_dynamic(&self, one: &Insn<'_>, other: &Insn<'_>) -> bool {
        let pool = &self.method.class.pool;
        let bootstrap = |insn: &Insn<'_>| pool.raw(insn.u2()).and_then(|(_, bytes)| bytes.get(..2));
        let named = |insn: &Insn<'_>| pool.dynamic(insn.u2()).ok();
        named(one).is_some() && named(one) == named(other) && bootstrap(one) == bootstrap(other)
    }
}

/// Keys of a switch. Its targets are relative to its own pc, which differs.
fn keys<'b>(switch: &Insn<'b>) -> impl Iterator<Item = &'b [u8]> {
    let aligned = ((switch.pc + 4) & !3) - switch.pc;
    let words = switch.bytes.get(aligned..).unwrap_or_default().chunks_exact(4);
    // Behind the default: low and high; or the count, and each key before its target.
    let (skip, take, step) =
        if switch.opcode == opcodes::TABLESWITCH { (1, 2, 1) } else { (2, usize::MAX, 2) };
    words.skip(skip).take(take).step_by(step)
}
