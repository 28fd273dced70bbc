//! Failures of a session.

use crate::store::StoreError;
use crate::worker::WorkerEnd;
use catchment_build::ProjectError;
use catchment_watch::InstallError;
use std::io;
use std::path::PathBuf;

/// The reason why a session came to no result, in one line.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    #[error(transparent)]
    Project(ProjectError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Install(#[from] InstallError),
    #[error("another catchment (process {process}) is working on this project")]
    Busy { process: String },
    #[error("cannot use {}: {reason}", path.display())]
    Folder { path: PathBuf, reason: io::Error },
    /// Any end but an interruption.
    #[error("{0}")]
    Worker(WorkerEnd),
    /// Nothing is lost: the next session goes on from here.
    #[error("interrupted; what was finished is kept, and the next run goes on from there")]
    Interrupted,
    /// Whoever has something to say by then says it.
    #[error("the budget was used up")]
    OutOfTime,
}

impl From<WorkerEnd> for LabError {
    fn from(end: WorkerEnd) -> Self {
        match end {
            WorkerEnd::Interrupted => Self::Interrupted,
            WorkerEnd::OutOfTime => Self::OutOfTime,
            end => Self::Worker(end),
        }
    }
}

impl From<ProjectError> for LabError {
    fn from(error: ProjectError) -> Self {
        match error {
            ProjectError::Interrupted => Self::Interrupted,
            error => Self::Project(error),
        }
    }
}

impl LabError {
    /// The user's Ctrl-C and a full disk explain every other failure.
    pub(crate) fn explained(self, space: Result<(), StoreError>) -> Self {
        match (self, space) {
            (Self::Interrupted, _) => Self::Interrupted,
            (_, Err(full)) => Self::Store(full),
            (error, Ok(())) => error,
        }
    }
}
