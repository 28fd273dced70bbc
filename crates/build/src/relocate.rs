//! Moves a configuration from one copy of the tree to another.
//!
//! A path can stand anywhere: alone, in a list, behind `-javaagent:x.jar=destfile=`, in a URL. So every mention of the old
//! root in any text is replaced, if a whole path component ends there.

use crate::configuration::{RunConfiguration, TestFilters};
use crate::tree::OWN_FOLDER;
use crate::workspace::Workspace;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

impl RunConfiguration {
    /// The same run in the copy at `to` instead of the one at `from`.
    pub fn relocate(&self, from: &Path, to: &Path) -> Self {
        let relocation = Relocation::new(from, to);
        let path = |path: &PathBuf| relocation.path(path);
        let paths = |paths: &[PathBuf]| paths.iter().map(path).collect();
        Self {
            name: self.name.clone(),
            java: path(&self.java),
            jvm_arguments: self.jvm_arguments.iter().map(|argument| relocation.text(argument)).collect(),
            class_path: paths(&self.class_path),
            system_properties: relocation.properties(&self.system_properties),
            environment: self
                .environment
                .iter()
                .map(|(name, value)| (name.clone(), relocation.text(value)))
                .collect(),
            working_folder: path(&self.working_folder),
            framework: self.framework,
            filters: TestFilters {
                configuration_parameters: relocation.properties(&self.filters.configuration_parameters),
                suite_files: paths(&self.filters.suite_files),
                ..self.filters.clone()
            },
            test_classes: self.test_classes.clone(),
            reported: self.reported.clone(),
            application: paths(&self.application),
            tests: paths(&self.tests),
            notes: self.notes.clone(),
        }
    }

    /// Texts that name the user's tree, because the user's environment or arguments did, name the copy instead.
    pub(super) fn into_copy(mut self, workspace: &Workspace) -> Self {
        let relocation = Relocation::into_copy(workspace);
        self.system_properties = relocation.properties(&self.system_properties);
        let values = self.environment.iter_mut().map(|(_, value)| value);
        for text in self.jvm_arguments.iter_mut().chain(values) {
            *text = relocation.text(text);
        }
        self
    }
}

/// Replaces one or more spellings of a folder by another folder.
#[derive(Debug)]
pub(super) struct Relocation {
    /// As given and with links resolved.
    from: Vec<Vec<u8>>,
    to: Vec<u8>,
    /// What lies below here stays.
    except: Option<&'static str>,
}

impl Relocation {
    pub(super) fn new(from: &Path, to: &Path) -> Self {
        let mut spellings = vec![from.as_os_str().as_bytes().to_vec()];
        if let Ok(canonical) = fs::canonicalize(from) {
            spellings.push(canonical.into_os_string().into_vec());
        }
        spellings.dedup();
        // The longer first: one may be the beginning of the other.
        spellings.sort_by_key(|spelling| std::cmp::Reverse(spelling.len()));
        Self { from: spellings, to: to.as_os_str().as_bytes().to_vec(), except: None }
    }

    /// From the user's tree to its copy, which lies in it.
    fn into_copy(workspace: &Workspace) -> Self {
        Self { except: Some(OWN_FOLDER), ..Self::new(&workspace.original, &workspace.root) }
    }

    pub(super) fn path(&self, path: &Path) -> PathBuf {
        PathBuf::from(self.text(path.as_os_str()))
    }

    pub(super) fn text(&self, text: &OsStr) -> OsString {
        let mut result = Vec::with_capacity(text.len());
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            // A mention begins at the root, so not in the middle of a longer path.
            let begins_here = result.last().is_none_or(|&before| !is_name_byte(before));
            match self.from.iter().find(|from| begins_here && self.is_mentioned(rest, from)) {
                Some(from) => {
                    result.extend_from_slice(&self.to);
                    rest = &rest[from.len()..];
                }
                None => {
                    result.push(rest[0]);
                    rest = &rest[1..];
                }
            }
        }
        OsString::from_vec(result)
    }

    fn is_mentioned(&self, text: &[u8], from: &[u8]) -> bool {
        let Some(rest) = text.strip_prefix(from) else { return false };
        let is_excepted = self.except.is_some_and(|except| {
            rest.strip_prefix(b"/").is_some_and(|rest| rest.starts_with(except.as_bytes()))
        });
        !is_excepted && rest.first().is_none_or(|&next| !is_name_byte(next))
    }

    fn properties(&self, properties: &[(String, String)]) -> Vec<(String, String)> {
        let text = |value: &String| self.text(OsStr::new(value)).to_string_lossy().into_owned();
        properties.iter().map(|(key, value)| (key.clone(), text(value))).collect()
    }
}

/// Tells whether a file name goes on with this byte: neither `/p2` nor `/p.old` is below `/p`.
fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'+') || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let relocation = Relocation::new(Path::new("/p/.catchment/build"), Path::new("/w/1"));
        assert_eq!(relocation.text(OsStr::new(text)), OsStr::new(expected));
    }

    #[test]
    fn the_root_is_found_wherever_it_stands() {
        check("/p/.catchment/build", "/w/1");
        check("/p/.catchment/build/target/classes", "/w/1/target/classes");
        check(
            "-javaagent:/j.jar=destfile=/p/.catchment/build/target/j.exec",
            "-javaagent:/j.jar=destfile=/w/1/target/j.exec",
        );
        check("/a:/p/.catchment/build/x:/p/.catchment/build:/b", "/a:/w/1/x:/w/1:/b");
        check("file:/p/.catchment/build/x", "file:/w/1/x");
        check("file:///p/.catchment/build/x", "file:///w/1/x");
        check("m=\"/p/.catchment/build\"", "m=\"/w/1\"");
    }

    #[test]
    fn longer_names_and_deeper_places_are_others() {
        for other in [
            "/p/.catchment/build2/x",
            "/p/.catchment/build.old",
            "/copy/p/.catchment/build",
            "/p/.catchment",
            "",
        ] {
            check(other, other);
        }
    }

    #[test]
    fn the_users_tree_becomes_the_copy_but_the_copy_stays() {
        let workspace = Workspace { root: "/p/.catchment/build".into(), original: "/p".into() };
        let relocation = Relocation::into_copy(&workspace);
        let text = |text: &str| relocation.text(OsStr::new(text)).into_string().unwrap();
        assert_eq!(
            text("/p/conf:/p/.catchment/build/x:/p"),
            "/p/.catchment/build/conf:/p/.catchment/build/x:/p/.catchment/build"
        );
    }

    #[test]
    fn a_root_behind_a_link_is_known_by_both_names() {
        let folder = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(folder.path()).unwrap().join("real");
        let link = real.with_file_name("link");
        fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let relocation = Relocation::new(&link, Path::new("/w"));
        assert_eq!(relocation.path(&real.join("a")), Path::new("/w/a"));
        assert_eq!(relocation.path(&link.join("a")), Path::new("/w/a"));
    }
}
