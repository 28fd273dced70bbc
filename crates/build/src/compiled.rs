//! Class files of a built project.

use crate::Project;
use std::fs;
use std::path::{Path, PathBuf};

/// The class file of an application class, by its path in the copy of the project, and its content. `None` if it is in a jar
/// or elsewhere.
pub fn class_file(project: &Project, class: &str) -> Option<(PathBuf, Vec<u8>)> {
    let file = PathBuf::from(format!("{}.class", class.replace('.', "/")));
    let mut folders = project.configurations.iter().flat_map(|configuration| &configuration.application);
    folders.find_map(|folder| read_in(&project.workspace.root, folder, &file))
}

fn read_in(root: &Path, folder: &Path, file: &Path) -> Option<(PathBuf, Vec<u8>)> {
    let path = folder.join(file);
    let relative = path.strip_prefix(root).ok()?.to_owned();
    Some((relative, fs::read(&path).ok()?))
}
