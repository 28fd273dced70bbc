//! Call graphs and points-to analysis: the methods a program can reach, and the objects its variables can hold.
//!
//! ```text
//! entry points ──► methods ──► statements ──► constraint graph ──► objects flow ──► calls find new targets ─┐
//!                     ▲                                                                                     │
//!                     └─────────────────────────────────────────────────────────────────────────────────────┘
//! ```

mod base;
mod blind;
mod bounds;
mod cache_format;
mod callgraph;
mod ceiling;
mod classes_only;
mod graph;
mod heap;
mod ids;
mod implicit;
mod models;
mod objects;
mod options;
mod sets;
mod solver;
mod world;

pub use base::{Base, Refusal};
pub use blind::{Blind, BlindSpot};
pub use callgraph::{Call, CallKind, Code, Reached, Stats, Thrown};
pub use ceiling::{Ceiling, Coarsened, analyse_within};
pub use graph::{Filter, FilterClass, FilterClassFlow, Filters, Graph, strongly_connected};
pub use heap::{Access, Heap, Part, number_of};
pub use ids::{ClassId, FieldId, InstanceId, MethodId, NodeId, SelectorId};
pub use implicit::{Implicit, ImplicitKind, ImplicitKinds};
pub use options::{CallGraphKind, Options};
pub use sets::Set;
pub use solver::contexts::Sensitivity;
pub use solver::reflection::ReflectiveTarget;
pub use world::{
    Class, ClassSource, Differs, Field, Fits, Layer, Method, ModuleServices, Typed, World, services_file,
};

use classes_only::ClassesOnly;
use solver::Solver;

/// Follows a program from its entry points, which `entries` finds among its classes.
pub fn analyse<'a>(
    source: &'a dyn ClassSource,
    options: impl Into<Options>,
    entries: impl FnOnce(&mut World<'a>) -> Vec<MethodId>,
) -> Reached<'a> {
    analyse_with_targets(source, options, &[], entries)
}

/// Like [`analyse`], with targets of reflective calls that were seen in runs of the program.
pub fn analyse_with_targets<'a>(
    source: &'a dyn ClassSource,
    options: impl Into<Options>,
    recorded: &[ReflectiveTarget],
    entries: impl FnOnce(&mut World<'a>) -> Vec<MethodId>,
) -> Reached<'a> {
    let options = options.into();
    match options.analysis {
        CallGraphKind::Cha | CallGraphKind::Rta => {
            let mut calls = ClassesOnly::new(source, options);
            calls.prepare_reflection(recorded);
            let entries = entries(&mut calls.world);
            calls.add_entries(&entries);
            calls.solve();
            calls.into_found().into_reached()
        }
        CallGraphKind::Objects(sensitivity) => {
            Solver::begin(source, sensitivity, &options, recorded).finish(entries)
        }
    }
}
