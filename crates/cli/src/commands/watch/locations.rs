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

#[cfg(test)]
mod tests {
    use super::*;
    use catchment_pairs::ClauseDescription;

    fn located(code_sources: &[String]) -> ClassLocation {
        let clause = ClauseDescription { class: "a.B".to_owned(), ..ClauseDescription::default() };
        let class_source = Some("B.java".to_owned());
        let code_sources = code_sources.to_vec();
        let mut pairs = [WatchedPair { clause, class_source, code_sources, ..WatchedPair::default() }];
        fill_in(&mut pairs);
        let [pair] = pairs;
        pair.location
    }

    #[test]
    fn a_class_is_located_if_all_its_code_sources_say_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        for file in ["p/src/main/java/a/B.java", "p/target/classes/a/B.class", "lib/b.jar"] {
            fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
            fs::write(folder.path().join(file), "").unwrap();
        }
        fs::write(folder.path().join("p/pom.xml"), "<project/>").unwrap();
        let (classes, jar) = (path("p/target/classes"), path("lib/b.jar"));
        let in_project = ClassLocation {
            source: Some("src/main/java/a/B.java".to_owned()),
            module: Some(".".to_owned()),
            jar: None,
        };
        let in_jar = ClassLocation { jar: Some("b.jar".to_owned()), ..ClassLocation::default() };
        assert_eq!(located(&[classes.clone(), format!("{classes}/")]), in_project);
        assert_eq!(located(std::slice::from_ref(&jar)), in_jar);
        for unknown in [vec![classes, jar], vec![path("gone")], Vec::new()] {
            assert_eq!(located(&unknown), ClassLocation::default(), "{unknown:?}");
        }
    }
}
