//! The little that must be known of a `pom.xml` before Maven has read it.

use quick_xml::events::Event;
use quick_xml::reader::Reader;
use std::fs;
use std::path::{Component, Path, PathBuf};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pom {
    pub(crate) artifact: String,
    /// Modules, those of profiles too.
    pub(crate) modules: Vec<String>,
    /// Where its parent is: `None` without a parent, or with one that comes from a repository.
    pub(crate) parent: Option<String>,
    /// Failsafe is among the plugins of the build itself, so `verify` runs tests that `test` does not.
    pub(crate) has_failsafe: bool,
    /// Folders of the sources, as written; `None` for Maven's own, or a parent's.
    pub(crate) source_folder: Option<String>,
    pub(crate) test_source_folder: Option<String>,
}

impl Pom {
    /// The POM of a module's folder; `None` when there is none or it is no XML.
    pub(crate) fn in_folder(folder: &Path) -> Option<Self> {
        Self::parse(&fs::read_to_string(folder.join("pom.xml")).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut reader = Reader::from_str(text);
        let mut pom = Self::default();
        let mut path: Vec<String> = Vec::new();
        let mut content = String::new();
        loop {
            match reader.read_event().ok()? {
                Event::Eof => return Some(pom),
                Event::Start(element) => {
                    path.push(element.name().as_ref().to_owned());
                    content.clear();
                    if path.join("/") == "project/parent" {
                        pom.parent = Some("../pom.xml".to_owned());
                    }
                }
                Event::Empty(element) => {
                    path.push(element.name().as_ref().to_owned());
                    pom.element(&path.join("/"), "");
                    path.pop();
                }
                Event::Text(text) => content.push_str(&text.xml10_content()),
                Event::End(_) => {
                    pom.element(&path.join("/"), content.trim());
                    path.pop();
                    content.clear();
                }
                _ => {}
            }
        }
    }

    fn element(&mut self, path: &str, content: &str) {
        match path {
            "project/artifactId" => content.clone_into(&mut self.artifact),
            "project/modules/module" | "project/profiles/profile/modules/module" => {
                self.modules.push(content.to_owned());
            }
            "project/parent/relativePath" => {
                self.parent = Some(content.to_owned()).filter(|path| !path.is_empty());
            }
            "project/build/sourceDirectory" => self.source_folder = Some(content.to_owned()),
            "project/build/testSourceDirectory" => self.test_source_folder = Some(content.to_owned()),
            "project/build/plugins/plugin/artifactId" => {
                self.has_failsafe |= content == "maven-failsafe-plugin";
            }
            _ => {}
        }
    }

    /// The folders of its modules.
    pub(crate) fn module_folders(&self, folder: &Path) -> Vec<PathBuf> {
        self.modules.iter().map(|module| pom_folder(&folder.join(module))).collect()
    }

    /// The folder of its parent, if that is on this disk.
    pub(crate) fn parent_folder(&self, folder: &Path) -> Option<PathBuf> {
        let parent = pom_folder(&folder.join(self.parent.as_ref()?));
        parent.join("pom.xml").is_file().then_some(parent)
    }
}

/// A module and a parent may be named by their folder or by their file.
fn pom_folder(path: &Path) -> PathBuf {
    let path = normal(path);
    if path.extension().is_some_and(|extension| extension == "xml") {
        path.parent().map(Path::to_owned).unwrap_or(path)
    } else {
        path
    }
}

/// Without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

/// The module in `folder` and all below it that its POMs name.
pub(crate) fn modules_of(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut next = 0;
    while let Some(module) = found.get(next).cloned() {
        next += 1;
        for folder in Pom::in_folder(&module).map(|pom| pom.module_folders(&module)).unwrap_or_default() {
            if !found.contains(&folder) {
                found.push(folder);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_parent_and_failsafe_are_found_where_they_count() {
        let pom = Pom::parse(
            "<?xml version='1.0'?><project xmlns='x'><parent><artifactId>p</artifactId></parent><artifactId>a</artifactId>
             <modules><module>core</module><!-- <module>no</module> --><module> web/app </module></modules>
             <build><pluginManagement><plugins><plugin><artifactId>maven-failsafe-plugin</artifactId></plugin></plugins>
             </pluginManagement><plugins><plugin><artifactId>other</artifactId></plugin></plugins></build>
             <profiles><profile><modules><module>extra</module></modules></profile></profiles></project>",
        )
        .unwrap();
        let expected = Pom {
            artifact: "a".into(),
            modules: vec!["core".into(), "web/app".into(), "extra".into()],
            parent: Some("../pom.xml".into()),
            ..Pom::default()
        };
        assert_eq!(pom, expected);
        assert_eq!(
            pom.module_folders(Path::new("/p/x/..")),
            [Path::new("/p/core"), Path::new("/p/web/app"), Path::new("/p/extra")]
        );
    }

    #[test]
    fn a_parent_from_a_repository_is_no_folder() {
        let parent = |element: &str| {
            Pom::parse(&format!("<project><parent><version>1</version>{element}</parent></project>"))
                .unwrap()
                .parent
        };
        assert_eq!(parent("<relativePath/>"), None);
        assert_eq!(parent("<relativePath></relativePath>"), None);
        assert_eq!(parent("<relativePath>../parent</relativePath>"), Some("../parent".into()));
        assert_eq!(Pom::parse("<project/>").unwrap().parent, None);
    }

    #[test]
    fn failsafe_in_the_build_counts() {
        let plugin = "<plugin><artifactId>maven-failsafe-plugin</artifactId></plugin>";
        let pom =
            Pom::parse(&format!("<project><build><plugins>{plugin}</plugins></build></project>")).unwrap();
        assert!(pom.has_failsafe);
        assert_eq!(Pom::parse("<project><build>"), Some(Pom::default()));
        assert_eq!(Pom::parse("<project></build>"), None);
    }
}
