//! Runs a project's tests in worker JVMs, with exceptions thrown into them, and stores every result.
//!
//! `check` judges the catch clauses of a project, `stretch` looks for those that can safely catch more; both leave the
//! judging to the `verdicts` crate. Finding out how a project runs its tests is the `build` crate's, putting the agent into
//! a JVM the `watch` crate's, the looks of results the `report` crate's.

mod baseline;
mod campaign;
mod check;
mod clean;
mod observations;
mod progress;
mod reuse;
mod session;
mod slot;
mod store;
mod stretch;
mod trial;
mod worker;

pub use check::{CheckError, CheckRequest, check};
pub use clean::{Removed, clean, trim};
pub use progress::{Progress, Silent};
pub use session::{ChangedLines, FindingWishes, LabError, PairSelection, RevisionError, SessionRequest};
pub use store::StoreError;
pub use stretch::{
    Accepted, Case, Evidence, Illegal, Patch, PatchedFile, Refusal, StretchError, StretchRequest, Stretched,
    StretchedClause, stretch,
};
pub use worker::WorkerEnd;
