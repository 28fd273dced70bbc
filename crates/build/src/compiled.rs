//! Compiled clauses of a built project.

use crate::Project;
use catchment_pairs::ClassPairs;
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

/// The compiled copies of the clause of the pair with this id: indices of the tries and of the clause in each.
pub fn sites_of(pairs: &ClassPairs, id: &str) -> Vec<(usize, usize)> {
    let clauses = pairs.tries.iter().enumerate();
    let clauses =
        clauses.flat_map(|(index, site)| (0..site.clauses.len()).map(move |clause| (index, clause)));
    let is_own = |&(index, clause): &(usize, usize)| {
        pairs.pairs.get(pairs.pair_of(index, clause)).is_some_and(|pair| pair.id == id)
    };
    clauses.filter(is_own).collect()
}
