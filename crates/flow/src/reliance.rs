//! What a clause reads of what the body of its try writes.
//!
//! Such a clause may depend on how far the body came. Calls are not looked into: a field that only a called method writes
//! or reads is not seen. Elements of arrays are left out.

use crate::FlowError;
use crate::method::Method;
use crate::places::{Receiver, Variable, read_by, written_by};
use crate::solve::solve;
use crate::uses::Trace;
use crate::writes::{Reaching, Untouched, Write, Written};
use catchment_classfile::ClassFile;
use catchment_pairs::CompiledTry;
use std::collections::BTreeSet;

/// One read that may see what the body wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relied {
    pub place: Variable,
    pub read: Spot,
    /// The read is not in the clause but behind it.
    pub after: bool,
    /// Writes in the body that an exception may follow, by pc.
    pub writes: Vec<Spot>,
    /// Whether an exception may also come when none of them has happened, so that an older value is read.
    pub before: bool,
}

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    pub pc: usize,
    pub line: Option<u32>,
}

/// What clause number `clause` of a try, and the code it leads to, relies on; by pc of the read.
pub fn reliance(class: &ClassFile<'_>, site: &CompiledTry, clause: usize) -> Result<Vec<Relied>, FlowError> {
    let method = Method::open(class, site.method)?;
    let handler = usize::from(method.clause(site, clause)?.handler);
    let accesses = Accesses::of(&method)?;
    let places = accesses.written_in(site);
    let written = Written::to(&places, &accesses.writes);
    let harmless = accesses.harmless(&class.name.to_binary_name());
    let seen = writes_seen(&Reaching { method: &method, written: &written, harmless: &harmless }, handler)?;
    let own = method.clause_pcs(handler)?;
    let untouched = Untouched { method: &method, written: &written, harmless: &harmless };
    Finder { method: &method, site, places: &places, seen, own }.find(&untouched, &accesses.reads, handler)
}

/// Everything the method reads and writes, by pc.
struct Accesses {
    reads: Vec<(usize, Variable)>,
    /// Places as [keys](Variable::key).
    writes: Vec<(usize, Variable)>,
}

impl Accesses {
    fn of(method: &Method<'_, '_>) -> Result<Self, FlowError> {
        let mut it = Self { reads: Vec::new(), writes: Vec::new() };
        Trace::of(method)?.visit(&mut |insn, state| {
            it.reads.extend(read_by(method, insn, state)?.map(|place| (insn.pc, place)));
            it.writes.extend(written_by(method, insn, state)?.into_iter().map(|place| (insn.pc, place)));
            Ok(())
        })?;
        Ok(it)
    }

    /// The pcs of accesses that cannot throw: to fields of `this`, which is not null, and to static ones of the class
    /// itself, which is initialised.
    fn harmless(&self, class: &str) -> BTreeSet<usize> {
        let is_harmless = |place: &Variable| match place {
            Variable::Field { of: Receiver::This, .. } => true,
            Variable::Field { of: Receiver::Static, owner, .. } => owner == class,
            _ => false,
        };
        let all = self.reads.iter().chain(&self.writes);
        all.filter(|(_, place)| is_harmless(place)).map(|(pc, _)| *pc).collect()
    }

    /// The places written in the body of a try, sorted.
    fn written_in(&self, site: &CompiledTry) -> Vec<Variable> {
        let writes = self.writes.iter().filter(|(pc, _)| in_body(site, *pc));
        let places: BTreeSet<Variable> = writes.map(|(_, place)| place.clone()).collect();
        places.into_iter().collect()
    }
}

fn in_body(site: &CompiledTry, pc: usize) -> bool {
    site.ranges.iter().any(|range| range.contains(pc))
}

/// The writes that the handler may see the effect of. None if nothing in the body can throw.
fn writes_seen(reaching: &Reaching<'_, '_, '_>, handler: usize) -> Result<BTreeSet<Write>, FlowError> {
    let solution = solve(reaching.method, reaching, 0, reaching.at_entry())?;
    Ok(solution.at_block(reaching.method.block_at(handler)?).cloned().unwrap_or_default())
}

struct Finder<'f, 'c, 'a> {
    method: &'f Method<'c, 'a>,
    site: &'f CompiledTry,
    places: &'f [Variable],
    seen: BTreeSet<Write>,
    /// The pcs of the clause.
    own: BTreeSet<usize>,
}

impl<'a> Finder<'_, '_, 'a> {
    /// Goes from the handler on to all reads of what it found.
    fn find(
        &self,
        untouched: &Untouched<'_, '_, 'a>,
        reads: &[(usize, Variable)],
        handler: usize,
    ) -> Result<Vec<Relied>, FlowError> {
        let start = self.method.block_at(handler)?;
        let solution = solve(self.method, untouched, start, vec![true; self.places.len()])?;
        let mut found = Vec::new();
        solution.visit(self.method, untouched, &mut |insn, untouched| {
            let from = reads.partition_point(|(pc, _)| *pc < insn.pc);
            let own = reads.iter().skip(from).take_while(|(pc, _)| *pc == insn.pc);
            for (pc, place) in own {
                let number = self.places.binary_search(&place.clone().key()).ok();
                let number = number.filter(|it| untouched.get(*it).copied().unwrap_or_default());
                found.extend(number.and_then(|number| self.relied(number, *pc, place)));
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn relied(&self, number: usize, pc: usize, place: &Variable) -> Option<Relied> {
        let seen = self.seen.iter().filter(|write| write.place == number);
        let (inside, before): (Vec<&Write>, Vec<&Write>) =
            seen.partition(|write| write.pc.is_some_and(|pc| in_body(self.site, pc)));
        let writes: Vec<Spot> = inside.iter().filter_map(|write| write.pc).map(|pc| self.spot(pc)).collect();
        let relied = Relied {
            place: place.clone(),
            read: self.spot(pc),
            after: !self.own.contains(&pc),
            writes,
            before: !before.is_empty(),
        };
        (!inside.is_empty()).then_some(relied)
    }

    fn spot(&self, pc: usize) -> Spot {
        Spot { pc, line: self.method.line(pc) }
    }
}
