//! Where a program begins: methods that somebody outside it calls.

use catchment_classfile::{ClassFile, Member, annotation_types};
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
const TEST_ANNOTATIONS: [&str; 3] = ["Lorg/junit/", "Lorg/testng/annotations/", "Lnet/jqwik/api/"];
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
    let classes = if kind == EntryKind::Tests { &own.tests } else { &own.application };
    let mut methods = Vec::new();
    for name in classes {
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
        EntryKind::Tests => !world.class_of(class).is_abstract(),
        EntryKind::Api => world.class_of(class).is_public(),
        EntryKind::Servlets => is_servlet(world, class),
    };
    if !is_wanted_class {
        return Vec::new();
    }
    // Tests are also those that the class has from above.
    let declaring = if kind == EntryKind::Tests { own_and_above(world, class) } else { vec![class] };
    let is_test_case = is_below(world, class, b"junit/framework/TestCase");
    let methods = declaring.iter().flat_map(|class| world.class_of(*class).methods());
    let is_entry = |method: &MethodId| {
        let declared = world.method(*method);
        !declared.is_abstract() && is_entry(world, *method, kind, is_test_case)
    };
    methods.filter(is_entry).collect()
}

fn is_entry(world: &World<'_>, method: MethodId, kind: EntryKind, is_test_case: bool) -> bool {
    let (declared, name) = (world.method(method), world.name_of(method));
    match kind {
        EntryKind::Main => {
            let descriptor = world.descriptor_of(method);
            name == b"main"
                && declared.is_static()
                && matches!(descriptor, b"([Ljava/lang/String;)V" | b"()V")
        }
        EntryKind::Tests => {
            let is_by_name =
                is_test_case && matches!(name, b"setUp" | b"tearDown" | [b't', b'e', b's', b't', ..]);
            is_by_name || has_test_annotation(world, method)
        }
        EntryKind::Api => declared.is_api() && name != b"<clinit>",
        EntryKind::Servlets => CALLED_BY_CONTAINERS.iter().any(|known| known.as_bytes() == name),
    }
}

/// `@Test`, `@ParameterizedTest`, `@Before`, `@AfterEach`, `@DataProvider` and the like; providers of values as well.
fn has_test_annotation(world: &World<'_>, method: MethodId) -> bool {
    let file: Option<&ClassFile<'_>> = world.class_of(world.method(method).class).file();
    let annotated = |file: &ClassFile<'_>, member: &Member<'_>| {
        let types = annotation_types(&member.attributes, &file.pool);
        types.iter().any(|name| TEST_ANNOTATIONS.iter().any(|known| name.starts_with(known)))
    };
    file.zip(world.member_of(method)).is_some_and(|(file, member)| annotated(file, member))
}

fn is_servlet(world: &mut World<'_>, class: ClassId) -> bool {
    !world.class_of(class).is_abstract()
        && SERVLETS.iter().any(|name| is_below(world, class, name.as_bytes()))
}

fn is_below(world: &mut World<'_>, class: ClassId, name: &[u8]) -> bool {
    let above = world.class(name);
    world.is_subtype(class, above)
}

fn own_and_above(world: &World<'_>, class: ClassId) -> Vec<ClassId> {
    std::iter::successors(Some(class), |class| world.class_of(*class).superclass).collect()
}
