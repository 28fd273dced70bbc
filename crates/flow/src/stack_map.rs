//! The stack map frames of a method, decoded, and which slot each of their types speaks of.

use crate::FlowError;
use crate::method::Method;
use catchment_classfile::{ConstantPool, Frame, FrameWalk, VerificationType};

/// All frames by pc. None for classes that have no frames.
pub(crate) fn frames_of<'a>(method: &Method<'_, 'a>) -> Result<Vec<(usize, Frame<'a>)>, FlowError> {
    let mut frames = Vec::new();
    if let Some(mut walk) = FrameWalk::of(method.class, method.member, &method.code)? {
        while let Some(at) = walk.advance()? {
            frames.push((at.pc, walk.state().clone()));
        }
    }
    Ok(frames)
}

/// The types of a frame's locals or stack, each with the slot it begins in: longs and doubles take two.
pub(crate) fn with_slots<'a>(
    types: &[VerificationType<'a>],
) -> impl Iterator<Item = (usize, VerificationType<'a>)> {
    types.iter().scan(0, |next, it| {
        let slot = *next;
        *next += if matches!(it, VerificationType::Long | VerificationType::Double) { 2 } else { 1 };
        Some((slot, *it))
    })
}

/// The internal name of the class, or the array descriptor, that a frame says is there.
pub(crate) fn class_of<'a>(it: VerificationType<'a>, pool: &ConstantPool<'a>) -> Option<&'a [u8]> {
    match it {
        VerificationType::Object(index) => pool.class_name(index).ok().map(|name| name.as_bytes()),
        VerificationType::Named(name) => Some(name),
        _ => None,
    }
}
