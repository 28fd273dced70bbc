//! Declared exceptions: the `throws` clauses of all methods that the tests' JVMs can load, and what calls may throw by them.

use crate::stretch::types::hierarchy::{Hierarchy, INTERRUPTED, Method, OBJECT, THROWABLE, key};
use catchment_classfile::{ClassFile, Member};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Exceptions that methods declare. Of those that declare none only the ones are kept that may override one that does, so
/// that a search through supertypes ends there.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    /// `None` stands for a type parameter: every call may mean another exception.
    exceptions: HashMap<Method, Vec<Option<String>>>,
    /// Name and descriptor of the methods that declare any.
    signatures: HashSet<(String, String)>,
}

impl Declared {
    /// Notes the methods of a class that declare exceptions.
    pub(crate) fn add(&mut self, class: &ClassFile<'_>, name: &str) {
        for method in &class.methods {
            let declared = declared_by(class, method);
            if !declared.is_empty() {
                let key = key(name, method);
                self.signatures.insert((key.1.clone(), key.2.clone()));
                // The first on a class path is the one that is loaded.
                self.exceptions.entry(key).or_insert(declared);
            }
        }
    }

    /// Notes those that declare none; once all classes have been added.
    pub(crate) fn add_silent(&mut self, class: &ClassFile<'_>, name: &str) {
        let is_silent = |method: &&Member<'_>| method.declared_exceptions(&class.pool).next().is_none();
        for method in class.methods.iter().filter(is_silent) {
            let (owner, method, descriptor) = key(name, method);
            let signature = (method, descriptor);
            if self.signatures.contains(&signature) {
                self.exceptions.entry((owner, signature.0, signature.1)).or_default();
            }
        }
    }

    /// Exceptions that the method of this very class declares; `None` if it has none that may throw, or declares nothing.
    pub(crate) fn of(&self, class: &str, name: &str, descriptor: &str) -> Option<&[Option<String>]> {
        let key = (class.to_owned(), name.to_owned(), descriptor.to_owned());
        self.exceptions.get(&key).map(Vec::as_slice)
    }

    #[cfg(test)]
    pub(crate) fn insert(&mut self, method: Method, exceptions: &[&str]) {
        let exceptions = exceptions.iter().map(|each| Some((*each).to_owned())).collect();
        self.exceptions.insert(method, exceptions);
    }
}

/// The types behind `throws`, binary names; `None` for each of a method that has a type parameter among them.
pub(crate) fn declared_by(class: &ClassFile<'_>, method: &Member<'_>) -> Vec<Option<String>> {
    let signature = method.attributes.signature(&class.pool);
    let is_generic = signature.is_some_and(|text| text.as_bytes().windows(2).any(|pair| pair == b"^T"));
    let names = method.declared_exceptions(&class.pool);
    names.map(|name| name.ok().filter(|_| !is_generic).map(|name| name.to_binary_name())).collect()
}

impl Hierarchy {
    /// Tells whether the call may end with an `InterruptedException`, as far as it is declared.
    pub(crate) fn is_interruptible(&self, class: &str, name: &str, descriptor: &str) -> bool {
        let declares = |owner| self.declared.of(owner, name, descriptor).unwrap_or_default();
        let mut declared = self.supertypes(class).into_iter().flat_map(declares);
        declared.any(|thrown| thrown.as_deref() == Some(INTERRUPTED))
    }

    /// The checked exceptions that a call of this method may end with, as the compiler sees it; `None` for what cannot be told.
    pub(crate) fn thrown_by(&self, class: &str, name: &str, descriptor: &str) -> Vec<Option<String>> {
        if class.starts_with('[') {
            return Vec::new();
        }
        // Every call of these has a descriptor of its own.
        if class == "java.lang.invoke.MethodHandle" && name.starts_with("invoke") {
            return vec![Some(THROWABLE.to_owned())];
        }
        let Some(declared) = self.declaration(class, name, descriptor) else { return vec![None] };
        let known = |thrown: &Option<String>| {
            let is_checked = thrown.as_deref().map_or(Some(true), |it| self.is_checked(it));
            is_checked != Some(false)
        };
        let told = |thrown: &Option<String>| thrown.clone().filter(|it| self.is_checked(it).is_some());
        declared.iter().filter(|thrown| known(thrown)).map(told).collect()
    }

    /// Exceptions that the method that is meant declares; `None` if that cannot be told.
    fn declaration(&self, class: &str, name: &str, descriptor: &str) -> Option<&[Option<String>]> {
        if name == "<init>" {
            let is_known = self.superclasses.contains_key(class);
            return is_known.then(|| self.declared.of(class, name, descriptor).unwrap_or_default());
        }
        let is_known = |each: &str| each == OBJECT || self.superclasses.contains_key(each);
        for each in self.lineage(class) {
            if let Some(own) = self.declared.of(each, name, descriptor) {
                return Some(own);
            }
            if !is_known(each) {
                return None;
            }
        }
        // Then in the interfaces: the nearest of each kind, which have to agree.
        let (mut left, mut found) = (self.interfaces_of_lineage(class), BTreeSet::new());
        let mut seen = BTreeSet::new();
        while let Some(next) = left.pop() {
            if !seen.insert(next) {
                continue;
            }
            match self.declared.of(next, name, descriptor) {
                Some(own) => drop(found.insert(own)),
                None if !is_known(next) => return None,
                None => left.extend(self.interfaces.get(next).into_iter().flatten().map(String::as_str)),
            }
        }
        match found.len() {
            0 => (!is_silent_helper(name)).then_some(&[]),
            1 => found.pop_first(),
            _ => None,
        }
    }

    fn interfaces_of_lineage<'a>(&'a self, class: &'a str) -> Vec<&'a str> {
        let own = self.lineage(class).filter_map(|each| self.interfaces.get(each));
        own.flatten().map(String::as_str).collect()
    }
}

/// Methods that compilers make and that do not always say what they throw.
fn is_silent_helper(name: &str) -> bool {
    name.starts_with("access$") || name == "$closeResource"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stretch::types::hierarchy::tests::hierarchy;

    #[test]
    fn what_supertypes_declare_may_interrupt() {
        let mut hierarchy = hierarchy(&[("C", "B"), ("B", "A")]);
        let method = ("A".to_owned(), "m".to_owned(), "()V".to_owned());
        hierarchy.declared.insert(method, &[INTERRUPTED]);
        assert!(hierarchy.is_interruptible("C", "m", "()V"));
        assert!(!hierarchy.is_interruptible("D", "m", "()V"));
        hierarchy.interfaces.insert("D".to_owned(), vec!["I".to_owned(), "C".to_owned()]);
        assert!(hierarchy.is_interruptible("D", "m", "()V"), "interfaces hand down methods, too");
    }

    #[test]
    fn calls_throw_what_the_nearest_declaration_says() {
        let mut hierarchy = hierarchy(&[
            ("Bytes", "Out"),
            ("Out", OBJECT),
            ("Odd", "Missing"),
            ("Io", "java.lang.Exception"),
            ("Quiet", "java.lang.RuntimeException"),
            ("java.lang.RuntimeException", "java.lang.Exception"),
            ("java.lang.Exception", THROWABLE),
            (THROWABLE, OBJECT),
        ]);
        let method = |class: &str| (class.to_owned(), "write".to_owned(), "()V".to_owned());
        hierarchy.declared.insert(method("Out"), &["Io", "Quiet"]);
        let thrown = |hierarchy: &Hierarchy, class| hierarchy.thrown_by(class, "write", "()V");
        let io = || Some("Io".to_owned());
        assert_eq!(thrown(&hierarchy, "Out"), [io()], "what is unchecked does not count");
        assert_eq!(thrown(&hierarchy, "Bytes"), [io()]);
        hierarchy.declared.insert(method("Bytes"), &[]);
        assert_eq!(thrown(&hierarchy, "Bytes"), [], "an overriding method may promise more");
        assert_eq!(thrown(&hierarchy, "Odd"), [None], "a class above it is missing");
        assert_eq!(thrown(&hierarchy, "[Odd"), []);
    }

    #[test]
    fn interfaces_that_declare_different_exceptions_leave_it_open() {
        let mut hierarchy = hierarchy(&[("C", OBJECT), ("I", OBJECT), ("J", OBJECT)]);
        let method = |class: &str| (class.to_owned(), "close".to_owned(), "()V".to_owned());
        hierarchy.interfaces.insert("C".to_owned(), vec!["I".to_owned(), "J".to_owned()]);
        assert_eq!(hierarchy.thrown_by("C", "close", "()V"), []);
        hierarchy.declared.insert(method("I"), &[]);
        assert_eq!(hierarchy.thrown_by("C", "close", "()V"), []);
        hierarchy.declared.insert(method("J"), &[INTERRUPTED]);
        assert_eq!(hierarchy.thrown_by("C", "close", "()V"), [None]);
    }
}
