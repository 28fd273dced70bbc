//! Ids of links, which do not depend on the analysis, the view or the machine.
//!
//! ```text
//! link id = hash(point, pair id), 16 hexadecimal digits
//! point   = hash("operation", catalogue entry)                               all methods that the entry names
//!         | hash(kind, class, method, descriptor, ordinal of the instruction)
//! ```
//!
//! The ordinal counts the instructions of the same opcode before this one in its method, so for a `throw` the throws.
//! The hash is that of pair ids, 64-bit FNV-1a ([`stable_hash`]).

use crate::catalogue::Catalogue;
use crate::describe::site_of;
use crate::exception_flow::raising_points::{RaisingKind, RaisingPoint};
use catchment_pointsto::MethodId;
use catchment_pointsto::World;
use catchment_protocol::hash::stable_hash;

/// Id of the link from a raising point to a pair.
pub(crate) fn link_id(point: u64, pair: &str) -> String {
    format!("{:016x}", stable_hash([&point.to_le_bytes()[..], pair.as_bytes()]))
}

/// Hash of a raising point.
pub(crate) fn point_of(world: &World<'_>, catalogue: &Catalogue, point: RaisingPoint) -> u64 {
    let kind = match point.kind {
        RaisingKind::Operation(number) => {
            let entry = catalogue.operations().get(number as usize).map(ToString::to_string);
            return stable_hash([b"operation".as_slice(), entry.unwrap_or_default().as_bytes()]);
        }
        RaisingKind::Throw => "throw".to_owned(),
        RaisingKind::Initialiser => "initialiser".to_owned(),
        RaisingKind::Implicit(kind) => format!("implicit {kind:?}"),
    };
    let site = site_of(world, point.method, None);
    let names = [kind, site.class, site.method, site.descriptor];
    let [kind, class, method, descriptor] = names.each_ref().map(|name| name.as_bytes());
    let ordinal = ordinal_of(world, point.method, point.pc).to_le_bytes();
    stable_hash([kind, class, method, descriptor, &ordinal])
}

/// The number of instructions of the same opcode before this one; 0 in code that cannot be read.
fn ordinal_of(world: &World<'_>, method: MethodId, pc: u16) -> u64 {
    let ordinal = || {
        let file = world.class_of(world.method(method).class).file()?;
        let (_, code) = file.code(world.member_of(method)?).ok()??;
        let insns = code.insns().map_while(Result::ok).take_while(|insn| insn.pc <= usize::from(pc));
        let before: Vec<u8> = insns.map(|insn| insn.opcode).collect();
        let (opcode, before) = before.split_last()?;
        Some(before.iter().filter(|other| *other == opcode).count() as u64)
    };
    ordinal().unwrap_or(0)
}
