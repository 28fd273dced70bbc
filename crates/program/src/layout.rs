//! Meanings of entry names in the archive layouts of the JVM world. Names only, no bytes.
//!
//! | layout | classes | further archives |
//! | --- | --- | --- |
//! | jar | root, `META-INF/versions/N/` | |
//! | Spring Boot jar | also `BOOT-INF/classes/` | `BOOT-INF/lib/*.jar` |
//! | war | also `WEB-INF/classes/` | `WEB-INF/lib/*.jar`, `WEB-INF/lib-provided/*.jar` |
//! | ear, rar | root | every jar, war and rar |
//! | jmod | `classes/` | |
//!
//! A jar anywhere else is data of the program (an agent it unpacks, a test resource), not part of its class path.

const CLASS_ROOTS: &[&str] = &["BOOT-INF/classes/", "WEB-INF/classes/"];
const LIBRARY_FOLDERS: &[&str] = &["BOOT-INF/lib/", "WEB-INF/lib/", "WEB-INF/lib-provided/"];
const JMOD_CLASSES: &[&str] = &["classes/"];
const VERSIONS: &str = "META-INF/versions/";

/// The release that brought multi-release jars; the JDK ignores folders for older ones.
const FIRST_VERSIONED_RELEASE: u32 = 9;

/// Conventions for the names in a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Jars, Spring Boot jars and wars, and the same unpacked: their special folders cannot be confused.
    Jar,
    /// Ears and resource adapters: archives of archives.
    Ear,
    Jmod,
}

/// The kind of one entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LayoutPart<'a> {
    Class(ClassPlace<'a>),
    Archive,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClassPlace<'a> {
    /// The class folder inside the container with its final slash; empty for the container's root.
    pub(crate) root: &'static str,
    /// The entry below that root.
    pub(crate) entry: &'a str,
    /// `N` for `META-INF/versions/N/`.
    pub(crate) release: Option<u32>,
}

impl Layout {
    /// The layout of an archive; `names` because an ear may have any file name.
    pub(crate) fn of_archive<'a>(file_name: &str, mut names: impl Iterator<Item = &'a str>) -> Self {
        if has_extension(file_name, &["jmod"]) {
            Self::Jmod
        } else if has_extension(file_name, &["ear", "rar"]) || names.any(|n| n == "META-INF/application.xml")
        {
            Self::Ear
        } else {
            Self::Jar
        }
    }

    pub(crate) fn place_of<'a>(self, name: &'a str) -> LayoutPart<'a> {
        // Obfuscators name entries `a/B.class/` to hide them from unzip; the JVM finds and loads them.
        let name = name.strip_suffix('/').unwrap_or(name);
        if name.ends_with(".class") {
            self.class_place(name).map_or(LayoutPart::Other, LayoutPart::Class)
        } else if self.is_library(name) {
            LayoutPart::Archive
        } else {
            LayoutPart::Other
        }
    }

    fn class_place<'a>(self, name: &'a str) -> Option<ClassPlace<'a>> {
        let roots = if self == Self::Jmod { JMOD_CLASSES } else { CLASS_ROOTS };
        for root in roots {
            if let Some(entry) = name.strip_prefix(root) {
                return Some(ClassPlace { root, entry, release: None });
            }
        }
        if self == Self::Jmod {
            return None;
        }
        match name.strip_prefix(VERSIONS) {
            Some(versioned) => {
                let release = release_of(versioned)?;
                Some(ClassPlace { root: "", entry: name, release: Some(release) })
            }
            None => Some(ClassPlace { root: "", entry: name, release: None }),
        }
    }

    fn is_library(self, name: &str) -> bool {
        match self {
            Self::Jar => {
                has_extension(name, &["jar"]) && LIBRARY_FOLDERS.iter().any(|folder| name.starts_with(folder))
            }
            Self::Ear => has_extension(name, &["jar", "war", "rar"]),
            Self::Jmod => false,
        }
    }
}

/// The entry without its `META-INF/versions/N/` and `.class`: the internal name the class should have.
pub(crate) fn unversioned_name(entry: &str) -> &str {
    let path = entry.strip_prefix(VERSIONS).and_then(|v| v.split_once('/')).map_or(entry, |(_, path)| path);
    path.strip_suffix(".class").unwrap_or(path)
}

/// Archives by file name; what they really are is decided by their bytes.
pub(crate) fn is_archive_name(name: &str) -> bool {
    has_extension(name, &["jar", "war", "ear", "rar", "jmod", "zip"])
}

fn has_extension(name: &str, extensions: &[&str]) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, own)| extensions.iter().any(|wanted| own.eq_ignore_ascii_case(wanted)))
}

fn release_of(versioned: &str) -> Option<u32> {
    let (release, path) = versioned.split_once('/')?;
    let release: u32 = release.parse().ok()?;
    (release >= FIRST_VERSIONED_RELEASE && !path.starts_with("META-INF/")).then_some(release)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class<'a>(root: &'static str, entry: &'a str, release: Option<u32>) -> LayoutPart<'a> {
        LayoutPart::Class(ClassPlace { root, entry, release })
    }

    #[test]
    fn classes_are_found_below_every_class_root() {
        let jar = Layout::Jar;
        assert_eq!(jar.place_of("a/B.class"), class("", "a/B.class", None));
        assert_eq!(jar.place_of("a/B.class/"), class("", "a/B.class", None));
        assert_eq!(jar.place_of("BOOT-INF/classes/a/B.class"), class("BOOT-INF/classes/", "a/B.class", None));
        assert_eq!(jar.place_of("WEB-INF/classes/a/B.class"), class("WEB-INF/classes/", "a/B.class", None));
        assert_eq!(jar.place_of("a/B.java"), LayoutPart::Other);
        assert_eq!(jar.place_of("a/"), LayoutPart::Other);
    }

    #[test]
    fn versioned_folders_need_a_release_that_may_have_them() {
        let jar = Layout::Jar;
        let versioned = "META-INF/versions/11/a/B.class";
        assert_eq!(jar.place_of(versioned), class("", versioned, Some(11)));
        for ignored in [
            "META-INF/versions/8/a/B.class",
            "META-INF/versions/x/B.class",
            "META-INF/versions/B.class",
            "META-INF/versions/9/META-INF/B.class",
            "META-INF/versions/99999999999999/B.class",
        ] {
            assert_eq!(jar.place_of(ignored), LayoutPart::Other, "{ignored}");
        }
        assert_eq!(unversioned_name(versioned), "a/B");
        assert_eq!(unversioned_name("a/B.class"), "a/B");
    }

    #[test]
    fn only_library_folders_hold_archives_of_the_class_path() {
        for library in ["BOOT-INF/lib/x.jar", "WEB-INF/lib/x.JAR", "WEB-INF/lib-provided/x.jar"] {
            assert_eq!(Layout::Jar.place_of(library), LayoutPart::Archive, "{library}");
        }
        assert_eq!(Layout::Jar.place_of("agents/x.jar"), LayoutPart::Other);
        assert_eq!(Layout::Ear.place_of("lib/x.jar"), LayoutPart::Archive);
        assert_eq!(Layout::Ear.place_of("web.war"), LayoutPart::Archive);
        assert_eq!(Layout::Jmod.place_of("lib/x.jar"), LayoutPart::Other);
    }

    #[test]
    fn a_jmod_has_classes_in_one_folder_only() {
        assert_eq!(Layout::Jmod.place_of("classes/a/B.class"), class("classes/", "a/B.class", None));
        assert_eq!(Layout::Jmod.place_of("lib/B.class"), LayoutPart::Other);
    }

    #[test]
    fn layout_is_told_by_name_or_by_deployment_descriptor() {
        assert_eq!(Layout::of_archive("x.jmod", [].into_iter()), Layout::Jmod);
        assert_eq!(Layout::of_archive("x.ear", [].into_iter()), Layout::Ear);
        assert_eq!(Layout::of_archive("x.zip", ["META-INF/application.xml"].into_iter()), Layout::Ear);
        assert_eq!(Layout::of_archive("x.war", ["WEB-INF/web.xml"].into_iter()), Layout::Jar);
    }
}
