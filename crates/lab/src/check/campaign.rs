//! What the threads of one check share, and how it can fail.

use super::slot::Lab;
use crate::install::InstallError;
use crate::project::ProjectError;
use crate::store::{Store, StoreError};
use crate::worker::WorkerEnd;
use catchment_verdicts::CheckedProject;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Why a check came to no result. Each is one line.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error(transparent)]
    Project(#[from] ProjectError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Install(#[from] InstallError),
    #[error("another catchment (process {process}) is working on this project")]
    Busy { process: String },
    #[error("cannot use {}: {reason}", path.display())]
    Folder { path: PathBuf, reason: io::Error },
    #[error("{0}")]
    Worker(WorkerEnd),
    /// Nothing is lost: the next check goes on from here.
    #[error("interrupted; what the check has finished is kept, and the next one goes on from there")]
    Interrupted,
    #[error("--include and --exclude leave no try-catch pair (whole class names: com.acme.* for a package)")]
    NothingSelected,
    #[error(
        "--to {0}: no exception of this name is on the class path of the tests (java.io.IOException in full; only names of java.lang may be short)"
    )]
    UnknownType(String),
    #[error(
        "--to Throwable: a clause for exceptions is not made one for errors; java.lang.Exception is the widest"
    )]
    TooWide,
    #[error(
        "a patch has to be compiled and tested by the project's own build, and there is none (no Maven or Gradle): leave out --diff and --apply"
    )]
    NoBuildToPatch,
    #[error("no test passed twice with nothing injected: {0}")]
    NothingPasses(String),
}

impl CheckError {
    /// An interrupted worker or build means that the user wants to stop, whatever it was doing.
    pub(crate) fn settled(self) -> Self {
        match self {
            Self::Worker(WorkerEnd::Interrupted) | Self::Project(ProjectError::Interrupted) => {
                Self::Interrupted
            }
            other => other,
        }
    }
}

/// What changes during a check.
#[derive(Debug)]
pub(crate) struct Campaign {
    pub(crate) store: Store,
    /// Grows from the baselines to the verdicts' evidence.
    pub(crate) checked: CheckedProject,
}

/// Everything the slots' threads use.
pub(crate) struct Shared<'a> {
    pub(crate) lab: &'a Lab<'a>,
    pub(crate) campaign: Mutex<Campaign>,
    pub(crate) deadline: Option<Instant>,
    /// How long a suite may give no sign of life.
    pub(crate) silence: Duration,
}

impl Shared<'_> {
    /// A panic in another thread ends the check anyway; what the lock protects is written through to the store.
    pub(crate) fn campaign(&self) -> MutexGuard<'_, Campaign> {
        self.campaign.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_interrupted(&self) -> bool {
        self.lab.interrupt.load(Ordering::Relaxed)
    }

    /// On a full disk whatever goes wrong goes wrong because of that.
    pub(crate) fn explained(&self, error: CheckError) -> CheckError {
        match (error, self.campaign().store.require_space()) {
            (CheckError::Interrupted, _) => CheckError::Interrupted,
            (_, Err(full)) => CheckError::Store(full),
            (error, Ok(())) => error,
        }
    }

    /// No new work is to be started.
    pub(crate) fn is_over(&self) -> bool {
        self.is_interrupted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
