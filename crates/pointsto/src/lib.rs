//! Which methods a program can reach, and which objects its variables can hold.
//!
//! ```text
//! entry points ──► methods ──► statements ──► constraint graph ──► objects flow ──► calls find new targets ─┐
//!                     ▲                                                                                     │
//!                     └─────────────────────────────────────────────────────────────────────────────────────┘
//! ```

mod base;
mod blind;
mod bounds;
mod callgraph;
mod calls;
mod ceiling;
mod constructors;
mod contexts;
mod dynamic;
mod entries;
pub mod graph;
pub mod heap;
mod hierarchy_calls;
pub mod ids;
mod implicit;
mod initialisers;
mod models;
mod natives;
mod objects;
mod options;
mod outside;
mod reflection;
mod serialisation;
mod services;
mod sets;
mod settled;
mod solver;
mod statements;
mod stored;
pub mod world;

pub use base::{Base, Refusal};
pub use blind::{Blind, BlindSpot};
pub use callgraph::{Call, CallKind, Code, Reached, Stats, Thrown};
pub use ceiling::{Ceiling, Coarsened, analyse_within};
pub use contexts::Sensitivity;
pub use implicit::{Implicit, ImplicitKind, ImplicitKinds};
pub use options::{Analysis, Options};
pub use reflection::Recorded;
pub use sets::Set;

use hierarchy_calls::HierarchyCalls;
use solver::Solver;
use world::{ClassSource, World};

/// Follows a program from its entry points, which `entries` finds among its classes.
pub fn analyse<'a>(
    source: &'a dyn ClassSource,
    options: impl Into<Options>,
    entries: impl FnOnce(&mut World<'a>) -> Vec<ids::MethodId>,
) -> Reached<'a> {
    analyse_recorded(source, options, &[], entries)
}

/// Like [`analyse`], with targets of reflective calls that were seen in runs of the program.
pub fn analyse_recorded<'a>(
    source: &'a dyn ClassSource,
    options: impl Into<Options>,
    recorded: &[Recorded],
    entries: impl FnOnce(&mut World<'a>) -> Vec<ids::MethodId>,
) -> Reached<'a> {
    let options = options.into();
    match options.analysis {
        Analysis::Cha | Analysis::Rta => {
            let mut calls = HierarchyCalls::new(source, options);
            calls.prepare_reflection(recorded);
            let entries = entries(&mut calls.world);
            calls.add_entries(&entries);
            calls.solve();
            calls.into_found().into_reached()
        }
        Analysis::Objects(sensitivity) => {
            Solver::begin(source, sensitivity, &options, recorded).finish(entries)
        }
    }
}
