//! Needs of a handler that a wider type does not meet.

use crate::hierarchy::Hierarchy;
use crate::illegal::Illegal;
use catchment_classfile::ClassFile;
use catchment_flow::{FlowError, NarrowNeed, handler_uses, narrow_needs};
use catchment_pairs::CompiledTry;

const SERIALIZABLE: &str = "java.io.Serializable";

/// The first need of the clause that `rung` does not meet.
pub(crate) fn narrow_need(
    class: &ClassFile<'_>,
    compiled_try: &CompiledTry,
    clause: usize,
    rung: &str,
    hierarchy: &Hierarchy<'_>,
) -> Result<Option<Illegal>, FlowError> {
    let uses = handler_uses(class, compiled_try, clause)?;
    let from = class.name.to_binary_name();
    Ok(narrow_needs(&uses).into_iter().find_map(|need| unmet(need, rung, hierarchy, &from)))
}

fn unmet(need: NarrowNeed, rung: &str, hierarchy: &Hierarchy<'_>, from: &str) -> Option<Illegal> {
    let (is_met, what, line) = match need {
        NarrowNeed::Type { name, line } => {
            // Of interfaces nothing is known but that every exception has this one.
            let is_met = name == SERIALIZABLE || hierarchy.is_subclass(rung, &name);
            (is_met, format!("the type {name}"), line)
        }
        NarrowNeed::Method { owner, name, descriptor, line } => {
            (hierarchy.has_method(rung, &name, &descriptor, from), format!("{owner}.{name}"), line)
        }
        NarrowNeed::Field { owner, name, line, .. } => (false, format!("{owner}.{name}"), line),
        NarrowNeed::Unknown { line } => (false, "a type that cannot be told".to_owned(), line),
    };
    (!is_met).then_some(Illegal::NeedsNarrowType { what, line })
}
