//! Exceptions that calls and throws of a method may end with, as a compiler would see it: by static types.
//!
//! Declarations of called methods stand in other classes and are not known here.

use crate::FlowError;
use crate::method::Method;
use crate::uses::Trace;
use crate::value::{Origin, Value};
use catchment_classfile::descriptor::{returned, type_name};
use catchment_classfile::{ClassFile, Insn, opcodes};
use catchment_pairs::CompiledTry;

/// An instruction that control comes to and that may throw what a source has to catch or declare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThrowSite {
    pub pc: usize,
    pub line: Option<u32>,
    pub thrown: Thrown,
}

/// Exceptions that a site may throw. Names are binary, with dots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thrown {
    /// Whatever this method declares.
    Call { owner: String, name: String, descriptor: String },
    /// An object that the source knows as one of this class.
    Object(String),
    /// The object that the handler at this pc caught, by the variable that caught it.
    Rethrown {
        handler: usize,
        /// The variable is given other values, so that a source knows no more of it than its type.
        is_reassigned: bool,
    },
    /// An object of which the code does not tell what a source takes it for.
    Unknown,
}

/// The calls and throws of method number `method` of a class, by pc. Dynamic calls are left out: to make a lambda or to
/// concatenate throws nothing that is checked.
pub fn throw_sites(class: &ClassFile<'_>, method: usize) -> Result<Vec<ThrowSite>, FlowError> {
    let method = Method::open(class, method)?;
    let mut sites = Vec::new();
    let mut previous: Option<Insn<'_>> = None;
    Trace::of(&method)?.visit(&mut |insn, state| {
        let before = previous.replace(*insn).filter(|it| it.next_pc() == insn.pc);
        let thrown = match insn.opcode {
            opcodes::ATHROW => state.below_top(0).map(|value| thrown(&method, before, value, insn.pc)),
            opcodes::INVOKEVIRTUAL..=opcodes::INVOKEINTERFACE => Some(call(&method, insn)?),
            _ => None,
        };
        let line = method.line(insn.pc);
        sites.extend(thrown.map(|thrown| ThrowSite { pc: insn.pc, line, thrown }));
        Ok(())
    })?;
    Ok(sites)
}

/// The [`throw_sites`] that are in the code of clause number `clause` of a try.
pub fn handler_sites(
    class: &ClassFile<'_>,
    compiled_try: &CompiledTry,
    clause: usize,
) -> Result<Vec<ThrowSite>, FlowError> {
    let method = Method::open(class, compiled_try.method)?;
    let own = method.clause_pcs(usize::from(method.clause(compiled_try, clause)?.handler))?;
    let mut sites = throw_sites(class, compiled_try.method)?;
    sites.retain(|site| own.contains(&site.pc));
    Ok(sites)
}

fn call(method: &Method<'_, '_>, insn: &Insn<'_>) -> Result<Thrown, FlowError> {
    let callee = method.named(insn)?;
    Ok(Thrown::Call {
        owner: callee.owner.to_binary_name(),
        name: callee.name.to_string(),
        descriptor: callee.descriptor.to_string(),
    })
}

/// The static type of an expression is that of the instruction which ends it.
fn thrown(method: &Method<'_, '_>, before: Option<Insn<'_>>, value: &Value, pc: usize) -> Thrown {
    let is_target = || method.insns.iter().any(|insn| insn.targets().any(|target| target == pc));
    // What ends at a place that others jump to is only a part of the expression.
    let Some(before) = before.filter(|_| !is_target()) else { return Thrown::Unknown };
    if let Some(slot) = before.aload() {
        return thrown_variable(method, slot, value, pc);
    }
    let name = match before.opcode {
        opcodes::CHECKCAST => {
            method.class.pool.class_name(before.u2()).ok().map(|name| type_name(name.as_bytes()))
        }
        opcodes::GETSTATIC | opcodes::GETFIELD => {
            method.named(&before).ok().map(|field| type_name(field.descriptor.as_bytes()))
        }
        opcodes::INVOKESPECIAL if is_constructor(method, &before) => {
            method.named(&before).ok().map(|callee| callee.owner.to_binary_name())
        }
        _ if before.is_call() => method.callee_descriptor(&before).ok().map(|it| type_name(returned(it))),
        _ => None,
    };
    name.map_or(Thrown::Unknown, Thrown::Object)
}

fn is_constructor(method: &Method<'_, '_>, call: &Insn<'_>) -> bool {
    method.named(call).is_ok_and(|callee| callee.name == "<init>")
}

/// Without names of variables, an object that can only be the caught one counts as thrown by the variable that caught
/// it.
fn thrown_variable(method: &Method<'_, '_>, slot: u16, value: &Value, pc: usize) -> Thrown {
    let mut caught = value.origins().iter().filter_map(|origin| match origin {
        Origin::Caught(handler) => Some(*handler),
        _ => None,
    });
    let Some(variable) = method.variables.at(slot, pc) else {
        return match *value.origins() {
            [Origin::Caught(handler)] => Thrown::Rethrown { handler, is_reassigned: false },
            _ => Thrown::Unknown,
        };
    };
    let own = caught.find(|handler| {
        let first = method.insn_at(*handler);
        first.is_some_and(|store| {
            store.astore() == Some(slot) && store.next_pc() == usize::from(variable.start)
        })
    });
    let Some(handler) = own else {
        return Thrown::Object(type_name(variable.descriptor.as_bytes()));
    };
    let scope = usize::from(variable.start)..usize::from(variable.end);
    let mut stores = method.insns.iter().filter(|insn| scope.contains(&insn.pc));
    Thrown::Rethrown { handler, is_reassigned: stores.any(|insn| insn.astore() == Some(slot)) }
}
