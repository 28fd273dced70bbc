//! From numbers to names and lines.

use crate::answer::{ExceptionType, PointDescription, RaisedBy, Site};
use crate::catalogue::Catalogue;
use crate::exception_flow::raising_points::{RaisingKind, RaisingPoint};
use catchment_classfile::LineTable;
use catchment_pointsto::{ClassId, MethodId};
use catchment_pointsto::{Typed, World};

/// An instruction of a method, or the method as a whole.
pub(crate) fn site_of(world: &World<'_>, method: MethodId, pc: Option<u16>) -> Site {
    let class = world.class_of(world.method(method).class);
    let member = world.member_of(method);
    let file = class.file();
    Site {
        layer: class.layer,
        class: class.binary_name(),
        method: member.map(|member| member.name.to_string()).unwrap_or_default(),
        descriptor: member.map(|member| member.descriptor.to_string()).unwrap_or_default(),
        file: file.and_then(|file| file.source_file()).map(|name| name.to_string()),
        line: pc.and_then(|pc| line_of(world, method, pc)),
        pc,
    }
}

fn line_of(world: &World<'_>, method: MethodId, pc: u16) -> Option<u32> {
    let file = world.class_of(world.method(method).class).file()?;
    let (_, code) = file.code(world.member_of(method)?).ok()??;
    LineTable::read(&code, &file.pool).line_at(pc).map(u32::from)
}

pub(crate) fn describe_point(
    world: &World<'_>,
    catalogue: &Catalogue,
    point: RaisingPoint,
) -> PointDescription {
    let (by, pc) = match point.kind {
        RaisingKind::Operation(number) => return operation_point(world, catalogue, point, number as usize),
        RaisingKind::Throw => (RaisedBy::Throw, Some(point.pc)),
        RaisingKind::Initialiser | RaisingKind::Implicit(_) => (RaisedBy::Implicit, Some(point.pc)),
    };
    PointDescription { by, site: site_of(world, point.method, pc) }
}

/// All methods of a catalogue entry are one raising point, named as the entry names them.
fn operation_point(
    world: &World<'_>,
    catalogue: &Catalogue,
    point: RaisingPoint,
    number: usize,
) -> PointDescription {
    let of_method = site_of(world, point.method, None);
    let Some(operation) = catalogue.operations().get(number) else {
        return PointDescription { by: RaisedBy::Operation { kind: String::new(), number }, site: of_method };
    };
    let site = Site {
        class: operation.class.clone(),
        method: operation.method.clone(),
        descriptor: operation.descriptor.clone().unwrap_or_default(),
        ..of_method
    };
    PointDescription { by: RaisedBy::Operation { kind: operation.kind.to_string(), number }, site }
}

pub(crate) fn exception_type(world: &World<'_>, typed: Typed) -> ExceptionType {
    ExceptionType { name: world.class_of(typed.class).binary_name(), is_exact: typed.is_exact }
}

/// The nearest class that all of these are.
pub(crate) fn common_class(world: &World<'_>, types: &[Typed]) -> Option<ClassId> {
    let first = types.first()?.class;
    world.lineage(first).find(|class| types.iter().all(|typed| world.is_subtype(typed.class, *class)))
}
