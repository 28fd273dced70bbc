//! Test classes, as their class files tell.

use crate::configuration::Framework;
use crate::test_suites::TestSuite;
use catchment_classfile::{ClassFile, JvmStr, TestFramework, access, annotation_types};
use catchment_program::{LoadOptions, visit};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The runner that runs the classes in the class it stands on.
const ENCLOSED: &str = "Lorg/junit/experimental/runners/Enclosed;";
/// Without tests, and without a superclass.
const OBJECT: &str = "java.lang.Object";

/// A class of a test folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TestClass {
    /// Binary name.
    pub(super) name: String,
    /// An object of it can be made without an object of another class.
    pub(super) stands_alone: bool,
    /// Whose tests it seems to hold, if any.
    pub(super) framework: Option<Framework>,
    /// The suite that the class is, if it holds no tests itself and runs those of others.
    pub(super) suite: Option<TestSuite>,
    /// Binary name of its superclass.
    extends: String,
    /// Binary names of the annotations at the class and its methods.
    annotations: Vec<String>,
    is_annotation: bool,
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
            annotations: annotations_in(&class),
            is_annotation: class.access & access::ANNOTATION != 0,
            is_enclosing: mentions(&class, ENCLOSED),
        })
    }
}

/// Of several frameworks the first in the order of [`Framework`].
fn framework_of(class: &ClassFile<'_>) -> Option<Framework> {
    let mentioned = texts(class).filter_map(|text| TestFramework::of_test_annotation(text.as_bytes()));
    let inherited = class.super_name.and_then(|name| TestFramework::of_superclass(name.as_bytes()));
    let marked = mentioned.map(Framework::that_runs).min();
    marked.or(inherited.map(Framework::that_runs)).or(has_suite_method(class).then_some(Framework::JUnit4))
}

fn annotations_in(class: &ClassFile<'_>) -> Vec<String> {
    let methods = class.methods.iter().map(|method| &method.attributes);
    let types = methods.chain([&class.attributes]).flat_map(|at| annotation_types(at, &class.pool));
    types.filter_map(class_of_descriptor).collect()
}

/// Binary name of the class that a field descriptor names.
pub(super) fn class_of_descriptor(descriptor: JvmStr<'_>) -> Option<String> {
    let name = descriptor.as_bytes().strip_prefix(b"L")?.strip_suffix(b";")?;
    Some(JvmStr::new(name).to_binary_name())
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
    texts(class).any(|known| known.as_bytes() == text.as_bytes())
}

/// The texts in the constant pool.
pub(super) fn texts<'a>(class: &'a ClassFile<'_>) -> impl Iterator<Item = JvmStr<'a>> {
    indices(class).filter_map(|index| class.pool.utf8(index).ok())
}

/// The indices of the constant pool.
pub(super) fn indices(class: &ClassFile<'_>) -> Range<u16> {
    1..u16::try_from(class.pool.count()).unwrap_or(u16::MAX)
}

/// The classes in folders and jars, by name. A subclass of a test class is one although it need not mention a test, and
/// so is a class with an annotation from there that is a test annotation itself.
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
        let is_meta = |annotation: &&TestClass| annotation.is_annotation;
        let mut annotations = class.annotations.iter().filter_map(|name| classes.get(name)).filter(is_meta);
        let framework = class.framework.or_else(|| annotations.find_map(|annotation| annotation.framework));
        if framework.is_some() {
            return framework;
        }
        next = classes.get(&class.extends);
    }
    None
}

/// These classes without those that hold no test for sure. `folder` has the test classes; a class that is not in it, or that
/// extends a class from elsewhere, may hold tests.
pub(super) fn with_tests(names: Vec<String>, folder: &Path) -> Vec<String> {
    let classes = classes_in(&[folder.to_owned()]);
    let classes: HashMap<&str, &TestClass> =
        classes.iter().map(|class| (class.name.as_str(), class)).collect();
    let may_inherit = |class: &TestClass| {
        let mut superclasses = std::iter::successors(Some(class.extends.as_str()), |name| {
            classes.get(name).map(|class| class.extends.as_str())
        });
        // No hierarchy is deeper; broken classes may go round in circles.
        superclasses.by_ref().take(100).any(|name| name != OBJECT && !classes.contains_key(name))
    };
    let may_hold_tests = |name: &String| {
        classes
            .get(name.as_str())
            .is_none_or(|class| class.stands_alone && (class.framework.is_some() || may_inherit(class)))
    };
    names.into_iter().filter(may_hold_tests).collect()
}

/// Tells whether a class that is named inside another one is run on its own. Unknown classes are not.
pub(super) fn is_run_alone(class: &str, folders: &[PathBuf]) -> bool {
    let file = format!("{}.class", class.replace('.', "/"));
    let bytes = folders.iter().find_map(|folder| fs::read(folder.join(&file)).ok());
    bytes.and_then(|bytes| TestClass::read(&bytes)).is_some_and(|class| class.stands_alone)
}

#[cfg(test)]
mod tests {
    use super::classes_in;
    use catchment_testkit::test_classes;

    #[test]
    fn test_classes_are_known_by_the_conventions_of_their_frameworks() {
        let classes = classes_in(&[test_classes::compiled().expect("legal sources")]);
        let runs = classes.iter().filter(|class| class.stands_alone).filter_map(|class| {
            let runner = class.framework.map(|framework| format!("{framework:?}"))?;
            Some((class.name.clone(), runner))
        });
        let expected = test_classes::expected().expect("a fixture").into_iter();
        let expected: Vec<_> = expected.filter_map(|class| Some((class.name, class.runner?))).collect();
        assert_eq!(runs.collect::<Vec<_>>(), expected);
    }
}
