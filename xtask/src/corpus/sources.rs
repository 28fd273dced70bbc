//! Sources of classes.

use anyhow::{Context, Result, bail};
use catchment_program::{find_java_homes, jdk_image};
use catchment_testkit::maven;
use std::fmt;
use std::path::{Path, PathBuf};

const COORDINATES: &str = include_str!("../../corpus.txt");

/// The JDKs whose modules belong to the corpus.
const JDKS: &[u32] = &[17, 25];

/// One mvn run fetches this many: few runs, and no other user of the artifact folder waits for long.
const BATCH: usize = 40;

/// A jar, or a JDK image.
#[derive(Debug)]
pub(super) enum Source {
    Jar { coordinate: String, path: PathBuf },
    Jdk { feature: u32, image: PathBuf, modules: Option<String> },
}

impl Source {
    pub(super) fn jar(&self) -> Option<&Path> {
        match self {
            Self::Jar { path, .. } => Some(path),
            Self::Jdk { .. } => None,
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jar { coordinate, .. } => f.write_str(coordinate),
            Self::Jdk { feature, modules: Some(modules), .. } => write!(f, "jdk-{feature}/{modules}"),
            Self::Jdk { feature, modules: None, .. } => write!(f, "jdk-{feature}"),
        }
    }
}

/// All sources that `only` asks for: the JDKs first, since a class met again is not looked at again.
pub(super) fn all(only: Option<&str>) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for feature in JDKS {
        if let Some(modules) = wanted_modules(*feature, only) {
            sources.push(Source::Jdk { feature: *feature, image: image_of(*feature)?, modules });
        }
    }
    let coordinates: Vec<&str> =
        coordinates().filter(|coordinate| only.is_none_or(|only| coordinate.contains(only))).collect();
    for batch in coordinates.chunks(BATCH) {
        let paths = maven::resolve(batch)?;
        sources.extend(
            batch.iter().zip(paths).map(|(it, path)| Source::Jar { coordinate: (*it).to_owned(), path }),
        );
    }
    if sources.is_empty() {
        bail!("nothing in the corpus is named like {}", only.unwrap_or_default());
    }
    Ok(sources)
}

pub(super) fn coordinates() -> impl Iterator<Item = &'static str> {
    COORDINATES.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// `Some(None)` for all modules, `Some(Some(module))` for one, `None` for nothing of this JDK.
fn wanted_modules(feature: u32, only: Option<&str>) -> Option<Option<String>> {
    let name = format!("jdk-{feature}");
    match only {
        None => Some(None),
        Some(only) if only == name => Some(None),
        Some(only) => only.strip_prefix(&format!("{name}/")).map(|module| Some(module.to_owned())),
    }
}

pub(super) fn image_of(feature: u32) -> Result<PathBuf> {
    let home = find_java_homes().into_iter().find(|home| home.feature_version == feature);
    let home = home.with_context(|| format!("no JDK {feature} found"))?;
    jdk_image(&home.path).with_context(|| format!("JDK {feature} has no lib/modules"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coordinate_is_named_once() {
        let mut all: Vec<&str> = coordinates().collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn one_module_of_one_jdk_can_be_asked_for() {
        assert_eq!(wanted_modules(17, None), Some(None));
        assert_eq!(wanted_modules(17, Some("jdk-17")), Some(None));
        assert_eq!(wanted_modules(17, Some("jdk-17/java.sql")), Some(Some("java.sql".to_owned())));
        assert_eq!(wanted_modules(17, Some("guava")), None);
    }
}
