//! Declared exceptions: the `throws` clauses of methods, and the exceptions that calls may throw by them.

use crate::hierarchy::{Hierarchy, INTERRUPTED, THROWABLE, named};
use catchment_classfile::{ClassFile, Member};
use catchment_pointsto::{ClassId, MethodId, SelectorId, World};
use std::collections::BTreeSet;

/// The types behind a `throws`, binary names. `None`, for each of a method that has a type parameter among them, since
/// every call may mean another exception.
pub(crate) type ThrowsClause = Vec<Option<String>>;

pub(crate) fn throws_clause(class: &ClassFile<'_>, method: &Member<'_>) -> ThrowsClause {
    let signature = method.attributes.signature(&class.pool);
    let is_generic = signature.is_some_and(|text| text.as_bytes().windows(2).any(|pair| pair == b"^T"));
    let names = method.declared_exceptions(&class.pool);
    names.map(|name| name.ok().filter(|_| !is_generic).map(|name| name.to_binary_name())).collect()
}

impl Hierarchy<'_> {
    /// Tells whether the call may end with an `InterruptedException`, as far as it is declared.
    pub(crate) fn is_interruptible(&self, class: &str, name: &str, descriptor: &str) -> bool {
        let mut world = self.world();
        let class = named(&mut world, class);
        let selector = world.selector(name.as_bytes(), descriptor.as_bytes());
        let above = world.class_of(class).supertypes.iter();
        let mut methods = above.filter_map(|class| world.declared(*class, selector));
        methods.any(|method| throws_of(&world, method).iter().flatten().any(|thrown| thrown == INTERRUPTED))
    }

    /// The checked exceptions that a call of this method may end with, as the compiler sees it; `None` for those that
    /// cannot be told.
    pub(crate) fn thrown_by(&self, class: &str, name: &str, descriptor: &str) -> Vec<Option<String>> {
        if class.starts_with('[') {
            return Vec::new();
        }
        // Every call of these has a descriptor of its own.
        if class == "java.lang.invoke.MethodHandle" && name.starts_with("invoke") {
            return vec![Some(THROWABLE.to_owned())];
        }
        let Some(declared) = self.declaration(class, name, descriptor) else { return vec![None] };
        let checked = |thrown: Option<String>| thrown.map_or(Some(None), |thrown| self.checked(thrown));
        declared.into_iter().filter_map(checked).collect()
    }

    /// Exceptions that the method that is meant declares; `None` if that cannot be told.
    fn declaration(&self, class: &str, name: &str, descriptor: &str) -> Option<ThrowsClause> {
        let mut world = self.world();
        let class = named(&mut world, class);
        let selector = world.selector(name.as_bytes(), descriptor.as_bytes());
        if name == "<init>" {
            let own = world.declared(class, selector).map(|method| throws_of(&world, method));
            return (!world.class_of(class).is_missing()).then(|| own.unwrap_or_default());
        }
        let declared = nearest_declaration(&world, class, selector)?;
        (!declared.is_empty() || !is_silent_helper(name)).then_some(declared)
    }
}

/// As the nearest class says that declares the method, or else the nearest interfaces of each kind, which have to
/// agree. `None` if they do not, or if one that may declare it is missing.
fn nearest_declaration(world: &World<'_>, class: ClassId, selector: SelectorId) -> Option<ThrowsClause> {
    let own = |class| Some(throws_of(world, world.declared(class, selector)?));
    let mut interfaces = Vec::new();
    for above in world.lineage(class) {
        if world.class_of(above).is_missing() {
            return None;
        }
        if let Some(own) = own(above) {
            return Some(own);
        }
        interfaces.extend(&world.class_of(above).interfaces);
    }
    let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
    while let Some(next) = interfaces.pop() {
        if !seen.insert(next) {
            continue;
        }
        match own(next) {
            _ if world.class_of(next).is_missing() => return None,
            Some(own) => drop(found.insert(own)),
            None => interfaces.extend(&world.class_of(next).interfaces),
        }
    }
    if found.len() > 1 { None } else { Some(found.pop_first().unwrap_or_default()) }
}

fn throws_of(world: &World<'_>, method: MethodId) -> ThrowsClause {
    let class = world.class_of(world.method(method).class).file();
    class.zip(world.member_of(method)).map(|(class, member)| throws_clause(class, member)).unwrap_or_default()
}

/// Methods that compilers make and that do not always say what they throw.
fn is_silent_helper(name: &str) -> bool {
    name.starts_with("access$") || name == "$closeResource"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy::LoadableClasses;
    use crate::hierarchy::tests::{compile, with_jdk};

    const SOURCE: &str = "
        class Sleeping { void wait(String s) throws InterruptedException {} }
        class Dozing extends Sleeping {}
        class Awake { public void wait(String s) {} }
        interface Waiting { void wait(String s) throws InterruptedException; }
        class Called extends Awake implements Waiting {}
        class Io extends Exception {}
        class Quiet extends RuntimeException {}
        class Out { void write() throws Io, Quiet {} }
        class Bytes extends Out {}
        class Memory extends Out { void write() {} }
        interface Open { }
        interface Silent { void close(); }
        interface Slow { void close() throws InterruptedException; }
        abstract class Opened implements Open {}
        abstract class Closed implements Open, Silent {}
        abstract class Both implements Silent, Slow {}
        class Odd extends Missing {}";

    fn classes() -> LoadableClasses {
        let missing = compile(&[("Missing.java", "class Missing {}")], &[]);
        with_jdk(&[compile(&[("Sleeping.java", SOURCE)], &[missing])])
    }

    #[test]
    fn what_supertypes_declare_may_interrupt() {
        let classes = classes();
        let hierarchy = Hierarchy::of(&classes);
        let is_interruptible = |class| hierarchy.is_interruptible(class, "wait", "(Ljava/lang/String;)V");
        assert!(is_interruptible("Dozing") && !is_interruptible("Awake"));
        assert!(is_interruptible("Called"), "interfaces hand down methods, too");
    }

    #[test]
    fn calls_throw_what_the_nearest_declaration_says() {
        let classes = classes();
        let hierarchy = Hierarchy::of(&classes);
        let thrown = |class| hierarchy.thrown_by(class, "write", "()V");
        let io = || Some("Io".to_owned());
        assert_eq!(thrown("Out"), [io()], "what is unchecked does not count");
        assert_eq!(thrown("Bytes"), [io()]);
        assert_eq!(thrown("Memory"), [], "an overriding method may promise more");
        assert_eq!(thrown("Odd"), [None], "a class above it is missing");
        assert_eq!(thrown("[LOdd;"), []);
    }

    #[test]
    fn interfaces_that_declare_different_exceptions_leave_it_open() {
        let classes = classes();
        let hierarchy = Hierarchy::of(&classes);
        let thrown = |class| hierarchy.thrown_by(class, "close", "()V");
        assert_eq!(thrown("Opened"), []);
        assert_eq!(thrown("Closed"), []);
        assert_eq!(thrown("Both"), [None]);
    }
}
