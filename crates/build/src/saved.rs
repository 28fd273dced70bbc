//! The result of a build, kept for the next run.

use crate::{Project, Workspace};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

fn file(workspace: &Workspace) -> PathBuf {
    workspace.own_folder().join("project.json")
}

/// The project as it was when last built, if it was the same and its copy is still there.
pub(super) fn load(workspace: &Workspace, fingerprint: u64) -> Option<Project> {
    let project: Project = serde_json::from_slice(&fs::read(file(workspace)).ok()?).ok()?;
    let is_there = project.configurations.iter().all(|each| {
        each.java.is_file() && each.working_folder.is_dir() && each.tests.iter().all(|tests| tests.exists())
    });
    (project.fingerprint == fingerprint && project.workspace == *workspace && is_there).then_some(project)
}

/// The project as it was when last built, if its build files were the same; its sources and copy need not be.
pub(super) fn load_for(workspace: &Workspace, build_files: u64) -> Option<Project> {
    let project: Project = serde_json::from_slice(&fs::read(file(workspace)).ok()?).ok()?;
    (project.build_files == Some(build_files) && project.workspace == *workspace).then_some(project)
}

/// From now on until the next [`save`], the copy is nothing to rely on.
pub(super) fn forget(workspace: &Workspace) {
    let _ = fs::remove_file(file(workspace));
}

/// Whole or not at all, and for the user alone: the environment in it may hold secrets. Failing costs a build the next
/// time and nothing else.
pub(super) fn save(project: &Project) {
    let Ok(text) = serde_json::to_vec_pretty(project) else { return };
    let path = file(&project.workspace);
    let unfinished = path.with_extension("unfinished");
    let _ = fs::remove_file(&unfinished);
    let file = File::options().write(true).create_new(true).mode(0o600).open(&unfinished);
    if file.and_then(|mut file| file.write_all(&text)).is_ok() {
        let _ = fs::rename(unfinished, path);
    }
}
