//! Classes that do nothing but run the tests of others.
//!
//! Tests of a suite would run twice if all classes of a folder were run: in the suite and by themselves. A suite is left
//! out only if nothing is lost with it: the suite makes no tests of its own, and all classes that it names run anyway. If
//! a suite prepares something for its members, they are left out instead: by themselves they would not find it.

use crate::test_class::{TestClass, class_of_descriptor, has_suite_method, indices, mentions, texts};
use catchment_classfile::{ClassFile, JvmStr, TestFramework, annotated_classes, annotation_types};
use std::collections::{BTreeMap, BTreeSet};

const SUITE_CLASSES: &str = "Lorg/junit/runners/Suite$SuiteClasses;";
const PLATFORM_SUITE: &str = "Lorg/junit/platform/suite/api/Suite;";
const SELECT_CLASSES: &str = "Lorg/junit/platform/suite/api/SelectClasses;";
const PLATFORM_PACKAGE: &str = "Lorg/junit/platform/suite/api/";

/// The runners that run all and some tests of the classes in `SuiteClasses`.
const ALL_OF_THEM: &str = "Lorg/junit/runners/Suite;";
const SOME_OF_THEM: &str = "Lorg/junit/experimental/categories/Categories;";

/// Annotations of what a suite does before its first member and after its last.
const PREPARING: &[&str] = &["Lorg/junit/BeforeClass;", "Lorg/junit/AfterClass;", "Lorg/junit/ClassRule;"];

/// What `suite()` may call besides JUnit to put tests together.
const ASSEMBLING: &[&str] =
    &["java/lang/Class", "java/lang/Object", "java/lang/String", "java/lang/StringBuilder"];

/// Annotations of a platform suite after which it runs nothing but members, or less.
const SELECTING: &[&str] = &[
    "Suite",
    "SuiteDisplayName",
    "SelectClasses",
    "SelectPackages",
    "IncludeTags",
    "ExcludeTags",
    "IncludePackages",
    "ExcludePackages",
    "IncludeClassNamePatterns",
    "ExcludeClassNamePatterns",
];

/// A class that only puts tests together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TestSuite {
    /// Binary names of the classes it names. Where `suite()` names them there may be more than members.
    classes: BTreeSet<String>,
    /// Texts that may be names of packages whose tests are its members.
    packages: BTreeSet<String>,
    /// The suite runs code of its own before or after its members.
    prepares: bool,
}

impl TestSuite {
    /// `None` for a class that is no suite, or does more than to run the tests of others.
    pub(super) fn read(class: &ClassFile<'_>) -> Option<Self> {
        let has = |annotations: &[&str]| annotations.iter().any(|annotation| mentions(class, annotation));
        let prepares = has(PREPARING) || may_prepare_unseen(class);
        if has_own_tests(class) {
            return None;
        }
        if mentions(class, SUITE_CLASSES) {
            let is_known = mentions(class, ALL_OF_THEM) || !prepares && mentions(class, SOME_OF_THEM);
            return is_known.then(|| Self {
                classes: named_in(class, SUITE_CLASSES),
                prepares,
                ..Self::default()
            });
        }
        if prepares {
            return None;
        }
        if mentions(class, PLATFORM_SUITE) {
            return only_selects(class).then(|| Self {
                classes: named_in(class, SELECT_CLASSES),
                packages: texts(class).map(|text| text.to_string()).collect(),
                prepares,
            });
        }
        has_suite_method(class).then(|| assembled_classes(class)).flatten()
    }
}

fn has_own_tests(class: &ClassFile<'_>) -> bool {
    let mut annotations =
        class.methods.iter().flat_map(|method| annotation_types(&method.attributes, &class.pool));
    annotations.any(|annotation| TestFramework::of_test_annotation(annotation.as_bytes()).is_some())
}

/// What a superclass or an initialiser does is not looked into.
fn may_prepare_unseen(class: &ClassFile<'_>) -> bool {
    let is_plain = |name: JvmStr<'_>| name == "java/lang/Object" || name == "junit/framework/TestCase";
    let has_initialiser = class.methods.iter().any(|method| method.name == "<clinit>");
    has_initialiser || !class.super_name.is_some_and(is_plain)
}

/// Classes whose tests are run by others: suites and members of suites.
pub(super) fn run_by_others(classes: &[TestClass]) -> BTreeSet<String> {
    let members = classes.iter().filter_map(|class| class.suite.as_ref()).filter(|suite| suite.prepares);
    let members = members.flat_map(|suite| &suite.classes).filter(|name| {
        let member = classes.iter().find(|class| class.name == **name);
        member.is_some_and(|member| member.suite.is_none())
    });
    members.cloned().chain(superfluous_suites(classes)).collect()
}

/// Suites whose members are all run without them.
fn superfluous_suites(classes: &[TestClass]) -> BTreeSet<String> {
    let by_name: BTreeMap<&str, &TestClass> =
        classes.iter().map(|class| (class.name.as_str(), class)).collect();
    let mut superfluous = BTreeSet::new();
    // Suites of suites: each round finds those whose members were settled in the one before.
    loop {
        let is_run = |class: &TestClass| {
            let is_settled = |suite: &TestSuite| suite.prepares || superfluous.contains(&class.name);
            class.stands_alone && class.suite.as_ref().is_none_or(is_settled)
        };
        let is_superfluous = |class: &&TestClass| {
            let suite =
                class.suite.as_ref().filter(|suite| !suite.prepares && !superfluous.contains(&class.name));
            let members = suite.and_then(|suite| members(suite, classes, &by_name));
            members.is_some_and(|members| !members.is_empty() && members.into_iter().all(is_run))
        };
        let found = classes.iter().find(is_superfluous);
        match found {
            Some(class) => superfluous.insert(class.name.clone()),
            None => return superfluous,
        };
    }
}

/// `None` if it names what is not in these folders: that may be a test that nobody else runs.
fn members<'a>(
    suite: &TestSuite,
    classes: &'a [TestClass],
    by_name: &BTreeMap<&str, &'a TestClass>,
) -> Option<Vec<&'a TestClass>> {
    let named: Option<Vec<&TestClass>> =
        suite.classes.iter().map(|name| by_name.get(name.as_str()).copied()).collect();
    let in_package = |class: &&TestClass| {
        let package = class.name.rsplit_once('.').map_or("", |(package, _)| package);
        class.stands_alone && class.suite.is_none() && suite.packages.contains(package)
    };
    let members = named?.into_iter().chain(classes.iter().filter(in_package));
    Some(members.filter(|class| class.framework.is_some()).collect())
}

/// The classes in an annotation, which are descriptors there.
fn named_in(class: &ClassFile<'_>, annotation: &str) -> BTreeSet<String> {
    let descriptors = annotated_classes(&class.attributes, &class.pool, annotation);
    descriptors.into_iter().filter_map(class_of_descriptor).collect()
}

fn only_selects(class: &ClassFile<'_>) -> bool {
    let mut annotations = texts(class).filter_map(|text| {
        let name = text.as_bytes().strip_prefix(PLATFORM_PACKAGE.as_bytes())?;
        Some(name.strip_suffix(b";").unwrap_or(name))
    });
    annotations.all(|name| SELECTING.iter().any(|known| known.as_bytes() == name))
}

/// What `suite()` puts together, if it does no more than that: it names classes, makes suites of them and asks others for
/// theirs.
fn assembled_classes(class: &ClassFile<'_>) -> Option<TestSuite> {
    let has_own_tests = class.methods.iter().any(|method| method.name.starts_with("test"));
    let calls = || indices(class).filter_map(|index| class.pool.member_ref(index).ok());
    let is_assembling = |owner: JvmStr<'_>| {
        owner.starts_with("junit/framework/")
            || owner.as_bytes() == class.name.as_bytes()
            || ASSEMBLING.iter().any(|known| owner == *known)
    };
    let is_harmless = |owner: JvmStr<'_>, name: JvmStr<'_>| is_assembling(owner) || name == "suite";
    let does_more = calls().any(|call| !is_harmless(call.owner, call.name)) || mentions_extensions(class);
    let names = indices(class).filter_map(|index| class.pool.class_name(index).ok());
    let named = names.filter(|name| is_of_the_tests(class, *name)).map(JvmStr::to_binary_name);
    (!has_own_tests && !does_more).then(|| TestSuite { classes: named.collect(), ..TestSuite::default() })
}

/// JUnit 3's decorators, which prepare something or repeat tests.
fn mentions_extensions(class: &ClassFile<'_>) -> bool {
    indices(class)
        .any(|index| class.pool.class_name(index).is_ok_and(|name| name.starts_with("junit/extensions/")))
}

/// Neither the class itself nor one of Java's or JUnit's.
fn is_of_the_tests(class: &ClassFile<'_>, name: JvmStr<'_>) -> bool {
    let others = ["java/", "javax/", "kotlin/", "junit/", "org/junit/", "["];
    name.as_bytes() != class.name.as_bytes() && !others.iter().any(|start| name.starts_with(start))
}
