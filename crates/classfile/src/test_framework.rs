//! Conventions of test frameworks: the annotations and superclasses by which a class file tells that it holds tests.
//!
//! One table for all who look for tests: those who run them, and those who ask which methods a framework calls. Only
//! names tell, so the framework itself need not be there.

/// A test framework, or a library that adds tests to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestFramework {
    /// JUnit 5 and later.
    JUnit5,
    JUnit4,
    JUnit3,
    TestNg,
    Jqwik,
    JUnitParams,
    Spock,
    Cucumber,
}

/// The annotations of one package and those below it.
struct Annotations {
    framework: TestFramework,
    /// The start of their descriptors.
    package: &'static str,
    /// The rest of the descriptors of those that stand at a test, or at a class that runs some. The others stand at
    /// methods that the framework calls around tests, or say more of them.
    tests: &'static [&'static str],
}

/// Packages within others come first.
const ANNOTATIONS: [Annotations; 8] = [
    Annotations {
        framework: TestFramework::JUnit5,
        package: "Lorg/junit/jupiter/",
        tests: &[
            "api/ClassTemplate;",
            "api/Nested;",
            "api/RepeatedTest;",
            "api/Test;",
            "api/TestFactory;",
            "api/TestTemplate;",
            "params/ParameterizedClass;",
            "params/ParameterizedTest;",
        ],
    },
    Annotations {
        framework: TestFramework::JUnit5,
        package: "Lorg/junit/platform/",
        tests: &["suite/api/Suite;"],
    },
    Annotations {
        framework: TestFramework::JUnit4,
        package: "Lorg/junit/",
        tests: &["Test;", "runner/RunWith;"],
    },
    Annotations {
        framework: TestFramework::TestNg,
        package: "Lorg/testng/annotations/",
        tests: &["Factory;", "Test;"],
    },
    Annotations {
        framework: TestFramework::Jqwik,
        package: "Lnet/jqwik/api/",
        tests: &["Example;", "Group;", "Property;"],
    },
    // Its tests carry the annotation of JUnit 4.
    Annotations { framework: TestFramework::JUnitParams, package: "Ljunitparams/", tests: &[] },
    Annotations {
        framework: TestFramework::Spock,
        package: "Lorg/spockframework/",
        tests: &["runtime/model/FeatureMetadata;"],
    },
    Annotations {
        framework: TestFramework::Cucumber,
        package: "Lio/cucumber/",
        tests: &["junit/platform/engine/Cucumber;"],
    },
];

/// Superclasses of tests that need no annotation, internal names.
const SUPERCLASSES: [(&str, TestFramework); 2] =
    [("junit/framework/TestCase", TestFramework::JUnit3), ("spock/lang/Specification", TestFramework::Spock)];

impl TestFramework {
    /// The framework that an annotation belongs to, by its descriptor. A method with such an annotation is a test or
    /// is called around tests.
    pub fn of_annotation(descriptor: &[u8]) -> Option<Self> {
        Some(annotations_with(descriptor)?.0.framework)
    }

    /// The same for annotations of tests, and of classes that run some.
    pub fn of_test_annotation(descriptor: &[u8]) -> Option<Self> {
        let (annotations, name) = annotations_with(descriptor)?;
        annotations.tests.iter().any(|test| test.as_bytes() == name).then_some(annotations.framework)
    }

    /// The framework that runs the classes below this one, an internal name.
    pub fn of_superclass(name: &[u8]) -> Option<Self> {
        let mut known = SUPERCLASSES.into_iter();
        known.find(|(superclass, _)| superclass.as_bytes() == name).map(|(_, framework)| framework)
    }
}

fn annotations_with(descriptor: &[u8]) -> Option<(&'static Annotations, &[u8])> {
    ANNOTATIONS.iter().find_map(|known| Some((known, descriptor.strip_prefix(known.package.as_bytes())?)))
}

#[cfg(test)]
mod tests {
    use super::TestFramework;

    #[test]
    fn what_stands_around_tests_marks_no_test() {
        let of = |descriptor: &str| {
            let descriptor = descriptor.as_bytes();
            (TestFramework::of_annotation(descriptor), TestFramework::of_test_annotation(descriptor))
        };
        let (junit_5, junit_4) = (Some(TestFramework::JUnit5), Some(TestFramework::JUnit4));
        assert_eq!(of("Lorg/junit/jupiter/api/Test;"), (junit_5, junit_5));
        assert_eq!(of("Lorg/junit/jupiter/api/BeforeEach;"), (junit_5, None));
        assert_eq!(of("Lorg/junit/Test;"), (junit_4, junit_4));
        assert_eq!(of("Lorg/junit/Before;"), (junit_4, None));
        assert_eq!(of("Lio/cucumber/java/en/Given;"), (Some(TestFramework::Cucumber), None));
        assert_eq!(of("Lorg/assertj/core/Test;"), (None, None));
    }
}
