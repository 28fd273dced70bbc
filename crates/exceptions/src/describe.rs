//! From numbers to names and lines.

use crate::answer::{ExceptionType, Place, RaisePoint, RaisedBy};
use crate::catalogue::Catalogue;
use crate::raises::{Raise, RaiseKind};
use catchment_classfile::LineTable;
use catchment_pointsto::ids::{ClassId, MethodId};
use catchment_pointsto::world::{Typed, World};

/// A method, and the line of an instruction of it.
pub(crate) fn place_of(world: &World<'_>, method: MethodId, pc: Option<u16>) -> Place {
    let class = world.class_of(world.method(method).class);
    let member = world.member_of(method);
    let file = class.file();
    Place {
        layer: class.layer,
        class: class.binary_name(),
        method: member.map(|member| member.name.to_string()).unwrap_or_default(),
        descriptor: member.map(|member| member.descriptor.to_string()).unwrap_or_default(),
        source_file: file.and_then(|file| file.source_file()).map(|name| name.to_string()),
        line: pc.and_then(|pc| line_of(world, method, pc)),
    }
}

fn line_of(world: &World<'_>, method: MethodId, pc: u16) -> Option<u32> {
    let file = world.class_of(world.method(method).class).file()?;
    let (_, code) = file.code(world.member_of(method)?).ok()??;
    LineTable::read(&code, &file.pool).line_at(pc).map(u32::from)
}

pub(crate) fn raise_point(world: &World<'_>, catalogue: &Catalogue, raise: Raise) -> RaisePoint {
    let (by, pc) = match raise.kind {
        RaiseKind::Operation(number) => {
            let number = number as usize;
            let kind = catalogue.operations().get(number).map(|operation| operation.kind.to_string());
            (RaisedBy::Operation { kind: kind.unwrap_or_default(), number }, None)
        }
        RaiseKind::Throw => (RaisedBy::Throw, Some(raise.pc)),
        RaiseKind::Initialiser | RaiseKind::Implicit(_) => (RaisedBy::Implicit, Some(raise.pc)),
    };
    RaisePoint { by, place: place_of(world, raise.method, pc) }
}

pub(crate) fn exception_type(world: &World<'_>, typed: Typed) -> ExceptionType {
    ExceptionType { name: world.class_of(typed.class).binary_name(), is_exact: typed.is_exact }
}

/// The nearest class that all of these are.
pub(crate) fn common_class(world: &World<'_>, types: &[Typed]) -> Option<ClassId> {
    let first = types.first()?.class;
    let mut above = std::iter::successors(Some(first), |class| world.class_of(*class).superclass);
    above.find(|class| types.iter().all(|typed| world.is_subtype(typed.class, *class)))
}
