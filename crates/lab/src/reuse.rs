//! Results that are used again after an edit: what they depend on, and what an edit makes of them.
//!
//! ```text
//! ground      all that no test can be asked about apart: libraries, resources, how JVMs are started ── differs: begin anew
//! classes     the shape of each class, what others can see of it ───────────────────────────────────── differs: begin anew
//! methods     a digest of each body, and the lines of its code
//! executed    the methods that each test has entered, in runs and in experiments; those that belong to no test
//! changes     bodies that differ, and so the tests whose results are stale
//! lines       the lines that stored texts name, where only these have moved
//! ```
//!
//! Stale results are worse than results that are asked for again: whatever is not known counts as changed.

mod changes;
mod dependencies;
mod executed;
mod ground;
mod lines;

pub(crate) use changes::{Changes, Difference, Known, KnownClass, KnownMethod, Stale, StoredTest, changes};
pub(crate) use dependencies::{ClassKey, Dependencies, DependentClass};
pub(crate) use executed::{Entries, Executed, MethodNumber, MethodSet, Owner};
pub(crate) use ground::GroundPart;
pub(crate) use lines::MovedLines;
