//! Where a program begins: methods that somebody outside it calls.

use crate::test_methods::test_methods;
use catchment_pointsto::ids::{ClassId, MethodId};
use catchment_pointsto::world::World;

/// Which methods of the program's own classes are called from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// `main` of the application's classes.
    Main,
    /// Tests and what runs around them.
    Tests,
    /// Public and protected methods of public classes.
    Api,
    /// What a servlet container calls.
    Servlets,
}

/// The entry points that are wanted. Where none are: those that start by themselves (main, tests, servlets), or else the API.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryPoints {
    /// `pkg.Class` for its `main`, or `pkg.Class.method`.
    pub named: Vec<String>,
    pub kinds: Vec<EntryKind>,
}

/// The program's own classes by internal name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnClasses {
    pub application: Vec<Vec<u8>>,
    pub tests: Vec<Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    #[error("cannot find the entry point {0}: no such class, and no class with such a method")]
    NoClass(String),
    #[error("cannot begin with {0}: the class has no main method; name a method, {0}.<method>")]
    NoMain(String),
    #[error("cannot begin with {0}: the class has no method '{1}' with code")]
    NoMethod(String, String),
    #[error("no entry points: there is no {0}; name some with --entry, or other kinds with --entry-points")]
    None(String),
}

impl EntryKind {
    pub const ALL: [Self; 4] = [Self::Main, Self::Tests, Self::Api, Self::Servlets];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Tests => "tests",
            Self::Api => "api",
            Self::Servlets => "servlets",
        }
    }

    /// In the singular, after "there is no".
    fn missing(self) -> &'static str {
        match self {
            Self::Main => "main method",
            Self::Tests => "test",
            Self::Api => "public method",
            Self::Servlets => "servlet",
        }
    }
}

const UNLESS_TOLD: [&[EntryKind]; 2] =
    [&[EntryKind::Main, EntryKind::Tests, EntryKind::Servlets], &[EntryKind::Api]];
const SERVLETS: [&str; 4] =
    ["javax/servlet/Servlet", "jakarta/servlet/Servlet", "javax/servlet/Filter", "jakarta/servlet/Filter"];
const CALLED_BY_CONTAINERS: [&str; 13] = [
    "init",
    "service",
    "destroy",
    "doGet",
    "doPost",
    "doPut",
    "doDelete",
    "doHead",
    "doOptions",
    "doTrace",
    "doPatch",
    "doFilter",
    "getLastModified",
];

/// The methods of the entry points, each once.
pub(crate) fn entry_methods(
    world: &mut World<'_>,
    wanted: &EntryPoints,
    own: &OwnClasses,
) -> Result<Vec<MethodId>, EntryError> {
    let mut methods = Vec::new();
    for name in &wanted.named {
        methods.extend(named(world, name)?);
    }
    let is_any_wanted = !wanted.named.is_empty() || !wanted.kinds.is_empty();
    let alternatives = if is_any_wanted { vec![wanted.kinds.as_slice()] } else { UNLESS_TOLD.to_vec() };
    for kinds in &alternatives {
        if methods.is_empty() || is_any_wanted {
            methods.extend(kinds.iter().flat_map(|kind| of_kinds_classes(world, *kind, own)));
        }
    }
    if methods.is_empty() {
        let missing: Vec<_> = alternatives.concat().iter().map(|kind| kind.missing()).collect();
        return Err(EntryError::None(missing.join(", no ")));
    }
    methods.sort_unstable();
    methods.dedup();
    Ok(methods)
}

fn of_kinds_classes(world: &mut World<'_>, kind: EntryKind, own: &OwnClasses) -> Vec<MethodId> {
    // Who names class folders does not say which of them hold tests.
    let tests = if kind == EntryKind::Tests { own.tests.as_slice() } else { &[] };
    let mut methods = Vec::new();
    for name in tests.iter().chain(&own.application) {
        let class = world.class(name);
        methods.extend(of_kind(world, class, kind));
    }
    methods
}

fn named(world: &mut World<'_>, name: &str) -> Result<Vec<MethodId>, EntryError> {
    let class = world.class(name.replace('.', "/").as_bytes());
    if !world.class_of(class).is_missing() {
        let methods: Vec<_> = of_kind(world, class, EntryKind::Main);
        return if methods.is_empty() { Err(EntryError::NoMain(name.to_owned())) } else { Ok(methods) };
    }
    let no_class = || EntryError::NoClass(name.to_owned());
    let (class_name, method) = name.rsplit_once('.').ok_or_else(no_class)?;
    let class = world.class(class_name.replace('.', "/").as_bytes());
    if world.class_of(class).is_missing() {
        return Err(no_class());
    }
    let methods = world.declared_by_name(class, method.as_bytes());
    let methods: Vec<_> = methods.filter(|method| !world.method(*method).is_abstract()).collect();
    if methods.is_empty() {
        return Err(EntryError::NoMethod(class_name.to_owned(), method.to_owned()));
    }
    Ok(methods)
}

fn of_kind(world: &mut World<'_>, class: ClassId, kind: EntryKind) -> Vec<MethodId> {
    let is_wanted_class = match kind {
        EntryKind::Main => true,
        EntryKind::Tests => return test_methods(world, class),
        EntryKind::Api => world.class_of(class).is_public(),
        EntryKind::Servlets => is_servlet(world, class),
    };
    if !is_wanted_class {
        return Vec::new();
    }
    let methods = world.class_of(class).methods();
    methods.filter(|method| !world.method(*method).is_abstract() && is_entry(world, *method, kind)).collect()
}

fn is_entry(world: &World<'_>, method: MethodId, kind: EntryKind) -> bool {
    let (declared, name) = (world.method(method), world.name_of(method));
    match kind {
        EntryKind::Main => {
            let descriptor = world.descriptor_of(method);
            name == b"main"
                && declared.is_static()
                && matches!(descriptor, b"([Ljava/lang/String;)V" | b"()V")
        }
        EntryKind::Api => declared.is_api() && name != b"<clinit>",
        EntryKind::Servlets => CALLED_BY_CONTAINERS.iter().any(|known| known.as_bytes() == name),
        // The whole class is asked about these.
        EntryKind::Tests => false,
    }
}

fn is_servlet(world: &mut World<'_>, class: ClassId) -> bool {
    !world.class_of(class).is_abstract()
        && SERVLETS.iter().any(|name| is_below(world, class, name.as_bytes()))
}

fn is_below(world: &mut World<'_>, class: ClassId, name: &[u8]) -> bool {
    let above = world.class(name);
    world.is_subtype(class, above)
}
