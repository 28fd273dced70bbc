//! What methods declare to throw, over all that the tests' JVMs can load.

use super::hierarchy::{Method, key};
use catchment_classfile::{ClassFile, Member};
use std::collections::{HashMap, HashSet};

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

    /// What the method of this very class declares; `None` if it has none that may throw, or declares nothing.
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
