//! Types that a handler's code needs the caught object to have.

use crate::{HandlerUses, Use, UseKind};

/// Something that the type of a clause has to fit. A wider type R may take its place if it meets all of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum NarrowNeed {
    /// R has to be this class or interface, or a subtype of it; a binary name with dots.
    Type { name: String, line: Option<u32> },
    /// R has to have this method, inherited or not. The owner is the type the compiler has looked it up in, which says
    /// nothing of where it is declared.
    Method { owner: String, name: String, descriptor: String, line: Option<u32> },
    /// R has to have this field in the same way.
    Field { owner: String, name: String, descriptor: String, line: Option<u32> },
    /// The object is put into an array whose type the code does not tell.
    Unknown { line: Option<u32> },
}

/// Needs of the code, sorted, each once.
pub fn narrow_needs(uses: &HandlerUses) -> Vec<NarrowNeed> {
    // Where the object meets others, all of them have the type of the place they meet in.
    let meets = uses.held.iter().filter(|held| held.merged);
    let meets = meets.map(|held| NarrowNeed::Type { name: held.declared.clone(), line: held.line });
    let own = uses.uses.iter().filter(|it| !it.after_cast);
    let mut needs: Vec<NarrowNeed> = own.filter_map(need_of).chain(meets).collect();
    needs.sort();
    needs.dedup();
    needs
}

fn need_of(it: &Use) -> Option<NarrowNeed> {
    let line = it.line;
    let needs_type = |name: &String| Some(NarrowNeed::Type { name: name.clone(), line });
    match &it.kind {
        // What other values are used for as well cannot be looked up elsewhere.
        UseKind::Receiver { owner, .. } | UseKind::FieldOf { owner, .. } if it.merged => needs_type(owner),
        UseKind::Receiver { owner, name, descriptor, virtual_call: true } => Some(NarrowNeed::Method {
            owner: owner.clone(),
            name: name.clone(),
            descriptor: descriptor.clone(),
            line,
        }),
        UseKind::FieldOf { owner, name, descriptor } => Some(NarrowNeed::Field {
            owner: owner.clone(),
            name: name.clone(),
            descriptor: descriptor.clone(),
            line,
        }),
        UseKind::Receiver { owner: name, .. }
        | UseKind::Argument { parameter: name, .. }
        | UseKind::Stored { field: name, .. }
        | UseKind::StoredInArray { element: Some(name) }
        | UseKind::Assigned { declared: name, .. }
        | UseKind::Returned { declared: name }
        | UseKind::Captured { declared: name, .. }
        | UseKind::Cast { target: name } => needs_type(name),
        UseKind::StoredInArray { element: None } => Some(NarrowNeed::Unknown { line }),
        UseKind::Rethrown
        | UseKind::Concatenated { .. }
        | UseKind::InstanceOf { .. }
        | UseKind::Compared
        | UseKind::Monitor => None,
    }
}
