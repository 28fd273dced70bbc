//! From a folder to the ways in which its build runs tests.
//!
//! The build runs once, in a copy of the user's tree, with the user's own build files. Nothing is asked of it but to
//! run its tests: how it starts the JVMs that do is seen from outside.

mod build_run;
mod class_folders;
mod command_line;
mod configuration;
mod copy;
mod executions;
mod fingerprint;
mod maven;
mod maven_log;
mod pom;
mod properties;
mod relocate;
mod reports;
mod root;
mod saved;
mod surefire;
mod tree;
mod workspace;

pub use configuration::{Framework, ReportedTest, RunConfiguration, TestFilters};
pub use workspace::Workspace;

use crate::seen::Problem;
use maven::MavenBuild;
use root::{Build, Tool, find_build};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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

/// What a build tool's run gave.
#[derive(Debug)]
struct Found {
    configurations: Vec<RunConfiguration>,
    problems: Vec<Problem>,
}

/// Builds the project and finds out how it runs its tests, or remembers it if nothing has changed since.
pub fn prepare(request: &ProjectRequest, progress: &mut dyn FnMut(&str)) -> Result<Project, ProjectError> {
    let (folder, build) = locate(request)?;
    let workspace = Workspace::of(&build.root);
    let request = ProjectRequest { folder: folder.clone(), ..request.clone() };
    progress("reading the project");
    let fingerprint = fingerprint::fingerprint(&build.root, &request).map_err(|reason| ProjectError::Io {
        action: "cannot read",
        path: build.root.clone(),
        reason,
    })?;
    if let Some(project) = saved::load(&workspace, fingerprint).filter(|_| !request.fresh) {
        progress("nothing has changed since the last build");
        return Ok(project);
    }
    saved::forget(&workspace);
    progress("copying the project");
    workspace.update()?;
    let found = run_build(&request, &build, &workspace, progress)?;
    if found.configurations.is_empty() {
        return Err(ProjectError::NoTests { reason: "the build reported none".to_owned() });
    }
    let configurations = found.configurations.into_iter().map(|each| each.into_copy(&workspace)).collect();
    let project = Project { workspace, configurations, problems: found.problems, fingerprint };
    saved::save(&project);
    Ok(project)
}

/// The folder for all that is kept of the project; it is there afterwards.
pub fn results_folder(request: &ProjectRequest) -> Result<PathBuf, ProjectError> {
    let (_, build) = locate(request)?;
    let workspace = Workspace::of(&build.root);
    workspace.create_own_folder()?;
    Ok(workspace.own_folder())
}

fn locate(request: &ProjectRequest) -> Result<(PathBuf, Build), ProjectError> {
    let folder = fs::canonicalize(&request.folder).map_err(|reason| ProjectError::Io {
        action: "cannot read",
        path: request.folder.clone(),
        reason,
    })?;
    let build = find_build(&folder).ok_or_else(|| ProjectError::NoBuild { folder: folder.clone() })?;
    Ok((folder, build))
}

fn run_build(
    request: &ProjectRequest,
    build: &Build,
    workspace: &Workspace,
    progress: &mut dyn FnMut(&str),
) -> Result<Found, ProjectError> {
    let in_copy = |path: &Path| {
        let relative = path.strip_prefix(&workspace.original).unwrap_or(Path::new(""));
        // `join` with nothing would append a slash.
        if relative.as_os_str().is_empty() { workspace.root.clone() } else { workspace.root.join(relative) }
    };
    let (top, folder) = (in_copy(&build.top), in_copy(&request.folder));
    match build.tool {
        Tool::Maven => {
            MavenBuild { workspace, top, folder, arguments: &request.build_arguments }.run(progress)
        }
        Tool::Gradle => Err(ProjectError::NoBuild { folder }),
    }
}
