//! Test classes, as their class files tell.

use crate::configuration::Framework;
use crate::test_suites::TestSuite;
use catchment_classfile::{ClassFile, JvmStr, access};
use catchment_program::{LoadOptions, visit};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Annotations and types that only tests mention, as they stand in a constant pool.
const MARKS: &[(&str, Framework)] = &[
    ("Lorg/junit/jupiter/api/Test;", Framework::JUnitPlatform),
    ("Lorg/junit/jupiter/api/TestFactory;", Framework::JUnitPlatform),
    ("Lorg/junit/jupiter/api/TestTemplate;", Framework::JUnitPlatform),
    ("Lorg/junit/jupiter/api/RepeatedTest;", Framework::JUnitPlatform),
    ("Lorg/junit/jupiter/api/Nested;", Framework::JUnitPlatform),
    ("Lorg/junit/jupiter/params/ParameterizedTest;", Framework::JUnitPlatform),
    ("Lorg/junit/platform/suite/api/Suite;", Framework::JUnitPlatform),
    ("Lorg/junit/Test;", Framework::JUnit4),
    ("Lorg/junit/runner/RunWith;", Framework::JUnit4),
    ("Lorg/testng/annotations/Test;", Framework::TestNg),
];

/// The runner that runs the classes in the class it stands on.
const ENCLOSED: &str = "Lorg/junit/experimental/runners/Enclosed;";

/// A class of a test folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestClass {
    /// Binary name.
    pub(super) name: String,
    /// An object of it can be made without an object of another class.
    pub(super) stands_alone: bool,
    /// Whose tests it seems to hold, if any.
    pub(super) framework: Option<Framework>,
    /// It holds none itself and runs those of others.
    pub(super) suite: Option<TestSuite>,
    /// Binary name of its superclass.
    extends: String,
    /// Runs the tests of the classes in it.
    is_enclosing: bool,
}

impl TestClass {
    fn read(bytes: &[u8]) -> Option<Self> {
        let class = ClassFile::parse(bytes).ok()?;
        let is_inner = class.nested_access().is_some_and(|flags| flags & access::STATIC == 0);
        Some(Self {
            name: class.name.to_binary_name(),
            stands_alone: !is_inner && class.access & access::ABSTRACT == 0,
            framework: framework_of(&class),
            suite: TestSuite::read(&class),
            extends: class.super_name.map(JvmStr::to_binary_name).unwrap_or_default(),
            is_enclosing: mentions(&class, ENCLOSED),
        })
    }
}

fn framework_of(class: &ClassFile<'_>) -> Option<Framework> {
    let marked = MARKS.iter().find(|(mark, _)| mentions(class, mark)).map(|(_, framework)| *framework);
    let is_junit3 = class.super_name.is_some_and(|name| name.as_bytes() == b"junit/framework/TestCase");
    marked.or((is_junit3 || has_suite_method(class)).then_some(Framework::JUnit4))
}

/// JUnit 3's way to put tests together.
pub(super) fn has_suite_method(class: &ClassFile<'_>) -> bool {
    class.methods.iter().any(|method| {
        let (name, descriptor) = (method.name.as_bytes(), method.descriptor.as_bytes());
        method.access & access::STATIC != 0 && name == b"suite" && descriptor == b"()Ljunit/framework/Test;"
    })
}

/// Tells whether this text stands in the constant pool.
pub(super) fn mentions(class: &ClassFile<'_>, text: &str) -> bool {
    let count = u16::try_from(class.pool.count()).unwrap_or(u16::MAX);
    (1..count).any(|index| class.pool.utf8(index).is_ok_and(|known| known.as_bytes() == text.as_bytes()))
}

/// The classes in folders and jars, by name. A subclass of a test class is one although it need not mention a test.
pub(super) fn classes_in(places: &[PathBuf]) -> Vec<TestClass> {
    let mut classes: BTreeMap<String, TestClass> = BTreeMap::new();
    for place in places {
        // A place that cannot be read has no classes; the class path as a whole is looked at elsewhere.
        let _ = visit(place, &LoadOptions::default(), &mut |class| {
            if let Some(class) = TestClass::read(class.bytes) {
                classes.entry(class.name.clone()).or_insert(class);
            }
        });
    }
    let seen_together = |class: &TestClass| TestClass {
        framework: inherited_framework(class, &classes),
        stands_alone: class.stands_alone && !is_run_by_its_outer_class(class, &classes),
        ..class.clone()
    };
    classes.values().map(seen_together).collect()
}

fn is_run_by_its_outer_class(class: &TestClass, classes: &BTreeMap<String, TestClass>) -> bool {
    let outer = class.name.rsplit_once('$').and_then(|(outer, _)| classes.get(outer));
    outer.is_some_and(|outer| outer.is_enclosing)
}

fn inherited_framework(class: &TestClass, classes: &BTreeMap<String, TestClass>) -> Option<Framework> {
    let mut next = Some(class);
    // No hierarchy is deeper; broken classes may go round in circles.
    for _ in 0..100 {
        let class = next?;
        if class.framework.is_some() {
            return class.framework;
        }
        next = classes.get(&class.extends);
    }
    None
}

/// Tells whether a class that is named inside another one is run on its own. Unknown classes are not.
pub(super) fn is_run_alone(class: &str, folders: &[PathBuf]) -> bool {
    let file = format!("{}.class", class.replace('.', "/"));
    let bytes = folders.iter().find_map(|folder| fs::read(folder.join(&file)).ok());
    bytes.and_then(|bytes| TestClass::read(&bytes)).is_some_and(|class| class.stands_alone)
}
