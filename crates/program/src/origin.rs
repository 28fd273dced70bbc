//! The origin of a class: one element of a class path, named so that a person finds it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// One class path element: a folder, an archive, an archive or class folder inside an archive, a module of a JDK image.
///
/// Written as the JVM writes it: `app.jar!/BOOT-INF/lib/x.jar`. Cloning is cheap, so results may keep it per class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    container: Arc<Path>,
    /// Path below the container with `!/` between archives; empty for the container itself.
    inside: Arc<str>,
    /// Entries of a folder are files with a path of their own, so no `!` goes before them.
    is_folder: bool,
}

impl Origin {
    pub(crate) fn folder(path: &Path) -> Self {
        Self { container: path.into(), inside: "".into(), is_folder: true }
    }

    pub(crate) fn file(path: &Path) -> Self {
        Self { container: path.into(), inside: "".into(), is_folder: false }
    }

    /// The element `part` of this one, for example a jar in a war.
    pub(crate) fn within(&self, part: &str) -> Self {
        let part = part.trim_end_matches('/');
        let inside =
            if self.inside.is_empty() { part.to_owned() } else { format!("{}!/{part}", self.inside) };
        Self { container: self.container.clone(), inside: inside.into(), is_folder: false }
    }

    /// The folder or file on disk.
    pub fn container(&self) -> &Path {
        &self.container
    }

    /// The part inside that file (`BOOT-INF/lib/x.jar`, `java.base`); empty if it is the file itself.
    pub fn inside(&self) -> &str {
        &self.inside
    }

    /// The full name of an entry of this element, for messages.
    pub fn place(&self, entry: &str) -> String {
        if self.is_folder {
            self.container.join(entry).display().to_string()
        } else {
            format!("{self}!/{entry}")
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.container.display().fmt(f)?;
        if self.inside.is_empty() { Ok(()) } else { write!(f, "!/{}", self.inside) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_elements_are_written_as_the_jvm_writes_them() {
        let app = Origin::file(Path::new("lib/app.ear"));
        assert_eq!(app.to_string(), "lib/app.ear");
        assert_eq!(app.place("A.class"), "lib/app.ear!/A.class");
        let lib = app.within("web.war").within("WEB-INF/lib/x.jar");
        assert_eq!(lib.to_string(), "lib/app.ear!/web.war!/WEB-INF/lib/x.jar");
        assert_eq!(lib.container(), Path::new("lib/app.ear"));
        assert_eq!(lib.inside(), "web.war!/WEB-INF/lib/x.jar");
        assert_eq!(lib.place("A.class"), "lib/app.ear!/web.war!/WEB-INF/lib/x.jar!/A.class");
    }

    #[test]
    fn entries_of_a_folder_are_paths() {
        let classes = Origin::folder(Path::new("target/classes"));
        assert_eq!(classes.place("com/acme/A.class"), "target/classes/com/acme/A.class");
    }
}
