//! A number that changes with everything a build depends on that we know of.

use crate::ProjectRequest;
use crate::build_run::find_program;
use crate::copy::Selection;
use crate::tree::{Sources, SourcesAndOutputs, visit_tree};
use catchment_protocol::hash::hash64;
use catchment_watch::embedded_content;
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Changes when a saved project of an older form would be understood wrongly.
const FORM: u64 = 1;

/// Variables that change what a build does although no file has changed.
const VARIABLES: &[&str] =
    &["JAVA_HOME", "MAVEN_OPTS", "MAVEN_ARGS", "GRADLE_OPTS", "JAVA_OPTS", "CLASSPATH"];

/// What we are told in the tree. It changes what is looked for and reported, not what tests say.
const SETTINGS: &str = "catchment.toml";

/// Over the paths and contents of the sources below `root` (and of the outputs, if no build tool will make them), the
/// request, and this tool with what it puts into JVMs. Its own reports do not count.
pub(super) fn fingerprint(
    root: &Path,
    request: &ProjectRequest,
    own_reports: &BTreeSet<PathBuf>,
) -> io::Result<u64> {
    let mut parts = Parts::default();
    parts.add(&FORM.to_le_bytes());
    parts.add(env!("CARGO_PKG_VERSION").as_bytes());
    parts.add(&embedded_content().to_le_bytes());
    parts.add(request.folder.as_os_str().as_bytes());
    parts.add(&serde_json::to_vec(&(&request.build_arguments, &request.class_paths))?);
    parts.add(&environment().to_le_bytes());
    if let Some(class_paths) = &request.class_paths {
        class_paths
            .class_path
            .iter()
            .chain(&class_paths.test_class_path)
            .for_each(|entry| parts.add_age(entry));
    }
    let selection: &dyn Selection = if request.class_paths.is_some() { &SourcesAndOutputs } else { &Sources };
    visit_tree(root, Path::new(""), selection, &mut |relative, metadata| {
        let is_settings = relative.file_name().is_some_and(|name| name == SETTINGS);
        if is_settings || own_reports.contains(&root.join(relative)) {
            return Ok(());
        }
        parts.add(relative.as_os_str().as_bytes());
        parts
            .add_file(&root.join(relative), metadata)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", relative.display())))
    })?;
    Ok(hash64(&parts.0))
}

/// Changes with the JDK and the build tools at hand, and what they are told by variables.
pub fn environment() -> u64 {
    let mut parts = Parts::default();
    for name in VARIABLES {
        parts.add(env::var_os(name).unwrap_or_default().as_bytes());
    }
    for program in ["java", "mvn", "gradle"] {
        let real = find_program(program).and_then(|program| fs::canonicalize(program).ok());
        parts.add(real.unwrap_or_default().as_os_str().as_bytes());
    }
    hash64(&parts.0)
}

/// Hashes of the parts; they are hashed again at the end.
#[derive(Default)]
struct Parts(Vec<u8>);

impl Parts {
    fn add(&mut self, part: &[u8]) {
        self.0.extend_from_slice(&hash64(part).to_le_bytes());
    }

    fn add_file(&mut self, path: &Path, metadata: &fs::Metadata) -> io::Result<()> {
        if metadata.is_symlink() {
            self.add(fs::read_link(path)?.as_os_str().as_bytes());
        } else if metadata.is_file() {
            self.add(&(metadata.permissions().mode() & 0o111).to_le_bytes());
            self.add(&fs::read(path)?);
        }
        Ok(())
    }

    /// For a library outside the tree.
    fn add_age(&mut self, file: &Path) {
        let age =
            fs::metadata(file).map(|metadata| (metadata.len(), metadata.mtime(), metadata.mtime_nsec()));
        self.add(format!("{age:?}", age = age.unwrap_or_default()).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_tool_is_told_and_writes_does_not_matter() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::write(root.join("pom.xml"), "a").unwrap();
        let request = ProjectRequest { folder: root.clone(), ..ProjectRequest::default() };
        let reports = BTreeSet::from([root.join("check.json")]);
        let fingerprint = |root: &Path, request: &ProjectRequest| fingerprint(root, request, &reports);
        let first = fingerprint(&root, &request).unwrap();
        for own in ["catchment.toml", "check.json", ".catchment-Xa1"] {
            fs::write(root.join(own), "b").unwrap();
            assert_eq!(fingerprint(&root, &request).unwrap(), first, "{own}");
        }
        fs::write(root.join("other.json"), "b").unwrap();
        assert_ne!(fingerprint(&root, &request).unwrap(), first);
    }

    #[test]
    fn contents_names_and_arguments_matter_and_outputs_do_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("pom.xml"), "a").unwrap();
        fs::write(root.join("src/A.java"), "b").unwrap();
        let mut request = ProjectRequest { folder: root.to_owned(), ..ProjectRequest::default() };
        let fingerprint =
            |root: &Path, request: &ProjectRequest| fingerprint(root, request, &BTreeSet::new());
        let first = fingerprint(root, &request).unwrap();
        for made in ["target", ".catchment", ".git"] {
            fs::create_dir(root.join(made)).unwrap();
            fs::write(root.join(made).join("x"), "c").unwrap();
        }
        assert_eq!(fingerprint(root, &request).unwrap(), first);
        fs::write(root.join("src/A.java"), "c").unwrap();
        let changed = fingerprint(root, &request).unwrap();
        assert_ne!(changed, first);
        fs::rename(root.join("src/A.java"), root.join("src/B.java")).unwrap();
        assert_ne!(fingerprint(root, &request).unwrap(), changed);
        fs::rename(root.join("src/B.java"), root.join("src/A.java")).unwrap();
        request.build_arguments = vec!["-Pfast".into()];
        assert_ne!(fingerprint(root, &request).unwrap(), changed);
    }
}
