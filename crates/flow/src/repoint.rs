//! Instructions that name the type of a caught object, made to name the new one.

use crate::method::Method;
use crate::retype::{ALWAYS_FITS, Edit, NewType};
use crate::{FlowError, HandlerUses, Use, UseKind};
use catchment_classfile::descriptor::{parameters, returned};
use catchment_classfile::{Insn, Overwrite, RelocateError};

/// Lets everything done with the object take the new type, or says what cannot.
pub(crate) fn repoint(
    method: &Method<'_, '_>,
    uses: &HandlerUses,
    new_type: &NewType,
    edit: &mut Edit,
) -> Result<(), FlowError> {
    for it in uses.uses.iter().filter(|it| !it.after_cast) {
        match &it.kind {
            UseKind::Receiver { owner, virtual_call: true, .. } | UseKind::FieldOf { owner, .. }
                if must_move(it, owner, new_type)? =>
            {
                move_owner(method, it.pc, new_type, edit)?;
            }
            UseKind::Receiver { owner, virtual_call: false, .. } if new_type.outgrows(owner) => {
                return Err(FlowError::Bound { pc: it.pc, owner: owner.clone() });
            }
            UseKind::Argument { parameter: declared, .. }
            | UseKind::Stored { field: declared, .. }
            | UseKind::StoredInArray { element: Some(declared) }
            | UseKind::Returned { declared }
            | UseKind::Captured { declared, .. }
                if new_type.outgrows(declared) =>
            {
                return Err(FlowError::Needed { pc: it.pc, narrow: declared.clone() });
            }
            _ => {}
        }
    }
    retype_concatenations(method, uses, new_type, edit)
}

/// True if what names `declared` has to name the new type.
fn must_move(it: &Use, declared: &String, new_type: &NewType) -> Result<bool, FlowError> {
    if it.merged && new_type.outgrows(declared) {
        return Err(FlowError::Merged { pc: it.pc, narrow: declared.clone() });
    }
    Ok(!it.merged && *declared != new_type.name && !ALWAYS_FITS.contains(&declared.as_str()))
}

fn insn_at<'a>(method: &Method<'_, 'a>, pc: usize) -> Result<Insn<'a>, FlowError> {
    method.insn_at(pc).ok_or(FlowError::Malformed(pc))
}

/// The constant is the operand of a field access or call, two bytes behind the opcode.
fn operand(method: &Method<'_, '_>, pc: usize, constant: u16) -> Overwrite {
    Overwrite::u2(method.code.offset + pc + 1, constant)
}

fn move_owner(
    method: &Method<'_, '_>,
    pc: usize,
    new_type: &NewType,
    edit: &mut Edit,
) -> Result<(), FlowError> {
    let member = insn_at(method, pc)?.u2();
    let moved = edit.constants.member_of(&method.class.pool, member, new_type.constant);
    edit.overwrites.push(operand(method, pc, moved.ok_or(RelocateError::PoolFull)?));
    Ok(())
}

/// A string concatenation takes anything, but its call site has the types in its descriptor. It may take the object
/// several times.
fn retype_concatenations(
    method: &Method<'_, '_>,
    uses: &HandlerUses,
    new_type: &NewType,
    edit: &mut Edit,
) -> Result<(), FlowError> {
    let mut moving = Vec::new();
    for it in uses.uses.iter().filter(|it| !it.after_cast) {
        if let UseKind::Concatenated { declared, index } = &it.kind
            && must_move(it, declared, new_type)?
        {
            moving.push((it.pc, *index));
        }
    }
    for parameters in moving.chunk_by(|a, b| a.0 == b.0) {
        let pc = parameters[0].0;
        let call = insn_at(method, pc)?;
        let is_moving = |index: usize| parameters.contains(&(pc, index));
        let descriptor = with_type(method.callee_descriptor(&call)?, is_moving, &new_type.internal);
        let moved = edit.constants.dynamic_with(&method.class.pool, call.u2(), &descriptor);
        edit.overwrites.push(operand(method, pc, moved.ok_or(RelocateError::PoolFull)?));
    }
    Ok(())
}

/// The descriptor with another class as the type of some parameters.
fn with_type(descriptor: &[u8], is_moving: impl Fn(usize) -> bool, class: &[u8]) -> Vec<u8> {
    let mut new = vec![b'('];
    for (index, parameter) in parameters(descriptor).enumerate() {
        if is_moving(index) {
            new.extend([b"L", class, b";"].concat());
        } else {
            new.extend(parameter);
        }
    }
    new.push(b')');
    new.extend(returned(descriptor));
    new
}
