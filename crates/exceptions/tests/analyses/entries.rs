//! Where programs begin, and what is reached from there.

use crate::program::Program;
use catchment_exceptions::{EntryKind, EntryPoints, LinksAnswer, SearchRequest};
use catchment_testkit::test_classes;

/// As much of the frameworks as these tests use, under their own names.
const FRAMEWORKS: [(&str, &str); 10] = [
    ("org/junit/jupiter/api/Test.java", "package org.junit.jupiter.api; public @interface Test { }"),
    (
        "org/junit/jupiter/api/BeforeEach.java",
        "package org.junit.jupiter.api; public @interface BeforeEach { }",
    ),
    (
        "org/junit/jupiter/params/ParameterizedTest.java",
        "package org.junit.jupiter.params; public @interface ParameterizedTest { }",
    ),
    (
        "org/junit/jupiter/params/provider/MethodSource.java",
        "package org.junit.jupiter.params.provider; public @interface MethodSource { }",
    ),
    (
        "org/junit/jupiter/api/extension/Extension.java",
        "package org.junit.jupiter.api.extension; public interface Extension { }",
    ),
    ("org/testng/annotations/Test.java", "package org.testng.annotations; public @interface Test { }"),
    (
        "org/junit/rules/TestRule.java",
        "package org.junit.rules; public interface TestRule { Object apply(Object it); }",
    ),
    (
        "junit/framework/TestCase.java",
        "package junit.framework; public class TestCase { protected void setUp() { } }",
    ),
    ("spock/lang/Specification.java", "package spock.lang; public class Specification { }"),
    (
        "org/spockframework/runtime/model/FeatureMetadata.java",
        "package org.spockframework.runtime.model; public @interface FeatureMetadata { }",
    ),
];

/// As much of the servlet API.
const SERVLETS: [(&str, &str); 5] = [
    (
        "javax/servlet/Servlet.java",
        "package javax.servlet; public interface Servlet { void init(Object c); void service(Object q, Object a); }",
    ),
    (
        "jakarta/servlet/http/HttpServlet.java",
        "package jakarta.servlet.http; public abstract class HttpServlet {
            protected void doGet(Object q, Object a) { }
            public void service(Object q, Object a) { doGet(q, a); }
        }",
    ),
    (
        "jakarta/servlet/Filter.java",
        "package jakarta.servlet; public interface Filter { void doFilter(Object q, Object a, Object c); }",
    ),
    (
        "javax/servlet/ServletContextListener.java",
        "package javax.servlet; public interface ServletContextListener {
            default void contextInitialized(Object e) { }
            void contextDestroyed(Object e);
        }",
    ),
    (
        "jakarta/servlet/ServletContainerInitializer.java",
        "package jakarta.servlet; public interface ServletContainerInitializer { void onStartup(Object c, Object s); }",
    ),
];

fn request(program: &Program) -> SearchRequest {
    SearchRequest {
        entries: EntryPoints { named: Vec::new(), kinds: vec![EntryKind::Tests] },
        ..program.request("pta", &["none"])
    }
}

fn answer(source: &str) -> LinksAnswer {
    let files: Vec<_> = FRAMEWORKS.into_iter().chain([("T.java", source)]).collect();
    let program = Program::compile_files(&files, Vec::new());
    program.search(&request(&program)).expect("there are tests").answer()
}

fn entries(answer: &LinksAnswer) -> Vec<String> {
    let mut entries: Vec<String> =
        answer.entries.iter().map(|it| format!("{}.{}", it.class, it.method)).collect();
    entries.sort_unstable();
    entries
}

#[test]
fn frameworks_call_what_they_find_by_annotation_name_or_type() {
    let answer = answer(
        r#"
        import org.junit.jupiter.api.*;
        @Test @interface Fast { }
        class Plain {
            @Test void test() { }
            @BeforeEach void before() { }
            @Fast void meta() { }
            void helper() { }
            static class Nested { @Test void nested() { } }
        }
        class Parameters {
            @org.junit.jupiter.params.ParameterizedTest @org.junit.jupiter.params.provider.MethodSource
            void each(String value) { }
            static java.util.List<String> values() { return null; }
            static void noSource() { }
        }
        interface Contract { @Test default void kept() { } }
        class Keeps implements Contract { }
        class Callback implements org.junit.jupiter.api.extension.Extension { public void beforeEach() { } }
        class Rule implements org.junit.rules.TestRule { public Object apply(Object it) { return it; } void own() { } }
        @org.testng.annotations.Test class WholeClass { public void any() { } private void not() { } }
        class Old extends junit.framework.TestCase { public void testIt() { } public void other() { } }
        class Spec extends spock.lang.Specification {
            void setup() { } void other() { }
            @org.spockframework.runtime.model.FeatureMetadata public void $spock_feature_0_0() { }
        }
        "#,
    );
    let expected = [
        "Callback.beforeEach",
        "Contract.kept",
        "Old.testIt",
        "Parameters.each",
        "Parameters.values",
        "Plain$Nested.nested",
        "Plain.before",
        "Plain.meta",
        "Plain.test",
        "Rule.apply",
        "Spec.$spock_feature_0_0",
        "Spec.setup",
        "WholeClass.any",
        "junit.framework.TestCase.setUp",
    ];
    assert_eq!(entries(&answer), expected);
}

#[test]
fn test_methods_are_known_by_the_conventions_of_their_frameworks() {
    let program = Program::open(&[test_classes::compiled().expect("legal sources")], "");
    let answer = program.search(&request(&program)).expect("there are tests").answer();
    let expected = test_classes::expected().expect("a fixture").into_iter();
    let expected: Vec<String> = expected
        .flat_map(|class| class.called.into_iter().map(move |method| format!("{}.{method}", class.name)))
        .collect();
    assert_eq!(entries(&answer), expected);
}

#[test]
fn a_test_from_an_abstract_class_runs_on_objects_of_those_below_it() {
    let answer = answer(
        r#"
        abstract class Base {
            static class Wrong extends Exception { }
            final Runnable made = make();
            abstract Runnable make();
            abstract void act() throws Wrong;
            @org.junit.jupiter.api.Test void test() {
                try { act(); } catch (Wrong e) { made.run(); }
            }
        }
        class Below extends Base {
            Runnable make() { return () -> { throw new IllegalStateException(); }; }
            void act() throws Wrong { throw new Wrong(); }
        }
        "#,
    );
    let links: Vec<_> =
        answer.links.iter().map(|link| answer.points[link.from].site.class.as_str()).collect();
    assert_eq!(links, ["Below"]);
}

#[test]
fn what_a_test_has_from_a_class_that_is_a_test_itself_is_called_on_it_too() {
    let answer = answer(
        r#"
        import org.junit.jupiter.api.*;
        class Base {
            Runnable action;
            @BeforeEach void before() { action = make(); }
            Runnable make() { return () -> { }; }
            @Test void runs() { action.run(); }
        }
        class Below extends Base {
            Runnable make() { return () -> { throw new IllegalStateException(); }; }
            @Test void fails() {
                try { action.run(); } catch (IllegalStateException e) { }
            }
        }
        "#,
    );
    assert_eq!(answer.links.len(), 1, "{:?}", answer.links);
}

/// Links from entry points of one kind, with a JDK of this release.
fn begun(source: &[(&str, &str)], kind: EntryKind, release: u32) -> LinksAnswer {
    let program = Program::compile_files(source, Vec::new());
    let entries = EntryPoints { named: Vec::new(), kinds: vec![kind] };
    let request = SearchRequest { entries, release: Some(release), ..request(&program) };
    program.search(&request).expect("there are some").answer()
}

#[test]
fn containers_call_servlets_filters_and_listeners_also_by_what_they_inherit() {
    let source = r#"
        import java.io.*;
        abstract class Base implements javax.servlet.Servlet {
            public void init(Object c) { }
            public void service(Object q, Object a) {
                try { work(); } catch (EOFException e) { }
            }
            abstract void work() throws EOFException;
        }
        class Mine extends Base {
            public void init(Object c) { }
            void work() throws EOFException { throw new EOFException(); }
        }
        class Http extends jakarta.servlet.http.HttpServlet {
            protected void doGet(Object q, Object a) { }
            void helper() { }
        }
        class Chained implements jakarta.servlet.Filter {
            public void doFilter(Object q, Object a, Object c) { }
            public void service(Object q, Object a) { }
        }
        class Listens implements javax.servlet.ServletContextListener { public void contextDestroyed(Object e) { } }
        class Starts implements jakarta.servlet.ServletContainerInitializer {
            public void onStartup(Object c, Object s) { }
        }
        class Other { public void service(Object q, Object a) { } }
        "#;
    let files: Vec<_> = SERVLETS.into_iter().chain([("T.java", source)]).collect();
    let answer = begun(&files, EntryKind::Servlets, 17);
    let expected = [
        "Base.service",
        "Chained.doFilter",
        "Http.doGet",
        "Listens.contextDestroyed",
        "Mine.init",
        "Starts.onStartup",
        "jakarta.servlet.http.HttpServlet.service",
        "javax.servlet.ServletContextListener.contextInitialized",
    ];
    assert_eq!(entries(&answer), expected);
    let links: Vec<_> =
        answer.links.iter().map(|link| answer.points[link.from].site.class.as_str()).collect();
    assert_eq!(links, ["Mine"]);
}

#[test]
fn the_api_is_what_public_classes_let_others_call() {
    let source = r#"
        public class T {
            public T() { }
            public void open() { }
            protected void extended() { }
            void inside() { }
            private void hidden() { }
            public static class Nested { public void nested() { } }
            public abstract static class Half { public abstract void not(); public void done() { } }
        }
        class Inside { public void open() { } }
        "#;
    let answer = begun(&[("T.java", source)], EntryKind::Api, 17);
    let expected = [
        "T$Half.<init>",
        "T$Half.done",
        "T$Nested.<init>",
        "T$Nested.nested",
        "T.<init>",
        "T.extended",
        "T.open",
    ];
    assert_eq!(entries(&answer), expected);
}

#[test]
fn a_main_is_one_that_the_jdk_at_hand_would_start() {
    let source = r#"
        class Plain { public static void main(String[] args) { } }
        class Below extends Plain { }
        class Inside { static void main(String[] args) { } }
        class Bare { static void main() { } }
        class OnObject { void main() { } }
        class Both { public static void main(String[] args) { } void main() { } }
        class Given { Given(int number) { } void main() { } }
        class Hidden { private static void main(String[] args) { } }
        class Returns { public static int main(String[] args) { return 0; } }
        "#;
    let entries = |release| {
        let answer = begun(&[("T.java", source)], EntryKind::Main, release);
        let named = answer.entries.iter().map(|it| format!("{}.{}{}", it.class, it.method, it.descriptor));
        let mut named: Vec<String> = named.collect();
        named.sort_unstable();
        named
    };
    let plain = ["Both.main([Ljava/lang/String;)V", "Plain.main([Ljava/lang/String;)V"];
    assert_eq!(entries(17), plain);
    assert_eq!(entries(24), plain);
    let simple = [
        "Bare.main()V",
        "Both.main([Ljava/lang/String;)V",
        "Inside.main([Ljava/lang/String;)V",
        "OnObject.main()V",
        "Plain.main([Ljava/lang/String;)V",
    ];
    assert_eq!(entries(25), simple);
}
