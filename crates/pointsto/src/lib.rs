//! Which methods a program can reach, and which objects its variables can hold.
//!
//! ```text
//! entry points ──► methods ──► statements ──► constraint graph ──► objects flow ──► calls find new targets ─┐
//!                     ▲                                                                                     │
//!                     └─────────────────────────────────────────────────────────────────────────────────────┘
//! ```

mod blind;
mod callgraph;
mod calls;
mod constructors;
mod contexts;
mod dynamic;
mod entries;
pub mod graph;
pub mod ids;
mod initialisers;
mod models;
mod natives;
mod objects;
mod sets;
mod solver;
mod statements;
pub mod world;

pub use blind::{Blind, BlindSpot};
pub use callgraph::{Call, CallKind, Code, Reached, Stats, Thrown};
pub use contexts::Sensitivity;
pub use sets::Set;

use solver::Solver;
use world::{ClassSource, World};

/// Follows a program from its entry points, which `entries` finds among its classes.
pub fn analyse<'a>(
    source: &'a dyn ClassSource,
    sensitivity: Sensitivity,
    entries: impl FnOnce(&mut World<'a>) -> Vec<ids::MethodId>,
) -> Reached<'a> {
    let mut solver = Solver::new(source, sensitivity);
    let entries = entries(&mut solver.world);
    solver.add_entries(&entries);
    solver.solve();
    solver.into_found().into_reached()
}
