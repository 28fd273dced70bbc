//! A class in which clauses catch another type.
//!
//! Rows of the exception table name the new type, frames that hold the caught object say so, and members that were
//! looked up in the old type are looked up in the new one (`repoint.rs`). No instruction changes its length and no
//! constant its index. Names and types of local variables in the debug tables stay: no verifier reads them.
//!
//! The legality of the new type is the caller's to know ([`narrow_needs`](crate::narrow_needs)); what surely is not is
//! refused.

use crate::method::Method;
use crate::repoint::repoint;
use crate::stack_map::{Held, Slot};
use crate::uses::Trace;
use crate::{FlowError, HandlerUses};
use catchment_classfile::descriptor::type_name;
use catchment_classfile::{
    ClassFile, Frame, Overwrite, PoolAppender, RelocateError, VerificationType, encode_frames, overwritten,
};
use catchment_pairs::{CompiledClause, CompiledTry};
use std::collections::BTreeMap;

/// Every object that is caught is one of these, so that what names them may stay.
pub(crate) const ALWAYS_FITS: [&str; 2] = ["java.lang.Object", "java.lang.Throwable"];

/// A clause and what it shall catch.
#[derive(Debug, Clone, Copy)]
pub struct Retype<'t> {
    pub compiled_try: &'t CompiledTry,
    pub clause: usize,
    /// Binary name with dots. A supertype of all that the clause catches now.
    pub to: &'t str,
}

/// The class with all these clauses retyped. A clause of several types then catches the one.
pub fn retype_clauses(class: &ClassFile<'_>, changes: &[Retype<'_>]) -> Result<Vec<u8>, FlowError> {
    let mut by_method: BTreeMap<usize, Vec<&Retype<'_>>> = BTreeMap::new();
    for change in changes {
        by_method.entry(change.compiled_try.method).or_default().push(change);
    }
    let mut edit = Edit::new(class);
    for (method, changes) in by_method {
        let method = Method::open(class, method)?;
        let mut trace = Trace::of(&method)?;
        let mut frames_change = false;
        for change in changes {
            frames_change |= retype(&mut trace, change, &mut edit)?;
        }
        if frames_change {
            edit.replace_frames(&method, &trace.frames)?;
        }
    }
    overwritten(class, &edit.constants, edit.overwrites).ok_or(FlowError::Ambiguous)
}

/// The changes to the class file.
#[derive(Debug)]
pub(crate) struct Edit {
    pub(crate) constants: PoolAppender,
    pub(crate) overwrites: Vec<Overwrite>,
    /// Classes added, by internal name.
    classes: BTreeMap<Vec<u8>, u16>,
}

/// The new type of a clause.
#[derive(Debug)]
pub(crate) struct NewType {
    /// Binary name with dots.
    pub(crate) name: String,
    pub(crate) internal: Vec<u8>,
    pub(crate) constant: u16,
    /// Types the code may have taken the object for that it need not have any more.
    pub(crate) narrow: Vec<String>,
}

impl NewType {
    /// True if a value of the new type does not fit `declared`.
    pub(crate) fn outgrows(&self, declared: &String) -> bool {
        self.narrow.contains(declared)
    }
}

impl Edit {
    fn new(class: &ClassFile<'_>) -> Self {
        Self { constants: PoolAppender::new(&class.pool), overwrites: Vec::new(), classes: BTreeMap::new() }
    }

    fn class(&mut self, internal: &[u8]) -> Option<u16> {
        if let Some(index) = self.classes.get(internal) {
            return Some(*index);
        }
        let index = self.constants.class(internal)?;
        self.classes.insert(internal.to_vec(), index);
        Some(index)
    }

    /// Gives the method's code a stack map of other length, so that all lengths around it change as well.
    fn replace_frames(
        &mut self,
        method: &Method<'_, '_>,
        frames: &[(usize, Frame<'_>)],
    ) -> Result<(), FlowError> {
        let Some(table) = method.code.stack_map(&method.class.pool) else {
            return Ok(());
        };
        let initial = Frame::at_entry(method.class, method.member);
        let bytes = encode_frames(&initial, frames, &mut |name| self.class(name))?;
        let length = |len: usize| u32::try_from(len).map_err(|_| RelocateError::TooLong);
        let code_length = length(method.attribute.data.len() + bytes.len() - table.data.len())?;
        self.overwrites.push(Overwrite::u4(method.attribute.offset - 4, code_length));
        self.overwrites.push(Overwrite::u4(table.offset - 4, length(bytes.len())?));
        self.overwrites.push(Overwrite { range: table.offset..table.offset + table.data.len(), bytes });
        Ok(())
    }
}

/// Retypes one clause; its frames only in `trace`. True if one of these has changed.
fn retype(trace: &mut Trace<'_, '_, '_>, change: &Retype<'_>, edit: &mut Edit) -> Result<bool, FlowError> {
    let clause = trace.method.clause(change.compiled_try, change.clause)?;
    let uses = trace.uses_of(usize::from(clause.handler))?;
    let new_type = new_type(trace, clause, change.to, edit)?;
    for row in &clause.rows {
        let catch_type = trace.method.code.exception_offset(*row) + 6;
        edit.overwrites.push(Overwrite::u2(catch_type, new_type.constant));
    }
    repoint(trace.method, &uses, &new_type, edit)?;
    retype_frames(trace, &uses, &new_type)
}

fn new_type(
    trace: &Trace<'_, '_, '_>,
    clause: &CompiledClause,
    to: &str,
    edit: &mut Edit,
) -> Result<NewType, FlowError> {
    let internal = to.replace('.', "/").into_bytes();
    let constant = edit.class(&internal).ok_or(RelocateError::PoolFull)?;
    let name = type_name(&internal);
    let mut narrow = trace.narrow_types(clause)?;
    narrow.retain(|it| *it != name && !ALWAYS_FITS.contains(&it.as_str()));
    Ok(NewType { name, internal, constant, narrow })
}

fn retype_frames(
    trace: &mut Trace<'_, '_, '_>,
    uses: &HandlerUses,
    new_type: &NewType,
) -> Result<bool, FlowError> {
    let mut changed = false;
    for held in uses.held.iter().filter(|held| held.declared != new_type.name) {
        if held.merged {
            if new_type.outgrows(&held.declared) {
                return Err(FlowError::Merged { pc: held.pc, narrow: held.declared.clone() });
            }
        } else if let Some(place) = position(&mut trace.frames, held) {
            *place = VerificationType::Object(new_type.constant);
            changed = true;
        }
    }
    Ok(changed)
}

fn position<'f, 'a>(
    frames: &'f mut [(usize, Frame<'a>)],
    held: &Held,
) -> Option<&'f mut VerificationType<'a>> {
    let index = frames.binary_search_by_key(&held.pc, |(pc, _)| *pc).ok()?;
    let (_, frame) = frames.get_mut(index)?;
    match held.slot {
        Slot::Local(_) => frame.locals.get_mut(held.element),
        Slot::Stack(_) => frame.stack.get_mut(held.element),
    }
}
