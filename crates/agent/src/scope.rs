//! Classes of the application.
//!
//! By default those that come from class folders: what a build has just produced lies there, while libraries come as
//! jars. When the application's locations are named, only those count. Patterns add and remove. Classes of the JDK
//! and of the tests never count. No JVM here, only names and locations.

use crate::lock;
use catchment_protocol::options::{AgentOptions, percent_decode};
use catchment_protocol::pattern;
use rustc_hash::FxHashMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Protocol and path of the URL a class was loaded from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CodeSource {
    pub(crate) protocol: String,
    pub(crate) path: String,
}

/// A class of the tests beside its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Built {
    AsDelivered,
    /// Somebody has changed it before.
    Differently,
    /// Made at run time: there is no file.
    Not,
}

/// The decision about a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Not the application's.
    Leave,
    /// The tests'.
    Test {
        built: Built,
    },
    /// The application's, but runs as delivered, for the reason given.
    Skip {
        code_source: String,
        reason: &'static str,
    },
    Weave {
        code_source: String,
        changed_before: bool,
    },
}

#[derive(Debug, Default)]
pub(crate) struct Scope {
    include: Vec<String>,
    exclude: Vec<String>,
    application: Vec<PathBuf>,
    tests: Vec<PathBuf>,
    /// Meanings of the paths of URLs. Few; asking the file system once is enough.
    locations: Mutex<FxHashMap<String, CodeLocation>>,
}

/// The meaning of a URL.
#[derive(Debug, Clone, Default)]
struct CodeLocation {
    /// Set if it is a folder.
    folder: Option<PathBuf>,
    is_application: bool,
    is_tests: bool,
}

impl Scope {
    pub(crate) fn new(options: &AgentOptions) -> Self {
        let resolved = |paths: &[PathBuf]| paths.iter().map(|path| resolve(path)).collect();
        Self {
            include: options.include.clone(),
            exclude: options.exclude.clone(),
            application: resolved(&options.application),
            tests: resolved(&options.tests),
            locations: Mutex::default(),
        }
    }

    /// `class` is a binary name with dots; `code_source` is `None` when the class was made without one.
    pub(crate) fn decide(&self, class: &str, code_source: Option<&CodeSource>, bytes: &[u8]) -> Decision {
        let place = code_source.map(|source| self.place_of(source)).unwrap_or_default();
        if place.is_tests {
            return Decision::Test { built: built(place.folder.as_deref(), class, bytes) };
        }
        if is_jdk(code_source) || matches_any(&self.exclude, class) {
            return Decision::Leave;
        }
        let folder = place.folder.as_deref();
        if matches_any(&self.include, class) {
            let changed_before = folder.is_some_and(|folder| differs_from_file(folder, class, bytes));
            return Decision::Weave { code_source: describe(code_source, folder), changed_before };
        }
        match folder {
            _ if !place.is_application => Decision::Leave,
            Some(folder) => decide_in_folder(folder, class, bytes),
            None => Decision::Weave { code_source: describe(code_source, None), changed_before: false },
        }
    }

    /// Tells whether a class from there is the application's or the tests', woven or not.
    pub(crate) fn is_of_project(&self, class: &str, code_source: Option<&CodeSource>) -> bool {
        let place = code_source.map(|source| self.place_of(source)).unwrap_or_default();
        place.is_tests || place.is_application || matches_any(&self.include, class)
    }

    fn place_of(&self, source: &CodeSource) -> CodeLocation {
        if source.protocol != "file" {
            return CodeLocation::default();
        }
        let mut locations = lock(&self.locations);
        if let Some(known) = locations.get(&source.path) {
            return known.clone();
        }
        let place = self.look_at(source);
        locations.insert(source.path.clone(), place.clone());
        place
    }

    fn look_at(&self, source: &CodeSource) -> CodeLocation {
        let Some(bytes) = percent_decode(&source.path) else { return CodeLocation::default() };
        let path = PathBuf::from(OsString::from_vec(bytes));
        let folder = path.is_dir().then(|| path.components().collect());
        let resolved = resolve(&path);
        let is_application = match self.application.as_slice() {
            [] => folder.is_some(),
            named => named.contains(&resolved),
        };
        CodeLocation { folder, is_application, is_tests: self.tests.contains(&resolved) }
    }
}

/// Links may lead to one place by several names.
fn resolve(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Class loaders that generate classes (mocks, proxies) often hand them the code source of the class they imitate: only
/// what lies in the folder was built.
fn decide_in_folder(folder: &Path, class: &str, bytes: &[u8]) -> Decision {
    let code_source = folder.to_string_lossy().into_owned();
    match std::fs::read(class_file(folder, class)) {
        Ok(built) => Decision::Weave { code_source, changed_before: built != bytes },
        Err(_) => Decision::Skip { code_source, reason: "made at run time, not in the class folder" },
    }
}

fn built(folder: Option<&Path>, class: &str, bytes: &[u8]) -> Built {
    match folder.and_then(|folder| std::fs::read(class_file(folder, class)).ok()) {
        Some(built) if built == bytes => Built::AsDelivered,
        Some(_) => Built::Differently,
        None => Built::Not,
    }
}

fn differs_from_file(folder: &Path, class: &str, bytes: &[u8]) -> bool {
    std::fs::read(class_file(folder, class)).is_ok_and(|built| built != bytes)
}

fn class_file(folder: &Path, class: &str) -> PathBuf {
    folder.join(class.replace('.', "/") + ".class")
}

fn is_jdk(code_source: Option<&CodeSource>) -> bool {
    code_source.is_some_and(|source| source.protocol == "jrt")
}

fn matches_any(patterns: &[String], class: &str) -> bool {
    patterns.iter().any(|each| pattern::matches(each, class))
}

fn describe(code_source: Option<&CodeSource>, folder: Option<&Path>) -> String {
    match (folder, code_source) {
        (Some(folder), _) => folder.to_string_lossy().into_owned(),
        (None, Some(source)) if source.protocol == "file" => percent_decode(&source.path)
            .map_or_else(|| source.path.clone(), |bytes| String::from_utf8_lossy(&bytes).into_owned()),
        (None, Some(source)) => format!("{}:{}", source.protocol, source.path),
        (None, None) => "no code source".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct ClassFolder(PathBuf);

    impl ClassFolder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("catchment scope {name} {}", std::process::id()));
            std::fs::create_dir_all(folder.join("com/acme")).unwrap();
            std::fs::write(folder.join("com/acme/Cache.class"), b"built").unwrap();
            Self(folder)
        }

        fn source(&self) -> CodeSource {
            CodeSource { protocol: "file".into(), path: self.0.to_string_lossy().replace(' ', "%20") + "/" }
        }

        fn woven(&self, changed_before: bool) -> Decision {
            Decision::Weave { code_source: self.0.to_string_lossy().into_owned(), changed_before }
        }
    }

    impl Drop for ClassFolder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn jar() -> CodeSource {
        CodeSource { protocol: "file".into(), path: "/lib/a%20b.jar".into() }
    }

    fn patterns(include: &[&str], exclude: &[&str]) -> Scope {
        let texts = |patterns: &[&str]| patterns.iter().map(|each| (*each).to_owned()).collect();
        Scope::new(&AgentOptions {
            include: texts(include),
            exclude: texts(exclude),
            ..AgentOptions::default()
        })
    }

    #[test]
    fn only_named_places_are_the_application_s_and_tests_never_are() {
        let (named, other, tests) =
            (ClassFolder::new("named"), ClassFolder::new("other"), ClassFolder::new("tests"));
        let jar = named.0.join("module.jar");
        std::fs::write(&jar, b"").unwrap();
        let scope = Scope::new(&AgentOptions {
            application: vec![named.0.join("com/.."), jar.clone()],
            tests: vec![tests.0.clone()],
            include: vec!["com.acme.*".into()],
            exclude: vec!["org.*".into()],
            ..AgentOptions::default()
        });
        let decide = |folder: &ClassFolder, class| scope.decide(class, Some(&folder.source()), b"built");
        assert_eq!(decide(&named, "org.Other"), Decision::Leave);
        assert!(matches!(decide(&named, "net.Made"), Decision::Skip { .. }));
        assert_eq!(decide(&named, "com.acme.Cache"), named.woven(false));
        assert_eq!(decide(&other, "net.Cache"), Decision::Leave);
        assert_eq!(decide(&other, "com.acme.Cache"), other.woven(false));
        assert_eq!(decide(&tests, "com.acme.Cache"), Decision::Test { built: Built::AsDelivered });
        let jar_source =
            CodeSource { protocol: "file".into(), path: jar.display().to_string().replace(' ', "%20") };
        assert!(matches!(scope.decide("net.A", Some(&jar_source), b""), Decision::Weave { .. }));
    }

    #[test]
    fn built_classes_in_folders_are_woven_and_changes_are_noticed() {
        let folder = ClassFolder::new("built");
        let scope = Scope::default();
        assert_eq!(scope.decide("com.acme.Cache", Some(&folder.source()), b"built"), folder.woven(false));
        assert_eq!(scope.decide("com.acme.Cache", Some(&folder.source()), b"other"), folder.woven(true));
    }

    #[test]
    fn classes_made_at_run_time_are_skipped() {
        let folder = ClassFolder::new("mock");
        let decision = Scope::default().decide("com.acme.Cache$Mock", Some(&folder.source()), b"made");
        assert!(matches!(decision, Decision::Skip { .. }), "{decision:?}");
    }

    #[test]
    fn jars_the_jdk_and_classes_from_nowhere_are_left_alone() {
        let scope = Scope::default();
        assert_eq!(scope.decide("org.lib.A", Some(&jar()), b""), Decision::Leave);
        assert_eq!(scope.decide("org.lib.A", None, b""), Decision::Leave);
    }

    #[test]
    fn patterns_add_from_anywhere_but_the_jdk_and_exclusion_wins() {
        let scope = patterns(&["org.lib.*", "java.*"], &["*Secret"]);
        let woven = Decision::Weave { code_source: "/lib/a b.jar".into(), changed_before: false };
        assert_eq!(scope.decide("org.lib.A", Some(&jar()), b""), woven);
        assert_eq!(scope.decide("org.lib.Secret", Some(&jar()), b""), Decision::Leave);
        let jdk = CodeSource { protocol: "jrt".into(), path: "/java.sql".into() };
        assert_eq!(scope.decide("java.sql.Driver", Some(&jdk), b""), Decision::Leave);
        let folder = ClassFolder::new("excluded");
        let scope = patterns(&[], &["com.acme.*"]);
        assert_eq!(scope.decide("com.acme.Cache", Some(&folder.source()), b"built"), Decision::Leave);
    }
}
