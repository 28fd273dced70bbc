//! Entry points of a program: methods that code outside of it calls.

pub(crate) mod above;
pub(crate) mod container_methods;
pub(crate) mod main_methods;
pub(crate) mod test_methods;

use crate::entry_points::container_methods::container_methods;
use crate::entry_points::main_methods::main_method;
use crate::entry_points::test_methods::test_methods;
use catchment_pointsto::World;
use catchment_pointsto::{ClassId, MethodId};

/// Methods of the program's own classes that are called from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// `main` of the application's classes, as the JDK at hand would start it.
    Main,
    /// Tests and what runs around them.
    Tests,
    /// Public and protected methods of public classes.
    Api,
    /// Methods that a servlet container calls, of filters and listeners too.
    Servlets,
}

/// The entry points that are wanted. Where none are: those that start by themselves (main, tests, servlets), or else
/// the API.
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

/// The methods of the entry points, each once. The release is that of the JDK at hand.
pub(crate) fn entry_methods(
    world: &mut World<'_>,
    wanted: &EntryPoints,
    own: &OwnClasses,
    release: Option<u32>,
) -> Result<Vec<MethodId>, EntryError> {
    let mut methods = Vec::new();
    for name in &wanted.named {
        methods.extend(named(world, name, release)?);
    }
    let is_any_wanted = !wanted.named.is_empty() || !wanted.kinds.is_empty();
    let alternatives = if is_any_wanted { vec![wanted.kinds.as_slice()] } else { UNLESS_TOLD.to_vec() };
    for kinds in &alternatives {
        if methods.is_empty() || is_any_wanted {
            methods.extend(kinds.iter().flat_map(|kind| of_kinds_classes(world, *kind, own, release)));
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

fn of_kinds_classes(
    world: &mut World<'_>,
    kind: EntryKind,
    own: &OwnClasses,
    release: Option<u32>,
) -> Vec<MethodId> {
    // Who names class folders does not say which of them hold tests.
    let tests = if kind == EntryKind::Tests { own.tests.as_slice() } else { &[] };
    let mut methods = Vec::new();
    for name in tests.iter().chain(&own.application) {
        let class = world.class(name);
        methods.extend(of_kind(world, class, kind, release));
    }
    methods
}

fn named(world: &mut World<'_>, name: &str, release: Option<u32>) -> Result<Vec<MethodId>, EntryError> {
    let class = world.class(name.replace('.', "/").as_bytes());
    if !world.class_of(class).is_missing() {
        let main = main_method(world, class, release).ok_or_else(|| EntryError::NoMain(name.to_owned()))?;
        return Ok(vec![main]);
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

fn of_kind(world: &mut World<'_>, class: ClassId, kind: EntryKind, release: Option<u32>) -> Vec<MethodId> {
    match kind {
        EntryKind::Main => main_method(world, class, release).into_iter().collect(),
        EntryKind::Tests => test_methods(world, class),
        EntryKind::Api => api_methods(world, class),
        EntryKind::Servlets => container_methods(world, class),
    }
}

fn api_methods(world: &World<'_>, class: ClassId) -> Vec<MethodId> {
    let class = world.class_of(class);
    let is_api = |method: &MethodId| {
        let declared = world.method(*method);
        declared.is_api() && !declared.is_abstract() && world.name_of(*method) != b"<clinit>"
    };
    if class.is_public() { class.methods().filter(is_api).collect() } else { Vec::new() }
}
