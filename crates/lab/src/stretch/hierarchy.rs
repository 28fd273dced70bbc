//! What extends what, over all that the tests' JVMs can load.

use crate::project::RunConfiguration;
use catchment_classfile::{ClassFile, Member};
use catchment_program::{LoadOptions, jdk_image, visit};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

const OBJECT: &str = "java.lang.Object";
const THROWABLE: &str = "java.lang.Throwable";
const INTERRUPTED: &str = "java.lang.InterruptedException";

/// Superclasses by name, and what else widening a clause has to know. Names are binary, with dots.
#[derive(Debug, Default)]
pub(crate) struct Hierarchy {
    superclasses: HashMap<String, String>,
    /// Of those that have any, directly.
    interfaces: HashMap<String, Vec<String>>,
    /// Methods of exceptions and of `Object`.
    methods: HashSet<Method>,
    /// Methods that declare to be interruptible.
    interruptible: HashSet<Method>,
}

/// Class, name and descriptor.
type Method = (String, String, String);

impl Hierarchy {
    /// Reads everything on the class paths and in the JDKs. What cannot be read is missing; nothing is wider then than it is.
    pub(crate) fn of(configurations: &[RunConfiguration]) -> Self {
        let class_paths = configurations.iter().flat_map(|each| &each.class_path);
        let places = class_paths.chain(configurations.iter().flat_map(|each| &each.application)).cloned();
        let images = configurations.iter().filter_map(|each| image_of(&each.java));
        let places: BTreeSet<PathBuf> = places.chain(images).collect();
        let mut hierarchy = Self::default();
        for place in &places {
            visit_classes(place, |class| hierarchy.add(class));
        }
        for place in &places {
            visit_classes(place, |class| hierarchy.add_methods(class));
        }
        hierarchy
    }

    fn add(&mut self, class: &ClassFile<'_>) {
        let name = class.name.to_binary_name();
        let interruptible = class.methods.iter().filter(|method| declares_interruption(class, method));
        self.interruptible.extend(interruptible.map(|method| key(&name, method)));
        let interfaces: Vec<String> = class.interfaces().map(|each| each.to_binary_name()).collect();
        if !interfaces.is_empty() {
            self.interfaces.entry(name.clone()).or_insert(interfaces);
        }
        if let Some(superclass) = class.super_name {
            self.superclasses.entry(name).or_insert_with(|| superclass.to_binary_name());
        }
    }

    fn add_methods(&mut self, class: &ClassFile<'_>) {
        let name = class.name.to_binary_name();
        if name == OBJECT || self.is_subclass(&name, THROWABLE) {
            self.methods.extend(class.methods.iter().map(|method| key(&name, method)));
        }
    }

    /// Whether the package of a class has another class of the simple name of `other`.
    pub(crate) fn shadows(&self, class: &str, other: &str) -> bool {
        let package = class.rsplit_once('.').map_or(String::new(), |(package, _)| format!("{package}."));
        let simple = other.rsplit('.').next().unwrap_or(other).split('$').next().unwrap_or(other);
        let own = format!("{package}{simple}");
        own != other && self.superclasses.contains_key(&own)
    }

    /// The class and all above it, narrowest first.
    pub(crate) fn lineage<'a>(&'a self, class: &'a str) -> impl Iterator<Item = &'a str> {
        std::iter::successors(Some(class), |each| self.superclasses.get(*each).map(String::as_str))
            // A class above itself would be no class that a JVM loads.
            .take(self.superclasses.len() + 1)
    }

    /// The throwable that a user calls so, as in a source without imports.
    pub(crate) fn named(&self, name: &str) -> Option<String> {
        let names = [name.to_owned(), format!("java.lang.{name}")];
        names.into_iter().find(|name| self.is_subclass(name, THROWABLE))
    }

    /// Also true for the class itself.
    pub(crate) fn is_subclass(&self, narrow: &str, wide: &str) -> bool {
        self.lineage(narrow).any(|each| each == wide)
    }

    /// Whether a method can be called on an exception of this type.
    pub(crate) fn has_method(&self, class: &str, name: &str, descriptor: &str) -> bool {
        let method = |owner: &str| (owner.to_owned(), name.to_owned(), descriptor.to_owned());
        self.lineage(class).any(|each| self.methods.contains(&method(each)))
    }

    /// Whether the call may end with an `InterruptedException`, as far as it is declared.
    pub(crate) fn is_interruptible(&self, class: &str, name: &str, descriptor: &str) -> bool {
        let method = |owner: &str| (owner.to_owned(), name.to_owned(), descriptor.to_owned());
        self.supertypes(class).into_iter().any(|each| self.interruptible.contains(&method(each)))
    }

    /// The class with all classes and interfaces above it.
    fn supertypes<'a>(&'a self, class: &'a str) -> BTreeSet<&'a str> {
        let mut found = BTreeSet::new();
        let mut left = vec![class];
        while let Some(next) = left.pop() {
            if found.insert(next) {
                left.extend(self.superclasses.get(next).map(String::as_str));
                left.extend(self.interfaces.get(next).into_iter().flatten().map(String::as_str));
            }
        }
        found
    }
}

fn key(class: &str, method: &Member<'_>) -> Method {
    (class.to_owned(), method.name.to_string(), method.descriptor.to_string())
}

fn declares_interruption(class: &ClassFile<'_>, method: &Member<'_>) -> bool {
    let Some(attribute) = method.attributes.find(&class.pool, "Exceptions") else { return false };
    let indices = attribute.data.chunks_exact(2).skip(1).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    let mut names = indices.filter_map(|index| class.pool.class_name(index).ok());
    names.any(|name| name.to_binary_name() == INTERRUPTED)
}

fn visit_classes(place: &Path, mut each: impl FnMut(&ClassFile<'_>)) {
    let _ = visit(place, &LoadOptions::default(), &mut |class| {
        if let Ok(class) = ClassFile::parse(class.bytes) {
            each(&class);
        }
    });
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

    /// Each class with its superclass.
    pub(crate) fn hierarchy(classes: &[(&str, &str)]) -> Hierarchy {
        let superclasses =
            classes.iter().map(|(class, above)| ((*class).to_owned(), (*above).to_owned())).collect();
        Hierarchy { superclasses, ..Hierarchy::default() }
    }

    #[test]
    fn a_class_is_a_subclass_of_itself_and_of_all_above() {
        let hierarchy = hierarchy(&[("C", "B"), ("B", "A"), ("Loop", "Loop")]);
        assert!(hierarchy.is_subclass("C", "A") && hierarchy.is_subclass("C", "C"));
        assert!(!hierarchy.is_subclass("A", "C") && !hierarchy.is_subclass("Unknown", "A"));
        assert!(!hierarchy.is_subclass("Loop", "A"), "and it ends");
    }

    #[test]
    fn users_name_exceptions_as_in_a_source_without_imports() {
        let hierarchy = hierarchy(&[
            ("java.lang.Exception", THROWABLE),
            ("com.acme.Odd", "java.lang.Exception"),
            ("java.lang.String", "java.lang.Object"),
        ]);
        assert_eq!(hierarchy.named("Exception").as_deref(), Some("java.lang.Exception"));
        assert_eq!(hierarchy.named("com.acme.Odd").as_deref(), Some("com.acme.Odd"));
        assert_eq!((hierarchy.named("Odd"), hierarchy.named("String")), (None, None));
    }

    #[test]
    fn a_class_of_the_same_simple_name_in_the_package_shadows() {
        let hierarchy = hierarchy(&[("p.E", "q.E"), ("q.E", "java.lang.Exception")]);
        assert!(hierarchy.shadows("p.Reader", "q.E") && hierarchy.shadows("p.Reader", "q.E$Inner"));
        assert!(!hierarchy.shadows("p.Reader", "p.E") && !hierarchy.shadows("r.Reader", "q.E"));
    }

    #[test]
    fn methods_are_inherited() {
        let mut hierarchy = hierarchy(&[("C", "B"), ("B", "A")]);
        let method = |class: &str| (class.to_owned(), "m".to_owned(), "()V".to_owned());
        hierarchy.methods.insert(method("B"));
        hierarchy.interruptible.insert(method("A"));
        assert!(hierarchy.has_method("C", "m", "()V") && !hierarchy.has_method("A", "m", "()V"));
        assert!(!hierarchy.has_method("C", "m", "(I)V"));
        assert!(hierarchy.is_interruptible("C", "m", "()V"));
        assert!(!hierarchy.is_interruptible("D", "m", "()V"));
        hierarchy.interfaces.insert("D".to_owned(), vec!["I".to_owned(), "C".to_owned()]);
        assert!(hierarchy.is_interruptible("D", "m", "()V"), "interfaces hand down methods, too");
    }
}
