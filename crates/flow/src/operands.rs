//! Operands of an instruction, each with its use.

use crate::FlowError;
use crate::effects::{arguments, has_receiver};
use crate::method::Method;
use crate::uses::UseKind;
use crate::value::{Origin, State, Value};
use catchment_classfile::descriptor::{parameter_slots, parameters, returned, slots, type_name};
use catchment_classfile::{Insn, JvmStr, MemberRef, opcodes};

type Operand<'s> = (&'s Value, UseKind);

/// The references that `insn` takes from the stack and what it does with them. Those that are merely moved are left
/// out.
pub(crate) fn operands<'s>(
    method: &Method<'_, '_>,
    insn: &Insn<'_>,
    state: &'s State,
) -> Result<Vec<Operand<'s>>, FlowError> {
    let at = |depth: usize| state.below_top(depth).ok_or(FlowError::Malformed(insn.pc));
    let class = || -> Result<String, FlowError> {
        Ok(type_name(method.class.pool.class_name(insn.u2())?.as_bytes()))
    };
    Ok(match insn.opcode {
        opcodes::ATHROW => vec![(at(0)?, UseKind::Rethrown)],
        opcodes::ARETURN => {
            let declared = type_name(returned(method.member.descriptor.as_bytes()));
            vec![(at(0)?, UseKind::Returned { declared })]
        }
        opcodes::CHECKCAST => vec![(at(0)?, UseKind::Cast { target: class()? })],
        opcodes::INSTANCEOF => vec![(at(0)?, UseKind::InstanceOf { target: class()? })],
        opcodes::IFNULL | opcodes::IFNONNULL => vec![(at(0)?, UseKind::Compared)],
        opcodes::IF_ACMPEQ | opcodes::IF_ACMPNE => {
            vec![(at(0)?, UseKind::Compared), (at(1)?, UseKind::Compared)]
        }
        opcodes::MONITORENTER | opcodes::MONITOREXIT => vec![(at(0)?, UseKind::Monitor)],
        opcodes::AASTORE => vec![(at(0)?, UseKind::StoredInArray { element: element_type(method, at(2)?) })],
        opcodes::PUTSTATIC => vec![(at(0)?, stored(method.named(insn)?))],
        opcodes::GETFIELD => vec![(at(0)?, field_of(method.named(insn)?))],
        opcodes::PUTFIELD => {
            let field = method.named(insn)?;
            let object = at(slots(field.descriptor.as_bytes()))?;
            vec![(at(0)?, stored(field)), (object, field_of(field))]
        }
        opcodes::INVOKEVIRTUAL..=opcodes::INVOKEINTERFACE => called(method, insn, state)?,
        opcodes::INVOKEDYNAMIC => captured(method, insn, state)?,
        _ => assigned(method, insn).map_or(Ok(vec![]), |kind| at(0).map(|value| vec![(value, kind)]))?,
    })
}

fn stored(field: MemberRef<'_>) -> UseKind {
    UseKind::Stored {
        owner: field.owner.to_binary_name(),
        name: field.name.to_string(),
        field: type_name(field.descriptor.as_bytes()),
    }
}

fn field_of(field: MemberRef<'_>) -> UseKind {
    UseKind::FieldOf {
        owner: field.owner.to_binary_name(),
        name: field.name.to_string(),
        descriptor: field.descriptor.to_string(),
    }
}

/// A store to a variable that has a name, which it has from the next instruction on.
fn assigned(method: &Method<'_, '_>, insn: &Insn<'_>) -> Option<UseKind> {
    let variable = method.variables.at(insn.astore()?, insn.next_pc())?;
    Some(UseKind::Assigned {
        variable: variable.name.to_string(),
        declared: type_name(variable.descriptor.as_bytes()),
    })
}

fn called<'s>(
    method: &Method<'_, '_>,
    call: &Insn<'_>,
    state: &'s State,
) -> Result<Vec<Operand<'s>>, FlowError> {
    let callee = method.named(call)?;
    let MemberRef { owner, name, descriptor } = callee;
    let at = |depth: usize| state.below_top(depth).ok_or(FlowError::Malformed(call.pc));
    let mut operands = Vec::new();
    if has_receiver(call) {
        let receiver = at(parameter_slots(descriptor.as_bytes()))?;
        operands.push((receiver, receives(callee, call.opcode == opcodes::INVOKEVIRTUAL)));
    }
    for (index, parameter, depth) in arguments(descriptor.as_bytes()) {
        let kind = UseKind::Argument {
            owner: owner.to_binary_name(),
            name: name.to_string(),
            descriptor: descriptor.to_string(),
            parameter: type_name(parameter),
            index,
        };
        operands.push((at(depth)?, kind));
    }
    Ok(operands)
}

fn receives(callee: MemberRef<'_>, virtual_call: bool) -> UseKind {
    UseKind::Receiver {
        owner: callee.owner.to_binary_name(),
        name: callee.name.to_string(),
        descriptor: callee.descriptor.to_string(),
        virtual_call,
    }
}

fn captured<'s>(
    method: &Method<'_, '_>,
    call: &Insn<'_>,
    state: &'s State,
) -> Result<Vec<Operand<'s>>, FlowError> {
    let bootstrap = method.class.bootstrap_of(call.u2());
    let concatenates = bootstrap.is_some_and(|it| it.owner == "java/lang/invoke/StringConcatFactory");
    let mut operands = Vec::new();
    for (index, parameter, depth) in arguments(method.callee_descriptor(call)?) {
        let declared = type_name(parameter);
        let kind = match concatenates {
            true => UseKind::Concatenated { declared, index },
            false => UseKind::Captured { declared, index },
        };
        operands.push((state.below_top(depth).ok_or(FlowError::Malformed(call.pc))?, kind));
    }
    Ok(operands)
}

/// Declared type of an array's elements, if all its origins agree.
fn element_type(method: &Method<'_, '_>, array: &Value) -> Option<String> {
    let mut types = array.origins().iter().map(|origin| element_type_of(method, *origin));
    let first = types.next()??;
    types.all(|it| it.as_deref() == Some(&first)).then_some(first)
}

fn element_type_of(method: &Method<'_, '_>, origin: Origin) -> Option<String> {
    let element = |array: &[u8]| array.strip_prefix(b"[").map(type_name);
    let own = method.member.descriptor.as_bytes();
    match origin {
        Origin::Parameter(slot) => {
            let mut next = usize::from(!method.is_static());
            let found = parameters(own).find(|parameter| {
                next += slots(parameter);
                next > usize::from(slot)
            });
            found.and_then(element)
        }
        Origin::Insn(pc) => {
            let insn = method.insn_at(pc)?;
            match insn.opcode {
                opcodes::ANEWARRAY => {
                    method.class.pool.class_name(insn.u2()).ok().map(JvmStr::to_binary_name)
                }
                opcodes::GETSTATIC | opcodes::GETFIELD => {
                    element(method.named(&insn).ok()?.descriptor.as_bytes())
                }
                _ if insn.is_call() => element(returned(method.callee_descriptor(&insn).ok()?)),
                _ => None,
            }
        }
        _ => None,
    }
}
