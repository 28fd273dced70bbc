//! From a folder to the ways in which its build runs tests.
//!
//! The build runs once, in a copy of the user's tree, with the user's own build files. Nothing is asked of it but to
//! run its tests: how it starts the JVMs that do is seen from outside. Maven's test JVMs are then told to run nothing, since
//! the lab runs the same tests in a JVM of its own.

mod build_files;
mod build_run;
mod class_folders;
mod class_paths;
mod command_line;
mod compiled;
mod compiler_log;
mod configuration;
mod copy;
mod dotless;
mod executions;
mod fingerprint;
mod gradle;
mod libraries;
mod limits;
mod maven;
mod processes;
mod properties;
mod relocate;
mod reports;
mod root;
mod saved;
mod sources;
mod test_class;
mod test_suites;
mod tests_elsewhere;
mod tree;
mod verify;
mod workspace;

pub use class_folders::module_path;
pub use command_line::options_in;
pub use compiled::class_file;
pub use compiler_log::CompilerError;
pub use configuration::{Framework, ReportedTest, RunConfiguration, TestFilters};
pub use copy::remove_all;
pub use dotless::{DotlessFolder, Strayed};
pub use fingerprint::environment as environment_key;
pub use libraries::{Libraries, LibrariesRequest, LibrariesStep, libraries};
pub use limits::BuildLimits;
pub use processes::processor_time;
pub use reports::earlier_longest_test;
pub use sources::{SourceTree, location_of};
pub use verify::{Verified, patched_folder, verify};
pub use workspace::Workspace;

use build_run::TestsInBuild;
use catchment_watch::Problem;
use gradle::GradleBuild;
use limits::{BuildCut, Limit};
use maven::MavenBuild;
use root::{Build, Tool, find_build};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The project and how it is built.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectRequest {
    /// The project or one of its modules.
    pub folder: PathBuf,
    /// For the build tool, as typed behind `--`.
    pub build_arguments: Vec<OsString>,
    /// No build tool: these class paths.
    pub class_paths: Option<ClassPathRequest>,
    /// Build again even if nothing has changed.
    pub fresh: bool,
    /// Files in the tree that this tool writes itself: no part of the project.
    pub reports: Vec<PathBuf>,
}

/// Classes that somebody else has built.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClassPathRequest {
    /// The application.
    pub class_path: Vec<PathBuf>,
    /// Tests and the libraries they need.
    pub test_class_path: Vec<PathBuf>,
    /// Patterns of class names (`com.acme.*Test`); empty: all tests in the class folders of `test_class_path`.
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
    /// Modules that the user asked for, in the copy; empty: all are.
    pub asked_for: Vec<PathBuf>,
    /// Changes with the user's files, the build arguments and the version of this tool.
    pub fingerprint: u64,
    /// Changes with the build files alone; `None` without a build tool.
    #[serde(default)]
    pub build_files: Option<u64>,
    /// The build was ended before it had started all of its tests, so there may be more. Such a project is not kept.
    #[serde(skip)]
    pub is_cut: bool,
}

/// The reason why there is nothing to run, in one line.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("no build found in {}: expected pom.xml, build.gradle or settings.gradle, or --classpath", folder.display())]
    NoBuild { folder: PathBuf },
    #[error("cannot read {}: {reason}", folder.display())]
    NoFolder { folder: PathBuf, reason: io::Error },
    #[error("cannot find {tool}, which this project is built with; install it or put it on the PATH")]
    ToolMissing { tool: String },
    #[error("the build failed: {reason} (log: {})", log.display())]
    BuildFailed { reason: String, log: PathBuf },
    #[error("{reason}, so it was ended (log: {})", log.display())]
    BuildHangs { reason: String, log: PathBuf },
    #[error("{reason} (log: {})", log.display())]
    OutOfTime { reason: String, log: PathBuf },
    #[error("the build ran no tests: {reason} (log: {})", log.display())]
    NoTestJvm { reason: String, log: PathBuf },
    #[error(
        "the build ran its tests, and then {} was gone: one of the tests deletes it, and without the classes in it no test \
         can run again (log: {})", folder.display(), log.display()
    )]
    ClassesDeleted { folder: PathBuf, log: PathBuf },
    #[error("no tests: {reason}")]
    NoTests { reason: String },
    #[error("cannot copy the project to {}: {reason}", to.display())]
    Copy { to: PathBuf, reason: String },
    #[error("cannot run tests from the class path: {0}")]
    ClassPath(String),
    #[error("cannot {action} {}: {reason}", path.display())]
    Io { action: &'static str, path: PathBuf, reason: io::Error },
    #[error("interrupted")]
    Interrupted,
    #[error(transparent)]
    Install(#[from] catchment_watch::InstallError),
}

/// The error of an action on a file or folder.
fn cannot(action: &'static str, path: &Path) -> impl Fn(io::Error) -> ProjectError {
    move |reason| ProjectError::Io { action, path: path.to_owned(), reason }
}

/// The result of a build tool's run.
#[derive(Debug)]
struct Found {
    configurations: Vec<RunConfiguration>,
    problems: Vec<Problem>,
    /// Whether the whole build succeeded. Of one that failed in part nobody knows which tests are missing.
    is_whole: bool,
    /// The build was ended before its time.
    cut: Option<BuildCut>,
}

impl Found {
    /// What there is of a build that was ended before its time, unless it is nothing at all.
    fn unless_empty(self, log: PathBuf) -> Result<Self, ProjectError> {
        match &self.cut {
            Some(cut) if self.configurations.is_empty() => {
                let reason = cut.what.clone();
                Err(match cut.limit {
                    Limit::Deadline => ProjectError::OutOfTime { reason, log },
                    Limit::Silence(_) => ProjectError::BuildHangs { reason, log },
                })
            }
            _ => Ok(self),
        }
    }
}

impl Found {
    /// Tests run in the build's copy and may delete what they find there, the class folders of their module included.
    fn without_lost_classes(mut self, workspace: &Workspace) -> Result<Self, ProjectError> {
        let lost = |configuration: &RunConfiguration| configuration.lost_classes(&workspace.root);
        let first = self.configurations.iter().find_map(lost);
        let Some(folder) = first else { return Ok(self) };
        for configuration in &self.configurations {
            if let Some(folder) = lost(configuration) {
                let what =
                    format!("none of its tests can run again: one of them deletes {}", folder.display());
                self.problems.push(Problem { place: configuration.name.clone(), what });
            }
        }
        self.configurations.retain(|configuration| lost(configuration).is_none());
        let log = workspace.own_folder().join("build.log");
        match self.configurations.is_empty() {
            true => Err(ProjectError::ClassesDeleted { folder, log }),
            // Another time the test may leave them alone.
            false => Ok(Self { is_whole: false, ..self }),
        }
    }
}

/// The folders of a project.
#[derive(Debug)]
struct Located {
    /// The folder that the user asked for, without links.
    folder: PathBuf,
    /// The folder that is copied.
    root: PathBuf,
    /// `None`: no build tool.
    build: Option<Build>,
}

/// Builds the project and finds out how it runs its tests, or remembers it if nothing has changed since. Of a build that
/// runs into a limit only those tests are known that it had reported before.
pub fn prepare(
    request: &ProjectRequest,
    limits: BuildLimits,
    progress: &mut dyn FnMut(&str),
) -> Result<Project, ProjectError> {
    let located = locate(request)?;
    let workspace = Workspace::of(&located.root);
    let request = ProjectRequest { folder: located.folder.clone(), ..request.clone() };
    progress("reading the project");
    let reports = workspace::own_reports(&workspace, &request.reports);
    let fingerprint =
        fingerprint::fingerprint(&located.root, &request, &reports).map_err(cannot("read", &located.root))?;
    if let Some(project) = saved::load(&workspace, fingerprint).filter(|_| !request.fresh) {
        progress("nothing has changed since the last build");
        return Ok(project);
    }
    saved::forget(&workspace);
    let build_files = located.build.as_ref().map(|build| build_files::content_key(&located.root, build.tool));
    if located.build.is_some() {
        workspace.wipe_outputs_of_another(fingerprint::environment())?;
    }
    let found = find_tests(&request, located.build.as_ref(), &workspace, limits, progress)?;
    let found = found.without_lost_classes(&workspace)?;
    if found.configurations.is_empty() {
        return Err(ProjectError::NoTests { reason: "the build reported none".to_owned() });
    }
    let complete =
        |each: RunConfiguration| each.into_copy(&workspace).note_parallel_tests().note_suite_files();
    let configurations = found.configurations.into_iter().map(complete).collect();
    let asked_for = modules_asked_for(&located, &workspace);
    let (problems, is_cut) = (found.problems, found.cut.is_some());
    let project =
        Project { workspace, configurations, problems, asked_for, fingerprint, build_files, is_cut };
    if found.is_whole {
        saved::save(&project);
    }
    Ok(project)
}

/// Empty for a whole build.
fn modules_asked_for(located: &Located, workspace: &Workspace) -> Vec<PathBuf> {
    let folder = workspace.in_copy(&located.folder);
    match &located.build {
        Some(build) if build.top != located.folder => match build.tool {
            Tool::Maven => maven::pom::modules_of(&folder),
            Tool::Gradle => vec![folder],
        },
        _ => Vec::new(),
    }
}

/// The folders of the project, with the one for all that is kept of it; that is there afterwards.
pub fn workspace(request: &ProjectRequest) -> Result<Workspace, ProjectError> {
    let workspace = Workspace::of(&locate(request)?.root);
    workspace.create_own_folder()?;
    Ok(workspace)
}

fn locate(request: &ProjectRequest) -> Result<Located, ProjectError> {
    let folder = fs::canonicalize(&request.folder)
        .map_err(|reason| ProjectError::NoFolder { folder: request.folder.clone(), reason })?;
    if request.class_paths.is_some() {
        return Ok(Located { root: folder.clone(), folder, build: None });
    }
    let build = find_build(&folder).ok_or_else(|| ProjectError::NoBuild { folder: folder.clone() })?;
    Ok(Located { folder, root: build.root.clone(), build: Some(build) })
}

fn find_tests(
    request: &ProjectRequest,
    build: Option<&Build>,
    workspace: &Workspace,
    limits: BuildLimits,
    progress: &mut dyn FnMut(&str),
) -> Result<Found, ProjectError> {
    progress("copying the project");
    let Some(build) = build else {
        workspace.update_with_outputs()?;
        return class_paths::configurations(&request.class_paths.clone().unwrap_or_default(), workspace);
    };
    workspace.update()?;
    self::build(request, build, workspace, (TestsInBuild::LeftOut, limits), progress)
}

/// Lets the build go as far as its tests in this copy. Gradle runs them in any case.
fn build(
    request: &ProjectRequest,
    build: &Build,
    workspace: &Workspace,
    (tests, limits): (TestsInBuild, BuildLimits),
    progress: &mut dyn FnMut(&str),
) -> Result<Found, ProjectError> {
    let (top, folder) = (workspace.in_copy(&build.top), workspace.in_copy(&request.folder));
    let arguments = &request.build_arguments;
    match build.tool {
        Tool::Maven => MavenBuild { workspace, top, folder, arguments, tests, limits }.run(progress),
        Tool::Gradle => GradleBuild { workspace, top, folder, arguments, limits }.run(progress),
    }
}
