//! Failures of a check.

use crate::session::{LabError, Session};

/// The reason why a check came to no result, in one line.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    #[error(transparent)]
    Lab(#[from] LabError),
    #[error("--include and --exclude leave no try-catch pair (whole class names: com.acme.* for a package)")]
    NothingSelected,
    #[error("no test passed with nothing injected: {0}")]
    NothingPasses(String),
    #[error("{0}, and nothing was found out by then: give it more time")]
    OutOfTime(String),
}

impl CheckError {
    /// The user's Ctrl-C and a full disk explain every other failure, failing tests included.
    pub(crate) fn explained(self, session: &Session<'_>) -> Self {
        match (self, session.ledger().store.require_space()) {
            (Self::Lab(error), space) => Self::Lab(error.explained(space)),
            (_, Err(full)) => Self::Lab(full.into()),
            (error, Ok(())) => error,
        }
    }
}
