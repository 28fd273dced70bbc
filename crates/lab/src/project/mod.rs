//! From a folder to the ways in which its build runs tests.
//!
//! The build runs once, in a copy of the user's tree, with the user's own build files. Nothing is asked of it but to
//! run its tests: how it starts the JVMs that do is seen from outside.

mod configuration;
mod workspace;

pub use configuration::{Framework, ReportedTest, RunConfiguration, TestFilters};
pub use workspace::Workspace;

use crate::seen::Problem;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// What the user asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRequest {
    /// The project or one of its modules.
    pub folder: PathBuf,
    /// For the build tool, as typed behind `--`.
    pub build_arguments: Vec<OsString>,
    /// No build tool: these class paths.
    pub plain: Option<PlainRequest>,
    /// Build again even if nothing has changed.
    pub fresh: bool,
}

/// Classes that somebody else has built.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlainRequest {
    /// The application.
    pub class_path: Vec<PathBuf>,
    /// Tests and the libraries they need.
    pub test_class_path: Vec<PathBuf>,
    /// Class name patterns (`com.acme.*Test`) or class folders; empty: all classes of the class folders in
    /// `test_class_path` that look like tests.
    pub tests: Vec<String>,
    /// The Java to use instead of `JAVA_HOME` or the one on the `PATH`.
    pub java: Option<PathBuf>,
}

/// A built project and how it runs its tests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    pub workspace: Workspace,
    pub configurations: Vec<RunConfiguration>,
    pub problems: Vec<Problem>,
    /// Changes with the user's files, the build arguments and the version of this tool.
    pub fingerprint: u64,
}

/// Why there is nothing to run. Each is one line.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("no build found in {}: expected pom.xml, build.gradle or settings.gradle, or --classpath", folder.display())]
    NoBuild { folder: PathBuf },
    #[error("cannot find {tool}, which this project is built with; install it or put it on the PATH")]
    ToolMissing { tool: String },
    #[error("the build failed: {reason} (log: {})", log.display())]
    BuildFailed { reason: String, log: PathBuf },
    #[error("the build ran no tests: {reason} (log: {})", log.display())]
    NoTestJvm { reason: String, log: PathBuf },
    #[error("no tests: {reason}")]
    NoTests { reason: String },
    #[error("cannot copy the project to {}: {reason}", to.display())]
    Copy { to: PathBuf, reason: String },
    #[error("cannot run tests from the class path: {0}")]
    Plain(String),
    #[error("{action} {}: {reason}", path.display())]
    Io { action: &'static str, path: PathBuf, reason: io::Error },
    #[error(transparent)]
    Install(#[from] crate::install::InstallError),
}
