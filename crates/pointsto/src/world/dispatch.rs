//! Dispatch: the method that a call comes to (JVMS §5.4.3.3, §5.4.3.4 and §5.4.6).

use super::{Method, World};
use crate::ids::{ClassId, MethodId, SelectorId};

impl World<'_> {
    /// The method that a call on an object of exactly this class comes to.
    pub fn dispatch(&mut self, class: ClassId, selector: SelectorId) -> Option<MethodId> {
        if let Some(found) = self.dispatched.get(&(class, selector)) {
            return *found;
        }
        let found = self.select(class, selector);
        self.dispatched.insert((class, selector), found);
        found
    }

    /// Tells whether a call on lambdas of a class comes to what they stand for. Bridges have the name of the method
    /// that they implement, and so may methods that the interface has code for.
    pub(crate) fn is_left_to_lambda(&mut self, class: ClassId, name: &[u8], selector: SelectorId) -> bool {
        let is_named =
            self.selector_name(selector).strip_prefix(name).is_some_and(|rest| rest.starts_with(b"("));
        is_named && self.dispatch(class, selector).is_none()
    }

    /// Tells whether a call on a proxy goes to its handler: `getClass`, `wait` and the like are what every object has.
    pub(crate) fn is_left_to_handler(&self, selector: SelectorId) -> bool {
        let inherited = self.declared(self.object, selector);
        inherited.is_none_or(|method| self.method(method).is_for_all_to_override())
    }

    /// The selector that a call of a method looks for in the class of its receiver. Methods that only their package can
    /// see are told by it: a class of another package may have one of that name that has nothing to do with it.
    pub(crate) fn looked_for(&mut self, method: MethodId) -> SelectorId {
        let Method { class, selector, .. } = *self.method(method);
        if !self.method(method).is_for_package() {
            return selector;
        }
        let package = package_of(&self.class_of(class).name).to_vec();
        let name = self.selector_name(selector).to_vec();
        self.selector(&name, &[b" ", &*package].concat())
    }

    /// Name and descriptor of what is looked for, and the package that it has to be of.
    pub(crate) fn parts_of_looked_for(&mut self, selector: SelectorId) -> (SelectorId, Option<Vec<u8>>) {
        let name = self.selector_name(selector);
        let behind = name.iter().rposition(|byte| *byte == b')').unwrap_or(0);
        let Some(space) = name[behind..].iter().position(|byte| *byte == b' ') else {
            return (selector, None);
        };
        let (name, package) = (name[..behind + space].to_vec(), name[behind + space + 1..].to_vec());
        (self.selector(&name, b""), Some(package))
    }

    fn select(&mut self, class: ClassId, selector: SelectorId) -> Option<MethodId> {
        let (selector, package) = self.parts_of_looked_for(selector);
        let in_package = package.and_then(|package| self.select_in_package(class, selector, &package));
        let declared = in_package.or_else(|| self.inherited_methods(class, selector).next());
        match declared {
            Some(method) if !self.method(method).is_abstract() => Some(method),
            Some(_) => self.default_method(class, selector),
            // The JVM itself calls private methods of threads.
            None => self.default_method(class, selector).or_else(|| self.upwards(class, selector).next()),
        }
    }

    /// Methods of a class and those above it to which a call on an object of it can come, from the class on.
    fn inherited_methods(&self, class: ClassId, selector: SelectorId) -> impl Iterator<Item = MethodId> {
        self.upwards(class, selector).filter(|method| !self.method(*method).is_private())
    }

    fn upwards(&self, class: ClassId, selector: SelectorId) -> impl Iterator<Item = MethodId> {
        let declared = self.lineage(class).filter_map(move |class| self.declared(class, selector));
        declared.filter(|method| !self.method(*method).is_static())
    }

    /// The method that overrides one that only this package can see: one of the package, or one that overrides that if
    /// more can see it.
    fn select_in_package(&self, class: ClassId, selector: SelectorId, package: &[u8]) -> Option<MethodId> {
        let mut inherited = self.inherited_methods(class, selector).peekable();
        let first = *inherited.peek()?;
        let is_inside = |method: &MethodId| {
            let declaring = self.method(*method).class;
            package_of(&self.class_of(declaring).name) == package
        };
        let inside = inherited.find(is_inside)?;
        Some(if self.method(inside).is_for_package() { inside } else { first })
    }

    /// A method with code in an interface that no interface below it declares again.
    fn default_method(&self, class: ClassId, selector: SelectorId) -> Option<MethodId> {
        let declared = self.declared_by_interfaces(class, selector);
        let is_hidden = |method: MethodId| {
            let of = self.method(method).class;
            declared.iter().any(|it| *it != method && self.is_subtype(self.method(*it).class, of))
        };
        let mut with_code = declared.iter().copied().filter(|id| !self.method(*id).is_abstract());
        with_code.find(|method| !is_hidden(*method))
    }

    /// Methods that interfaces above a class declare for those that implement them.
    fn declared_by_interfaces(&self, class: ClassId, selector: SelectorId) -> Vec<MethodId> {
        let above = self.class_of(class).supertypes.iter();
        let interfaces = above.filter(|above| self.class_of(**above).is_interface());
        let declared = interfaces.filter_map(|above| self.declared(*above, selector));
        declared.filter(|id| !self.method(*id).is_static() && !self.method(*id).is_private()).collect()
    }

    /// The method that a reference in a class file means: looked for in the class, those above it and their interfaces.
    pub fn resolve_method(&self, owner: ClassId, selector: SelectorId) -> Option<MethodId> {
        let in_classes = self.lineage(owner).find_map(|class| self.declared(class, selector));
        let default = in_classes.or_else(|| self.default_method(owner, selector));
        default.or_else(|| self.declared_by_interfaces(owner, selector).first().copied())
    }
}

fn package_of(class: &[u8]) -> &[u8] {
    &class[..class.iter().rposition(|byte| *byte == b'/').unwrap_or(0)]
}
