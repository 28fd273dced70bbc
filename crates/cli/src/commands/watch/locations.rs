//! Locations of watched classes, in whatever builds the class folders and jars of the run lie.

use catchment_build::{SourceTree, location_of};
use catchment_pairs::ClassLocation;
use catchment_watch::WatchedPair;
use std::fs;

/// Fills in the locations of the pairs' classes, as far as their code sources tell. Pairs of one class stand together.
pub(super) fn fill_in(pairs: &mut [WatchedPair]) {
    let mut projects = Vec::new();
    let is_same = |pair: &WatchedPair, next: &WatchedPair| {
        (&pair.clause.class, pair.class_hash) == (&next.clause.class, next.class_hash)
    };
    for class in pairs.chunk_by_mut(is_same) {
        let [first, ..] = &*class else { continue };
        let location = location(first, &mut projects);
        class.iter_mut().for_each(|pair| pair.location.clone_from(&location));
    }
}

/// The location that all code sources of the class agree on.
fn location(pair: &WatchedPair, projects: &mut Vec<SourceTree>) -> ClassLocation {
    let mut locations = pair.code_sources.iter().map(|source| location_in(pair, source, projects));
    let first = locations.next().unwrap_or_default();
    if locations.all(|other| other == first) { first } else { ClassLocation::default() }
}

fn location_in(pair: &WatchedPair, code_source: &str, projects: &mut Vec<SourceTree>) -> ClassLocation {
    let Ok(container) = fs::canonicalize(code_source) else { return ClassLocation::default() };
    if !projects.iter().any(|project| project.holds(&container)) {
        projects.extend(SourceTree::around(&container));
    }
    let project = projects.iter().find(|project| project.holds(&container));
    location_of(project, &pair.clause.class, pair.class_source.as_deref(), &container)
}
