//! Methods that test frameworks call: JUnit 3 to 6, TestNG, jqwik, Spock and Cucumber. Kotlin's tests carry the same
//! annotations.
//!
//! A framework finds them by reflection, so only conventions tell. Classes are asked by name: the framework itself need
//! not be there, except where an interface of it lies between.

use crate::entry_points::above::{is_below, own_and_above};
use catchment_classfile::{JvmStr, TestFramework, annotation_types};
use catchment_pointsto::World;
use catchment_pointsto::{ClassId, MethodId};

/// At a class: all its public methods are tests.
const TESTNG_TEST: &str = "Lorg/testng/annotations/Test;";
/// At a test: a method of any name gives its arguments, the same name unless the annotation has another.
const SOURCES: [&str; 2] = ["Lorg/junit/jupiter/params/provider/MethodSource;", "Ljunitparams/Parameters;"];

/// Types on whose objects frameworks call methods of any name.
const CALLED_BACK: [&str; 8] = [
    "org/junit/jupiter/api/extension/Extension",
    "org/junit/jupiter/params/provider/ArgumentsProvider",
    "org/junit/jupiter/params/converter/ArgumentConverter",
    "org/junit/jupiter/params/aggregator/ArgumentsAggregator",
    "org/junit/rules/TestRule",
    "org/junit/rules/MethodRule",
    "org/junit/runner/Runner",
    "org/testng/ITestNGListener",
];

const SPOCKS_FIXTURES: [&[u8]; 4] = [b"setup", b"cleanup", b"setupSpec", b"cleanupSpec"];

/// The methods of a class that are called by a test framework, also those that it has from above.
pub(crate) fn test_methods(world: &mut World<'_>, class: ClassId) -> Vec<MethodId> {
    if !world.class_of(class).is_instantiable() {
        return Vec::new();
    }
    let calls = Conventions::of(world, class);
    let mut found = Vec::new();
    let mut has_sources = false;
    let methods = own_and_above(world, class);
    for method in &methods {
        let annotations = annotations_of(world, *method);
        has_sources |= annotations.iter().any(|name| SOURCES.iter().any(|source| *name == **source));
        if calls.has(world, *method, class) || annotations.iter().any(|name| is_of_tests(world, *name)) {
            found.push(*method);
        }
    }
    if has_sources {
        found.extend(methods.iter().filter(|method| may_give_arguments(world, **method)));
    }
    found.retain(|method| !world.method(*method).is_abstract());
    found
}

/// Reasons why frameworks call methods of a class by their names, or whatever their names.
struct Conventions {
    junit_3: bool,
    spock: bool,
    called_back: bool,
    testng_class: bool,
}

impl Conventions {
    fn of(world: &mut World<'_>, class: ClassId) -> Self {
        let file = world.class_of(class).file();
        let annotations = file.map(|file| annotation_types(&file.attributes, &file.pool)).unwrap_or_default();
        let framework_of = |above| TestFramework::of_superclass(&world.class_of(above).name);
        let inherited = world.lineage(class).find_map(framework_of);
        Self {
            junit_3: inherited == Some(TestFramework::JUnit3),
            spock: inherited == Some(TestFramework::Spock),
            called_back: CALLED_BACK.iter().any(|name| is_below(world, class, name)),
            testng_class: annotations.iter().any(|name| *name == *TESTNG_TEST),
        }
    }

    fn has(&self, world: &World<'_>, method: MethodId, class: ClassId) -> bool {
        let (declared, name) = (world.method(method), world.name_of(method));
        let is_plain = declared.is_api() && !name.starts_with(b"<");
        let is_own = declared.class == class;
        self.junit_3 && matches!(name, b"setUp" | b"tearDown" | b"suite" | [b't', b'e', b's', b't', ..])
            || self.spock && SPOCKS_FIXTURES.contains(&name)
            || self.called_back && is_own && is_plain
            || self.testng_class && is_own && is_plain && !declared.is_static()
    }
}

/// Of a framework, or of an annotation that one of these stands at.
fn is_of_tests(world: &mut World<'_>, annotation: JvmStr<'_>) -> bool {
    let is_known = |name: &JvmStr<'_>| TestFramework::of_annotation(name.as_bytes()).is_some();
    if is_known(&annotation) {
        return true;
    }
    let [b'L', name @ .., b';'] = annotation.as_bytes() else { return false };
    let class = world.class(name);
    let above = world.class_of(class).file().map(|file| annotation_types(&file.attributes, &file.pool));
    above.unwrap_or_default().iter().any(is_known)
}

/// The names of those that do stand in the values of annotations, often as methods of other classes; the rest do no
/// harm.
fn may_give_arguments(world: &World<'_>, method: MethodId) -> bool {
    let descriptor = world.descriptor_of(method);
    world.method(method).is_static() && descriptor.starts_with(b"()") && !descriptor.ends_with(b")V")
}

fn annotations_of<'a>(world: &World<'a>, method: MethodId) -> Vec<JvmStr<'a>> {
    let file = world.class_of(world.method(method).class).file();
    let annotated = file.zip(world.member_of(method));
    annotated.map(|(file, member)| annotation_types(&member.attributes, &file.pool)).unwrap_or_default()
}
