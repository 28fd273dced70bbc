//! Exit codes. Documented in `--help` and in `docs/exit-codes.md`; scripts rely on them.

use catchment_build::ProjectError;
use catchment_exceptions::SearchError;
use catchment_lab::{CheckError, LabError, StretchError};
use catchment_program::LoadError;
use catchment_watch::WatchError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExitCode(u8);

impl ExitCode {
    pub(crate) const CLEAN: Self = Self(0);
    /// A check has findings that the user wants to hear of.
    pub(crate) const FINDINGS: Self = Self(1);
    /// Usage, or input that cannot be read. Also clap's own code for wrong arguments.
    pub(crate) const USAGE: Self = Self(2);
    /// Nothing could be observed: no build, no tests, none that passes, no JVM under the agent, no application classes.
    pub(crate) const NOTHING_OBSERVED: Self = Self(3);
    pub(crate) const INTERNAL: Self = Self(4);
    /// As shells report a program that ended by Ctrl-C.
    pub(crate) const INTERRUPTED: Self = Self(130);

    /// The code of a watched program, whatever it is.
    pub(crate) fn of_program(code: i32) -> Self {
        Self(u8::try_from(code & 0xff).unwrap_or(u8::MAX))
    }

    pub(crate) fn of(error: &anyhow::Error) -> Self {
        match error.downcast_ref::<WatchError>() {
            Some(WatchError::NoCommand | WatchError::AlreadyWatched | WatchError::CannotStart { .. }) => {
                return Self::USAGE;
            }
            Some(WatchError::Install(_) | WatchError::ResultsFolder(_)) => return Self::NOTHING_OBSERVED,
            Some(WatchError::Results(_)) => return Self::INTERNAL,
            None => {}
        }
        match error.downcast_ref::<StretchError>() {
            Some(StretchError::Check(error)) => return Self::of_check(error),
            Some(_) => return Self::USAGE,
            None => {}
        }
        if let Some(error) = error.downcast_ref::<CheckError>() {
            return Self::of_check(error);
        }
        if error.is::<LoadError>() || error.is::<BadInput>() || error.is::<SearchError>() {
            Self::USAGE
        } else if error.is::<NothingObserved>() {
            Self::NOTHING_OBSERVED
        } else {
            Self::INTERNAL
        }
    }
}

impl ExitCode {
    fn of_check(error: &CheckError) -> Self {
        match error {
            CheckError::Lab(error) => Self::of_lab(error),
            CheckError::NothingSelected => Self::USAGE,
            CheckError::NothingPasses(_) | CheckError::OutOfTime(_) => Self::NOTHING_OBSERVED,
        }
    }

    fn of_lab(error: &LabError) -> Self {
        match error {
            LabError::Project(
                ProjectError::NoBuild { .. } | ProjectError::NoFolder { .. } | ProjectError::ClassPath(_),
            )
            | LabError::Folder { .. }
            | LabError::Busy { .. } => Self::USAGE,
            LabError::Interrupted => Self::INTERRUPTED,
            LabError::Project(_)
            | LabError::Install(_)
            | LabError::Worker(_)
            | LabError::Store(_)
            | LabError::OutOfTime => Self::NOTHING_OBSERVED,
        }
    }
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code.0)
    }
}

/// Input of which nothing could be used.
#[derive(Debug)]
pub(crate) struct BadInput(pub(crate) String);

impl std::fmt::Display for BadInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// A run that cannot give an answer.
#[derive(Debug)]
pub(crate) struct NothingObserved(pub(crate) String);

impl std::fmt::Display for NothingObserved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NothingObserved {}
