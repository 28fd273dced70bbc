//! Everything that the results of a project depend on, as it is now.

use super::ground::{GroundPart, ground};
use catchment_build::{Project, ProjectRequest};
use catchment_classfile::ClassFile;
use catchment_pairs::{ClassDigest, digest_of};
use catchment_program::{LoadOptions, visit};
use catchment_protocol::hash::hash64;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The name of a class in the store: several modules may have a class of one name.
pub(crate) type ClassKey = String;

/// A class in a class folder of the project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DependentClass {
    /// Of its bytes, as agents tell it.
    pub(crate) hash: u64,
    pub(crate) digest: ClassDigest,
    /// A class of tests, or one inside it, that no other class names: others see nothing of it.
    pub(crate) is_leaf: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Dependencies {
    pub(crate) ground: Vec<GroundPart>,
    pub(crate) classes: BTreeMap<ClassKey, DependentClass>,
}

impl Dependencies {
    pub(crate) fn of(project: &Project, request: &ProjectRequest) -> Self {
        Self { ground: ground(project, request), classes: classes(project) }
    }

    /// Changes with every part of the ground.
    pub(crate) fn ground_key(&self) -> u64 {
        let parts = self.ground.iter().flat_map(|part| part.hash.to_le_bytes());
        hash64(&parts.collect::<Vec<_>>())
    }
}

fn classes(project: &Project) -> BTreeMap<ClassKey, DependentClass> {
    let mut folders: BTreeMap<PathBuf, bool> = BTreeMap::new();
    for configuration in &project.configurations {
        folders.extend(configuration.application.iter().map(|folder| (folder.clone(), false)));
        folders.extend(configuration.tests.iter().map(|folder| (folder.clone(), true)));
    }
    let mut classes: BTreeMap<ClassKey, DependentClass> = BTreeMap::new();
    let mut of_tests = BTreeSet::new();
    for (folder, is_of_tests) in folders.into_iter().filter(|(folder, _)| folder.is_dir()) {
        let visited = visit(&folder, &LoadOptions::default(), &mut |class| {
            let hash = hash64(class.bytes);
            let digest = match ClassFile::parse(class.bytes) {
                Ok(parsed) => digest_of(&parsed),
                // Nobody can load it; as long as it is this, nothing has changed.
                Err(_) => ClassDigest {
                    class: class.expected_name().replace('/', "."),
                    shape: hash,
                    ..ClassDigest::default()
                },
            };
            if is_of_tests {
                of_tests.insert(digest.class.clone());
            }
            let key = free_key(&classes, &digest.class, hash);
            classes.insert(key, DependentClass { hash, digest, is_leaf: false });
        });
        // What cannot be visited is told where pairs are looked for. Its absence is a change.
        let _ = visited;
    }
    mark_leaves(project, &mut classes, &of_tests);
    classes
}

fn free_key(classes: &BTreeMap<ClassKey, DependentClass>, class: &str, hash: u64) -> ClassKey {
    let numbered = (2..).map(|number| format!("{class} ({number})"));
    let mut keys = std::iter::once(class.to_owned()).chain(numbered);
    let is_free = |key: &String| classes.get(key).is_none_or(|known| known.hash == hash);
    keys.find(is_free).unwrap_or_default()
}

fn mark_leaves(
    project: &Project,
    classes: &mut BTreeMap<ClassKey, DependentClass>,
    of_tests: &BTreeSet<String>,
) {
    let named_by_others: BTreeSet<String> = classes
        .values()
        .flat_map(|class| {
            let own = outermost(&class.digest.class).to_owned();
            class.digest.named.iter().map(|name| outermost(name).to_owned()).filter(move |name| *name != own)
        })
        .collect();
    let run = project.configurations.iter().flat_map(|configuration| &configuration.test_classes);
    let leaves: BTreeSet<&str> = run
        .map(|class| outermost(class))
        .filter(|class| of_tests.contains(*class) && !named_by_others.contains(*class))
        .collect();
    for class in classes.values_mut() {
        class.is_leaf = leaves.contains(outermost(&class.digest.class));
    }
}

/// `a.Test` of `a.Test$Inner$Most`.
pub(super) fn outermost(class: &str) -> &str {
    let simple = class.rfind('.').map_or(0, |dot| dot + 1);
    // A name may begin with the sign.
    let end = class[simple..].char_indices().skip(1).find(|(_, sign)| *sign == '$');
    end.map_or(class, |(end, _)| &class[..simple + end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_class_is_the_name_before_the_first_sign_inside_it() {
        let outermost_of = ["a.T", "a.T$In$Most", "a.$T$1", "T$1", "a$b.T"];
        assert_eq!(outermost_of.map(outermost), ["a.T", "a.T", "a.$T", "T", "a$b.T"]);
    }

    #[test]
    fn a_name_that_two_modules_use_is_numbered_and_equal_files_are_one_class() {
        let class = |hash| DependentClass { hash, ..DependentClass::default() };
        let classes = BTreeMap::from([("a.T".to_owned(), class(1)), ("a.T (2)".to_owned(), class(2))]);
        assert_eq!([1, 2, 3].map(|hash| free_key(&classes, "a.T", hash)), ["a.T", "a.T (2)", "a.T (3)"]);
    }
}
