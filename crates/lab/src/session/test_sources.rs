//! Source files and modules of tests.

use crate::observations::TestNumber;
use crate::store::KnownTest;
use catchment_build::{Project, SourceTree};
use catchment_classfile::ClassFile;
use catchment_pairs::ClassLocation;
use catchment_verdicts::CheckedTest;
use std::collections::HashMap;
use std::fs;

/// Notes where the class of each test comes from. `known` has the tests in the same order.
pub(super) fn locate(project: &Project, known: &[(TestNumber, KnownTest)], tests: &mut [CheckedTest]) {
    let sources = SourceTree::read(&project.workspace.root, &project.workspace.original);
    let mut found: HashMap<(usize, &str), ClassLocation> = HashMap::new();
    for ((_, test), checked) in known.iter().zip(tests) {
        let class = test.unit.class.as_str();
        let location = found
            .entry((test.configuration, class))
            .or_insert_with(|| location_of(project, &sources, test.configuration, class).unwrap_or_default());
        checked.location.clone_from(location);
    }
}

/// `None` for a class that is in none of the test folders of its run configuration.
fn location_of(
    project: &Project,
    sources: &SourceTree,
    configuration: usize,
    class: &str,
) -> Option<ClassLocation> {
    let file = format!("{}.class", class.replace('.', "/"));
    let folders = &project.configurations.get(configuration)?.tests;
    let (folder, bytes) =
        folders.iter().find_map(|folder| Some((folder, fs::read(folder.join(&file)).ok()?)))?;
    let source_file = ClassFile::parse(&bytes).ok()?.source_file().map(|name| name.to_string());
    Some(sources.location_of(class, source_file.as_deref(), folder))
}
