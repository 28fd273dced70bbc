//! A number that changes with the files that say what a project is built from, and not with its sources.

use crate::root::Tool;
use crate::tree::{Sources, visit_tree};
use catchment_protocol::hash::hash64;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Changes when what is kept under it would be understood wrongly.
const FORM: u64 = 1;

/// Folders of Gradle builds whose sources are code of the build itself.
const GRADLE_LOGIC: &[&str] = &["buildSrc", "build-logic", "gradle"];
const GRADLE_FILES: &[&str] = &[".gradle", ".gradle.kts", ".versions.toml", "gradle.properties", ".lockfile"];

/// Over paths and contents. A file that cannot be read counts as empty.
pub(super) fn content_key(root: &Path, tool: Tool) -> u64 {
    let mut parts = FORM.to_le_bytes().to_vec();
    // Whatever cannot be visited cannot be built from either.
    let _ = visit_tree(root, Path::new(""), &Sources, &mut |relative, metadata| {
        if metadata.is_file() && is_build_file(relative, tool) {
            parts.extend(hash64(relative.as_os_str().as_bytes()).to_le_bytes());
            parts.extend(hash64(&fs::read(root.join(relative)).unwrap_or_default()).to_le_bytes());
        }
        Ok(())
    });
    hash64(&parts)
}

fn is_build_file(relative: &Path, tool: Tool) -> bool {
    let name = relative.file_name().unwrap_or_default().to_string_lossy();
    let lies_in = |folder: &str| relative.components().any(|part| part.as_os_str() == folder);
    match tool {
        Tool::Maven => name == "pom.xml" || lies_in(".mvn"),
        Tool::Gradle => {
            GRADLE_LOGIC.iter().any(|folder| lies_in(folder))
                || GRADLE_FILES.iter().any(|ending| name.ends_with(ending))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_do_not_matter_and_build_files_do() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, content: &str| {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
            (content_key(folder.path(), Tool::Maven), content_key(folder.path(), Tool::Gradle))
        };
        let first = write("core/pom.xml", "a");
        assert_eq!(write("core/src/main/java/A.java", "a"), first);
        assert_eq!(write("src/main/resources/a.properties", "a"), first);
        let second = write("core/pom.xml", "b");
        assert!(second.0 != first.0 && second.1 == first.1);
        for file in ["app/build.gradle.kts", "gradle/libs.versions.toml", "buildSrc/src/main/kotlin/A.kt"] {
            let before = content_key(folder.path(), Tool::Gradle);
            let after = write(file, "a");
            assert!(after.1 != before && after.0 == second.0, "{file}");
        }
        assert_ne!(write(".mvn/maven.config", "-Pfast").0, second.0);
    }
}
