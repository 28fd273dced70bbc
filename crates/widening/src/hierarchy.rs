//! The class hierarchy over all that JVMs can load. Names are binary, with dots.

use catchment_classfile::access;
use catchment_pointsto::{ClassId, ClassSource, Layer, World};
use catchment_program::{ClassPath, LoadOptions, jdk_image};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) const THROWABLE: &str = "java.lang.Throwable";
pub(crate) const INTERRUPTED: &str = "java.lang.InterruptedException";

/// Classes that JVMs can load. Of a class that is in several places the first counts, as it does for a JVM.
#[derive(Debug)]
pub struct LoadableClasses(ClassPath);

impl LoadableClasses {
    /// Classes of jars and class folders, and of the JDKs that each `java` belongs to. What cannot be read is missing;
    /// nothing is wider then than it is.
    pub fn of(places: impl IntoIterator<Item = PathBuf>, javas: &[&Path]) -> Self {
        let images = javas.iter().filter_map(|java| image_of(java));
        let places: Vec<PathBuf> = places.into_iter().chain(images).collect();
        Self(ClassPath::open(&places, None, &LoadOptions::default()))
    }
}

impl ClassSource for LoadableClasses {
    fn find(&self, internal_name: &[u8]) -> Option<(&[u8], Layer)> {
        Some((self.0.find(internal_name)?.bytes().ok()?, Layer::Library))
    }

    fn for_each_name(&self, with: &mut dyn FnMut(&[u8])) {
        for (entry, _) in self.0.entries() {
            self.0.classes(entry).for_each(|class| with(class.name()));
        }
    }
}

/// The classes that have been asked about, with all above them. Can be asked from several threads.
#[derive(Debug)]
pub struct Hierarchy<'c> {
    world: Mutex<World<'c>>,
}

impl<'c> Hierarchy<'c> {
    pub fn of(classes: &'c LoadableClasses) -> Self {
        Self { world: Mutex::new(World::new(classes)) }
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World<'c>> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whether the simple name of `other` means a member of a class or interface above `class`, or above one
    /// around it.
    pub fn is_shadowed_by_member(&self, class: &str, other: &str) -> bool {
        let mut world = self.world();
        let mut around = std::iter::successors(Some(class), |inner| Some(inner.rsplit_once('$')?.0));
        around.any(|class| {
            let class = named(&mut world, class);
            let mut above = world.class_of(class).supertypes.clone().into_iter();
            above.any(|class| {
                let place = format!("{}$", name_of(&world, class));
                has_namesake(&mut world, &place, other)
            })
        })
    }

    /// Tells whether the simple name of `other` means another class in the package of `class`, if there is no import.
    pub fn is_shadowed_in_package(&self, class: &str, other: &str) -> bool {
        has_namesake(&mut self.world(), package_of(class), other)
    }

    /// The class and all above it, narrowest first.
    pub(crate) fn lineage(&self, class: &str) -> Vec<String> {
        let mut world = self.world();
        let class = named(&mut world, class);
        world.lineage(class).map(|above| name_of(&world, above)).collect()
    }

    /// The throwable that a user calls so, as in a source without imports.
    pub fn named(&self, name: &str) -> Option<String> {
        let names = [name.to_owned(), format!("java.lang.{name}")];
        names.into_iter().find(|name| self.is_subclass(name, THROWABLE))
    }

    /// Also true for the class itself.
    pub fn is_subclass(&self, narrow: &str, wide: &str) -> bool {
        let mut world = self.world();
        let [narrow, wide] = [narrow, wide].map(|name| named(&mut world, name));
        world.lineage(narrow).any(|above| above == wide)
    }

    /// Tells whether a method can be called on an exception of this type by the class `from`.
    pub(crate) fn has_method(&self, class: &str, name: &str, descriptor: &str, from: &str) -> bool {
        let mut world = self.world();
        let class = named(&mut world, class);
        let selector = world.selector(name.as_bytes(), descriptor.as_bytes());
        world.lineage(class).any(|above| {
            let declared = world.declared(above, selector).map(|method| world.method(method).access);
            declared.is_some_and(|flags| {
                let is_near = || package_of(&name_of(&world, above)) == package_of(from);
                flags & access::PUBLIC != 0 || flags & access::PRIVATE == 0 && is_near()
            })
        })
    }

    /// Tells whether the compiler wants it to be caught or declared; `None` if that is not known.
    pub(crate) fn is_checked(&self, exception: &str) -> Option<bool> {
        let is = |wide: &str| self.is_subclass(exception, wide);
        is(THROWABLE).then(|| !is("java.lang.RuntimeException") && !is("java.lang.Error"))
    }

    /// The exception, if the compiler looks at it; unknown ones as such.
    pub(crate) fn checked(&self, exception: String) -> Option<Option<String>> {
        match self.is_checked(&exception) {
            Some(true) => Some(Some(exception)),
            Some(false) => None,
            None => Some(None),
        }
    }
}

/// The class of a binary name, which may be missing.
pub(crate) fn named(world: &mut World<'_>, name: &str) -> ClassId {
    world.class(name.replace('.', "/").as_bytes())
}

/// Tells whether there is another class that goes by the simple name of `other` in a package or class.
fn has_namesake(world: &mut World<'_>, place: &str, other: &str) -> bool {
    let top = other.split('$').next().unwrap_or(other);
    let name = format!("{place}{}", top.rsplit('.').next().unwrap_or(top));
    name != top && world.class_that_is_there(name.replace('.', "/").as_bytes()).is_some()
}

fn name_of(world: &World<'_>, class: ClassId) -> String {
    world.class_of(class).binary_name()
}

/// With its dot; empty for the unnamed package.
fn package_of(class: &str) -> &str {
    class.rfind('.').map_or("", |dot| &class[..=dot])
}

/// The classes of the JDK that this `java` belongs to.
fn image_of(java: &Path) -> Option<PathBuf> {
    let java = std::fs::canonicalize(java).ok()?;
    let home = java.parent()?.parent()?;
    let old = ["lib/rt.jar", "jre/lib/rt.jar"].map(|jar| home.join(jar));
    jdk_image(home).or_else(|| old.into_iter().find(|jar| jar.is_file()))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use catchment_testkit::compilers::{Compiler, Job};
    use catchment_testkit::jdk;
    use std::fs;

    /// The class folder of some Java files, by path and content.
    pub(crate) fn compile(files: &[(&str, &str)], class_path: &[PathBuf]) -> PathBuf {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |(path, content): &(&str, &str)| {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().expect("below the folder")).expect("made");
            fs::write(&file, content).expect("written");
            file
        };
        let sources: Vec<PathBuf> = files.iter().map(write).collect();
        let options = vec!["-g".to_owned()];
        let job = Job { options, class_path: class_path.to_vec(), ..Job::of(sources) };
        Compiler::Javac { jdk: 17, release: 17 }.compile(&job).expect("legal sources")
    }

    /// The classes of these folders, and of JDK 17.
    pub(crate) fn with_jdk(folders: &[PathBuf]) -> LoadableClasses {
        let java = jdk::installed(17).expect("JDK 17").home().join("bin/java");
        LoadableClasses::of(folders.to_vec(), &[&java])
    }

    fn classes() -> LoadableClasses {
        let files = [
            ("com/acme/Odd.java", "package com.acme; public class Odd extends Exception {}"),
            ("p/E.java", "package p; public class E extends q.E { public void all() {} }"),
            ("p/F.java", "package p; public class F extends E { void near() {} private void own() {} }"),
            ("q/E.java", "package q; public class E extends Exception {}"),
            ("s/Sub.java", "package s; class Sub extends b.Base { Object o = new Object() {}; }"),
            ("b/Base.java", "package b; public class Base implements i.I { public static class E {} }"),
            ("i/I.java", "package i; public interface I { class F {} }"),
        ];
        with_jdk(&[compile(&files, &[])])
    }

    #[test]
    fn a_class_is_a_subclass_of_itself_and_of_all_above() {
        let classes = classes();
        let hierarchy = Hierarchy::of(&classes);
        assert!(hierarchy.is_subclass("p.F", "q.E") && hierarchy.is_subclass("p.F", "p.F"));
        assert!(!hierarchy.is_subclass("q.E", "p.F") && !hierarchy.is_subclass("Unknown", "q.E"));
        assert_eq!(hierarchy.lineage("p.E")[..3], ["p.E", "q.E", "java.lang.Exception"]);
    }

    #[test]
    fn users_name_exceptions_as_in_a_source_without_imports() {
        let classes = classes();
        let hierarchy = Hierarchy::of(&classes);
        assert_eq!(hierarchy.named("Exception").as_deref(), Some("java.lang.Exception"));
        assert_eq!(hierarchy.named("com.acme.Odd").as_deref(), Some("com.acme.Odd"));
        assert_eq!((hierarchy.named("Odd"), hierarchy.named("String")), (None, None));
    }

    #[test]
    fn a_class_of_the_same_simple_name_in_the_package_shadows() {
        let classes = classes();
        let hierarchy = Hierarchy::of(&classes);
        for other in ["q.E", "q.E$Inner"] {
            assert!(hierarchy.is_shadowed_in_package("p.Reader", other), "{other}");
        }
        assert!(!hierarchy.is_shadowed_in_package("p.Reader", "p.E"));
        assert!(!hierarchy.is_shadowed_in_package("r.Reader", "q.E"));
        assert!(!hierarchy.is_shadowed_by_member("p.Reader", "q.E"));
    }

    #[test]
    fn a_member_of_a_supertype_shadows_in_the_class_and_in_classes_within() {
        let classes = classes();
        let hierarchy = Hierarchy::of(&classes);
        for class in ["s.Sub", "s.Sub$1"] {
            assert!(hierarchy.is_shadowed_by_member(class, "java.io.E"), "{class}");
            assert!(hierarchy.is_shadowed_by_member(class, "java.io.F"), "{class}");
        }
        assert!(!hierarchy.is_shadowed_by_member("s.Other", "java.io.E"));
        assert!(!hierarchy.is_shadowed_in_package("s.Other", "java.io.E"));
    }

    #[test]
    fn methods_are_inherited_and_called_where_they_can_be_seen() {
        let classes = classes();
        let hierarchy = Hierarchy::of(&classes);
        let has = |class, name, from| hierarchy.has_method(class, name, "()V", from);
        assert!(has("p.F", "all", "x.Handler") && has("p.E", "all", "x.Handler"));
        assert!(!has("q.E", "all", "x.Handler") && !hierarchy.has_method("p.F", "all", "(I)V", "p.Handler"));
        assert!(has("p.F", "near", "p.Handler") && has("p.F", "notify", "x.Handler"));
        for (name, from) in [("near", "x.Handler"), ("near", "p.sub.Handler"), ("own", "p.Handler")] {
            assert!(!has("p.F", name, from), "{name} from {from}");
        }
    }
}
