//! Compiles programs and opens them with JDK 17.

use catchment_pointsto::ids::MethodId;
use catchment_pointsto::world::{ClassSource, Layer, World};
use catchment_pointsto::{Options, Reached, analyse};
use catchment_program::{ClassPath, LoadOptions};
use catchment_testkit::compilers::{Compiler, Job};
use catchment_testkit::jdk;
use std::fs;
use std::path::PathBuf;

/// A program whose first path is the application.
pub(crate) struct Program {
    classes: ClassPath,
}

impl Program {
    /// Compiles a file `T.java`.
    pub(crate) fn compile(source: &str, libraries: Vec<PathBuf>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("T.java");
        fs::write(&file, source).expect("written");
        let job = Job { class_path: libraries.clone(), ..Job::of([file]) };
        let classes = Compiler::Javac { jdk: 17, release: 17 }.compile(&job).expect("source compiles");
        Self::of(&std::iter::once(classes).chain(libraries).collect::<Vec<_>>())
    }

    /// These on a class path.
    pub(crate) fn of(paths: &[PathBuf]) -> Self {
        let jdk = jdk::installed(17).expect("JDK 17");
        Self { classes: ClassPath::open(paths, Some(jdk.home()), &LoadOptions::default()) }
    }

    /// What is reached from `T.main`.
    pub(crate) fn analyse(&self, options: impl Into<Options>) -> Reached<'_> {
        analyse(self, options, main_of)
    }
}

pub(crate) fn main_of(world: &mut World<'_>) -> Vec<MethodId> {
    let class = world.class(b"T");
    world.declared_by_name(class, b"main").collect()
}

impl ClassSource for Program {
    fn find(&self, internal_name: &[u8]) -> Option<(&[u8], Layer)> {
        let found = self.classes.find(internal_name)?;
        let layer = match self.classes.entry(found.entry())?.given {
            Some(0) => Layer::Application,
            Some(_) => Layer::Library,
            None => Layer::Jdk,
        };
        Some((found.bytes().ok()?, layer))
    }

    fn for_each_name(&self, with: &mut dyn FnMut(&[u8])) {
        for (entry, _) in self.classes.entries() {
            for class in self.classes.classes(entry) {
                with(class.name());
            }
        }
    }
}
