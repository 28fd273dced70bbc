//! What the project's own build and tests say of changed sources.

use super::maven_log::compiler_errors;
use super::workspace::Workspace;
use super::{Project, ProjectError, ProjectRequest, build, locate};
use catchment_protocol::lab::Outcome;
use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

/// The answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verified {
    /// It compiles, and so many tests pass, among them all that did before.
    Passes { tests: usize },
    DoesNotCompile {
        errors: Vec<CompilerError>,
        /// The first of them, or whatever the build said.
        reason: String,
    },
    /// A test that passed before does not.
    TestFails { test: String },
}

/// What a compiler has to say about a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompilerError {
    pub(crate) path: PathBuf,
    pub(crate) line: u32,
    pub(crate) message: String,
}

/// Builds a copy of the project in which the files (by path in the project) have other contents.
pub(crate) fn verify(
    request: &ProjectRequest,
    before: &Project,
    files: &[(PathBuf, String)],
    progress: &mut dyn FnMut(&str),
) -> Result<Verified, ProjectError> {
    let located = locate(request)?;
    let Some(tool) = &located.build else {
        let reason = "there is no build that could compile it".to_owned();
        return Ok(Verified::DoesNotCompile { errors: Vec::new(), reason });
    };
    let copy = patched_copy(before, files)?;
    let request = ProjectRequest { folder: located.folder.clone(), ..request.clone() };
    match build(&request, tool, &copy, progress) {
        Ok(found) => {
            let reported = found.configurations.iter().flat_map(|configuration| &configuration.reported);
            let passed: HashSet<_> = reported
                .filter(|test| test.outcome == Outcome::Passed)
                .map(|test| (test.class.clone(), test.name.clone()))
                .collect();
            let failing = first_failing(before, &passed);
            Ok(failing.map_or(Verified::Passes { tests: passed.len() }, |test| Verified::TestFails { test }))
        }
        Err(ProjectError::BuildFailed { reason, log }) => {
            let log = String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned();
            Ok(Verified::DoesNotCompile { errors: compiler_errors(&log), reason })
        }
        Err(error) => Err(error),
    }
}

/// Without outputs: not every build notices what a changed source means for others.
fn patched_copy(before: &Project, files: &[(PathBuf, String)]) -> Result<Workspace, ProjectError> {
    let folder = before.workspace.own_folder().join("patched");
    let failed = |reason| ProjectError::Copy { to: folder.clone(), reason };
    let copy = before.workspace.fork(&folder).map_err(|error| failed(error.to_string()))?;
    copy.wipe_outputs().map_err(|error| failed(error.to_string()))?;
    for (path, content) in files {
        fs::write(copy.root.join(path), content).map_err(|error| failed(error.to_string()))?;
    }
    Ok(copy)
}

fn first_failing(before: &Project, passed: &HashSet<(String, String)>) -> Option<String> {
    let reported = before.configurations.iter().flat_map(|configuration| &configuration.reported);
    let mut missing = reported
        .filter(|test| test.outcome == Outcome::Passed)
        .filter(|test| !passed.contains(&(test.class.clone(), test.name.clone())));
    missing.next().map(|test| format!("{}.{}", test.class, test.name))
}
