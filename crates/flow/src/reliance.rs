//! Reliance: variables that a clause reads and the body of its try writes.
//!
//! Such a clause may depend on how far the body came. Calls are not looked into: a field that only a called method
//! writes or reads is not seen. Elements of arrays are left out.

use crate::FlowError;
use crate::method::Method;
use crate::solve::solve;
use crate::uses::Trace;
use crate::variables::{Receiver, Variable, read_by, written_by};
use crate::writes::{Reaching, Untouched, Write, Written};
use catchment_classfile::{ClassFile, Member, access};
use catchment_pairs::CompiledTry;
use std::collections::BTreeSet;

/// One read that may see what the body wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relied {
    pub variable: Variable,
    pub read: Access,
    /// The read is not in the clause but behind it.
    pub after: bool,
    /// Writes in the body that an exception may follow, by pc.
    pub writes: Vec<Access>,
    /// True if an exception may also come when none of them has happened, so that an older value is read.
    pub before: bool,
}

/// An instruction that reads or writes a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    pub pc: usize,
    pub line: Option<u32>,
}

/// Variables that clause number `clause` of a try, and the code it leads to, relies on; by pc of the read.
pub fn reliance(
    class: &ClassFile<'_>,
    compiled_try: &CompiledTry,
    clause: usize,
) -> Result<Vec<Relied>, FlowError> {
    let method = Method::open(class, compiled_try.method)?;
    let handler = usize::from(method.clause(compiled_try, clause)?.handler);
    let accesses = Accesses::of(&method)?;
    let variables = accesses.written_in(compiled_try);
    let written = Written::to(&variables, &accesses.writes);
    let harmless = accesses.harmless(&class.name.to_binary_name());
    let seen = writes_seen(&Reaching { method: &method, written: &written, harmless: &harmless }, handler)?;
    let own = method.clause_pcs(handler)?;
    let untouched = Untouched { method: &method, written: &written, harmless: &harmless };
    Finder { method: &method, compiled_try, variables: &variables, seen, own }.find(
        &untouched,
        &accesses.reads,
        handler,
    )
}

/// Fields that clause number `clause` of a try reads and the body of the try does not write itself, each with its first
/// read: only a call in the body can have written them. Fields of `this` and static ones of the class itself, but for
/// those that are final.
pub fn fields_left_to_calls(
    class: &ClassFile<'_>,
    compiled_try: &CompiledTry,
    clause: usize,
) -> Result<Vec<(Variable, Access)>, FlowError> {
    let method = Method::open(class, compiled_try.method)?;
    let handler = usize::from(method.clause(compiled_try, clause)?.handler);
    let accesses = Accesses::of(&method)?;
    let (own, written) = (method.clause_pcs(handler)?, accesses.written_in(compiled_try));
    let name = class.name.to_binary_name();
    let mut found: Vec<(Variable, Access)> = Vec::new();
    for (pc, variable) in accesses.reads.iter().filter(|(pc, _)| own.contains(pc)) {
        let is_known = found.iter().any(|(known, _)| known == variable);
        if !is_known && !written.contains(variable) && is_open_field(class, &name, variable) {
            found.push((variable.clone(), Access { pc: *pc, line: method.line(*pc) }));
        }
    }
    Ok(found)
}

/// Tells whether methods of the class can be expected to write a field.
fn is_open_field(class: &ClassFile<'_>, class_name: &str, variable: &Variable) -> bool {
    let Variable::Field { owner, name, of } = variable else { return false };
    let is_own = match of {
        Receiver::This => true,
        Receiver::Static => owner == class_name,
        Receiver::Other => false,
    };
    let is_final = |field: &Member<'_>| field.access & access::FINAL != 0 && field.name.to_string() == *name;
    is_own && !class.fields.iter().any(is_final)
}

/// Everything the method reads and writes, by pc.
struct Accesses {
    reads: Vec<(usize, Variable)>,
    /// Variables as [keys](Variable::key).
    writes: Vec<(usize, Variable)>,
}

impl Accesses {
    fn of(method: &Method<'_, '_>) -> Result<Self, FlowError> {
        let mut it = Self { reads: Vec::new(), writes: Vec::new() };
        Trace::of(method)?.visit(&mut |insn, state| {
            it.reads.extend(read_by(method, insn, state)?.map(|variable| (insn.pc, variable)));
            it.writes
                .extend(written_by(method, insn, state)?.into_iter().map(|variable| (insn.pc, variable)));
            Ok(())
        })?;
        Ok(it)
    }

    /// The pcs of accesses that cannot throw: to fields of `this`, which is not null, and to static ones of the class
    /// itself, which is initialised.
    fn harmless(&self, class: &str) -> BTreeSet<usize> {
        let is_harmless = |variable: &Variable| match variable {
            Variable::Field { of: Receiver::This, .. } => true,
            Variable::Field { of: Receiver::Static, owner, .. } => owner == class,
            _ => false,
        };
        let all = self.reads.iter().chain(&self.writes);
        all.filter(|(_, variable)| is_harmless(variable)).map(|(pc, _)| *pc).collect()
    }

    /// The variables written in the body of a try, sorted.
    fn written_in(&self, compiled_try: &CompiledTry) -> Vec<Variable> {
        let writes = self.writes.iter().filter(|(pc, _)| in_body(compiled_try, *pc));
        let variables: BTreeSet<Variable> = writes.map(|(_, variable)| variable.clone()).collect();
        variables.into_iter().collect()
    }
}

fn in_body(compiled_try: &CompiledTry, pc: usize) -> bool {
    compiled_try.ranges.iter().any(|range| range.contains(pc))
}

/// The writes that the handler may see the effect of. None if nothing in the body can throw.
fn writes_seen(reaching: &Reaching<'_, '_, '_>, handler: usize) -> Result<BTreeSet<Write>, FlowError> {
    let solution = solve(reaching.method, reaching, 0, reaching.at_entry())?;
    Ok(solution.at_block(reaching.method.block_at(handler)?).cloned().unwrap_or_default())
}

struct Finder<'f, 'c, 'a> {
    method: &'f Method<'c, 'a>,
    compiled_try: &'f CompiledTry,
    variables: &'f [Variable],
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
        let solution = solve(self.method, untouched, start, vec![true; self.variables.len()])?;
        let mut found = Vec::new();
        solution.visit(self.method, untouched, &mut |insn, untouched| {
            let from = reads.partition_point(|(pc, _)| *pc < insn.pc);
            let own = reads.iter().skip(from).take_while(|(pc, _)| *pc == insn.pc);
            for (pc, variable) in own {
                let number = self.variables.binary_search(&variable.clone().key()).ok();
                let number = number.filter(|it| untouched.get(*it).copied().unwrap_or_default());
                found.extend(number.and_then(|number| self.relied(number, *pc, variable)));
            }
            Ok(())
        })?;
        Ok(found)
    }

    fn relied(&self, number: usize, pc: usize, variable: &Variable) -> Option<Relied> {
        let seen = self.seen.iter().filter(|write| write.variable == number);
        let (inside, before): (Vec<&Write>, Vec<&Write>) =
            seen.partition(|write| write.pc.is_some_and(|pc| in_body(self.compiled_try, pc)));
        let writes: Vec<Access> =
            inside.iter().filter_map(|write| write.pc).map(|pc| self.access(pc)).collect();
        let relied = Relied {
            variable: variable.clone(),
            read: self.access(pc),
            after: !self.own.contains(&pc),
            writes,
            before: !before.is_empty(),
        };
        (!inside.is_empty()).then_some(relied)
    }

    fn access(&self, pc: usize) -> Access {
        Access { pc, line: self.method.line(pc) }
    }
}
