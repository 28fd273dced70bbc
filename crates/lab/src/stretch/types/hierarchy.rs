//! The class hierarchy over all that the tests' JVMs can load.

use crate::stretch::types::throws_clauses::Declared;
use catchment_build::{RunConfiguration, module_path};
use catchment_classfile::{ClassFile, Member, access};
use catchment_patch::Shadow;
use catchment_program::{LoadOptions, jdk_image, visit};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

pub(crate) const OBJECT: &str = "java.lang.Object";
pub(crate) const THROWABLE: &str = "java.lang.Throwable";
pub(crate) const INTERRUPTED: &str = "java.lang.InterruptedException";

/// Superclasses by name, and what else widening a clause has to know. Names are binary, with dots.
#[derive(Debug, Default)]
pub(crate) struct Hierarchy {
    pub(crate) superclasses: HashMap<String, String>,
    /// Of those that have any, directly.
    pub(crate) interfaces: HashMap<String, Vec<String>>,
    /// Methods of exceptions and of `Object` that others may call, and whether only classes of the same package may.
    methods: HashMap<Method, bool>,
    /// Exceptions that methods declare.
    pub(crate) declared: Declared,
}

/// Class, name and descriptor.
pub(crate) type Method = (String, String, String);

impl Hierarchy {
    /// Reads everything on the class paths and in the JDKs. What cannot be read is missing; nothing is wider then than it is.
    pub(crate) fn of(configurations: &[RunConfiguration]) -> Self {
        let class_paths = configurations.iter().flat_map(|each| each.class_path.iter().cloned());
        let modules = configurations.iter().flat_map(|each| module_path(&each.jvm_arguments));
        let own = configurations.iter().flat_map(|each| each.application.iter().cloned());
        let images = configurations.iter().filter_map(|each| image_of(&each.java));
        let places: Vec<PathBuf> = class_paths.chain(modules).chain(own).chain(images).collect();
        Self::of_places(&places)
    }

    /// Of jars, class folders and images of JDKs. Of a class that is in several the first counts, as it does for a JVM.
    pub(crate) fn of_places(places: &[PathBuf]) -> Self {
        let mut hierarchy = Self::default();
        let mut seen = HashSet::new();
        let places: Vec<&PathBuf> = places.iter().filter(|place| seen.insert(*place)).collect();
        let mut first_of: HashMap<String, usize> = HashMap::new();
        for (number, place) in places.iter().enumerate() {
            visit_classes(place, |class| {
                let name = class.name.to_binary_name();
                if *first_of.entry(name.clone()).or_insert(number) == number {
                    hierarchy.add(class, name);
                }
            });
        }
        for (number, place) in places.iter().enumerate() {
            visit_classes(place, |class| {
                let name = class.name.to_binary_name();
                if first_of.get(&name) == Some(&number) {
                    hierarchy.add_methods(class, &name);
                }
            });
        }
        hierarchy
    }

    fn add(&mut self, class: &ClassFile<'_>, name: String) {
        self.declared.add(class, &name);
        let interfaces: Vec<String> = class.interfaces().map(|each| each.to_binary_name()).collect();
        if !interfaces.is_empty() {
            self.interfaces.entry(name.clone()).or_insert(interfaces);
        }
        if let Some(superclass) = class.super_name {
            self.superclasses.entry(name).or_insert_with(|| superclass.to_binary_name());
        }
    }

    fn add_methods(&mut self, class: &ClassFile<'_>, name: &str) {
        self.declared.add_silent(class, name);
        if name == OBJECT || self.is_subclass(name, THROWABLE) {
            let others = class.methods.iter().filter(|method| method.access & access::PRIVATE == 0);
            self.methods
                .extend(others.map(|method| (key(name, method), method.access & access::PUBLIC == 0)));
        }
    }

    /// What the simple name of `other` means in a class if there is no import: another class of its package, or a member of a
    /// class or interface above it or above one around it.
    pub(crate) fn shadow(&self, class: &str, other: &str) -> Shadow {
        let top = other.split('$').next().unwrap_or(other);
        let simple = top.rsplit('.').next().unwrap_or(top);
        let is_another = |name: String| name != top && self.superclasses.contains_key(&name);
        let around = std::iter::successors(Some(class), |each| Some(each.rsplit_once('$')?.0));
        let mut above = around.flat_map(|each| self.supertypes(each));
        if above.any(|each| is_another(format!("{each}${simple}"))) {
            return Shadow::Inherited;
        }
        match is_another(format!("{}{simple}", package_of(class))) {
            true => Shadow::Package,
            false => Shadow::None,
        }
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

    /// Tells whether a method can be called on an exception of this type by the class `from`.
    pub(crate) fn has_method(&self, class: &str, name: &str, descriptor: &str, from: &str) -> bool {
        let method = |owner: &str| (owner.to_owned(), name.to_owned(), descriptor.to_owned());
        self.lineage(class).any(|each| {
            let within_package = self.methods.get(&method(each));
            within_package.is_some_and(|only| !only || package_of(each) == package_of(from))
        })
    }

    /// Tells whether the compiler wants it to be caught or declared; `None` if that is not known.
    pub(crate) fn is_checked(&self, exception: &str) -> Option<bool> {
        let is = |wide: &str| self.is_subclass(exception, wide);
        is(THROWABLE).then(|| !is("java.lang.RuntimeException") && !is("java.lang.Error"))
    }

    /// The class with all classes and interfaces above it.
    pub(crate) fn supertypes<'a>(&'a self, class: &'a str) -> BTreeSet<&'a str> {
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

/// With its dot; empty for the unnamed package.
fn package_of(class: &str) -> &str {
    class.rfind('.').map_or("", |dot| &class[..=dot])
}

pub(crate) fn key(class: &str, method: &Member<'_>) -> Method {
    (class.to_owned(), method.name.to_string(), method.descriptor.to_string())
}

fn visit_classes(place: &Path, mut each: impl FnMut(&ClassFile<'_>)) {
    let _ = visit(place, &LoadOptions::default(), &mut |class| {
        if let Ok(class) = ClassFile::parse(class.bytes) {
            each(&class);
        }
    });
}

/// The classes of the JDK that this `java` belongs to.
pub(crate) fn image_of(java: &Path) -> Option<PathBuf> {
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
        for other in ["q.E", "q.E$Inner"] {
            assert_eq!(hierarchy.shadow("p.Reader", other), Shadow::Package, "{other}");
        }
        assert_eq!(hierarchy.shadow("p.Reader", "p.E"), Shadow::None);
        assert_eq!(hierarchy.shadow("r.Reader", "q.E"), Shadow::None);
    }

    #[test]
    fn a_member_of_a_supertype_shadows_in_the_class_and_in_classes_within() {
        let mut hierarchy =
            hierarchy(&[("p.Sub", "b.Base"), ("p.Sub$1", OBJECT), ("b.Base$E", OBJECT), ("i.I$F", OBJECT)]);
        hierarchy.interfaces.insert("b.Base".to_owned(), vec!["i.I".to_owned()]);
        for class in ["p.Sub", "p.Sub$1"] {
            assert_eq!(hierarchy.shadow(class, "java.io.E"), Shadow::Inherited, "{class}");
            assert_eq!(hierarchy.shadow(class, "java.io.F"), Shadow::Inherited, "{class}");
        }
        assert_eq!(hierarchy.shadow("p.Other", "java.io.E"), Shadow::None);
    }

    #[test]
    fn methods_are_inherited() {
        let mut hierarchy = hierarchy(&[("C", "B"), ("B", "A")]);
        let method = |class: &str| (class.to_owned(), "m".to_owned(), "()V".to_owned());
        hierarchy.methods.insert(method("B"), false);
        let has = |class, descriptor| hierarchy.has_method(class, "m", descriptor, "p.From");
        assert!(has("C", "()V") && !has("A", "()V") && !has("C", "(I)V"));
    }

    #[test]
    fn what_is_not_public_is_called_within_its_package_only() {
        let mut hierarchy = hierarchy(&[("p.E", "p.D")]);
        hierarchy.methods.insert(("p.D".to_owned(), "m".to_owned(), "()V".to_owned()), true);
        assert!(hierarchy.has_method("p.E", "m", "()V", "p.Handler"));
        assert!(!hierarchy.has_method("p.E", "m", "()V", "q.Handler"));
        assert!(!hierarchy.has_method("p.E", "m", "()V", "p.sub.Handler"));
    }
}
