//! An analysis that goes on from a solved base finds what one from scratch finds, or is refused.

use crate::inclusion::{FILES_AND_LAMBDAS, Facts, Names};
use crate::program::{Program, main_of};
use catchment_pointsto::Heap;
use catchment_pointsto::NodeId;
use catchment_pointsto::{
    Base, CallGraphKind, ImplicitKinds, Options, Reached, ReflectiveTarget, Refusal, Sensitivity, analyse,
    analyse_with_targets,
};
use catchment_pointsto::{ClassSource, Differs, Layer};

const CHARSETS: &[u8] = b"java/nio/charset/spi/CharsetProvider";

/// A program with one answer changed.
struct Changed<'p> {
    program: &'p Program,
    lacks: &'static [u8],
    /// The class given for every class that is missing.
    instead: Option<&'static [u8]>,
    /// Another class that provides sets of characters.
    provider: Option<&'static [u8]>,
    provides: bool,
}

impl<'p> Changed<'p> {
    fn nothing_of(program: &'p Program) -> Self {
        Self { program, lacks: b"", instead: None, provider: None, provides: true }
    }
}

impl ClassSource for Changed<'_> {
    fn find(&self, internal_name: &[u8]) -> Option<(&[u8], Layer)> {
        let found = self.program.find(internal_name).filter(|_| internal_name != self.lacks);
        found.or_else(|| self.program.find(self.instead?))
    }

    fn for_each_name(&self, with: &mut dyn FnMut(&[u8])) {
        self.program.for_each_name(with);
    }

    fn services(&self, service: &[u8]) -> Vec<Vec<u8>> {
        let own = self.provider.filter(|_| service == CHARSETS).map(<[u8]>::to_vec);
        let known = if self.provides { self.program.services(service) } else { Vec::new() };
        known.into_iter().chain(own).collect()
    }
}

fn jdk() -> Program {
    Program::open(&[], "T")
}

fn assert_same(names: &mut Names, one: Reached<'_>, other: Reached<'_>) {
    let (one, other): (Facts, Facts) = (names.facts(one, None), names.facts(other, None));
    names.assert_within(&one, &other);
    names.assert_within(&other, &one);
}

#[test]
fn what_follows_from_a_base_is_what_follows_from_scratch() {
    let (jdk, program) = (jdk(), Program::compile(FILES_AND_LAMBDAS, Vec::new()));
    for sensitivity in [Sensitivity::Insensitive, Sensitivity::Constructors, Sensitivity::TwoObjects] {
        let base = Base::solve(&jdk, sensitivity).expect("an analysis by objects");
        let reached = base.analyse(&program, &[], main_of).expect("the program has its own classes only");
        assert_same(&mut Names::default(), reached, analyse(&program, sensitivity, main_of));
    }
}

/// The same numbers, not only the same names.
fn assert_equal(one: &Reached<'_>, other: &Reached<'_>) {
    assert_eq!(one.stats, other.stats);
    assert_eq!(one.instances, other.instances);
    assert_eq!(one.entries, other.entries);
    assert_eq!(one.calls(), other.calls());
    assert!(one.calls().iter().all(|call| one.targets(call) == other.targets(call)));
    assert_eq!(one.throws(), other.throws());
    assert_eq!(one.blind_spots, other.blind_spots);
    let nodes = |of: &Reached<'_>| of.heap.as_ref().map(Heap::nodes);
    assert_eq!(nodes(one), nodes(other));
    for node in (0..nodes(one).unwrap_or_default()).map(NodeId::new) {
        let heaps = one.heap.as_ref().zip(other.heap.as_ref());
        assert!(heaps.is_some_and(|(one, other)| one.objects(node) == other.objects(node)), "{node:?}");
    }
}

#[test]
fn a_base_that_was_written_and_read_is_the_one_that_was_solved() {
    let (jdk, program) = (jdk(), Program::compile(FILES_AND_LAMBDAS, Vec::new()));
    let none = ImplicitKinds::default();
    for (sensitivity, implicit) in
        [(Sensitivity::Insensitive, ImplicitKinds::ALL), (Sensitivity::TwoObjects, none)]
    {
        let options = Options { analysis: CallGraphKind::Objects(sensitivity), implicit, keeps_heap: true };
        let base = Base::solve(&jdk, options).expect("an analysis by objects");
        let bytes = base.to_bytes();
        let read = Base::read(&bytes, &jdk, options).expect("what was written");
        assert_eq!(read.to_bytes().len(), bytes.len());
        let mut solved = base.analyse(&program, &[], main_of).expect("its own classes only");
        assert_equal(&solved, &read.analyse(&program, &[], main_of).expect("its own classes only"));
        let without_heap = read.without_heap().into_reached(&program, &[], None, main_of).expect("the same");
        assert!(without_heap.heap.is_none());
        solved.heap = None;
        assert_equal(&solved, &without_heap);
    }
}

#[test]
fn bytes_that_are_no_base_of_this_analysis_on_these_classes_are_not_read() {
    let jdk = jdk();
    let base = Base::solve(&jdk, Sensitivity::Insensitive).expect("an analysis by objects");
    let bytes = base.to_bytes();
    assert!(Base::read(&bytes, &jdk, Sensitivity::Insensitive).is_some());
    assert!(Base::read(&bytes, &jdk, Sensitivity::Constructors).is_none());
    let with_implicit = Options { implicit: ImplicitKinds::ALL, ..Sensitivity::Insensitive.into() };
    assert!(Base::read(&bytes, &jdk, with_implicit).is_none());
    let lacking = Changed { lacks: b"java/lang/String", ..Changed::nothing_of(&jdk) };
    assert!(Base::read(&bytes, &lacking, Sensitivity::Insensitive).is_none());
    for end in [0, 1, bytes.len() / 2, bytes.len() - 1] {
        assert!(Base::read(&bytes[..end], &jdk, Sensitivity::Insensitive).is_none(), "{end}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(Base::read(&longer, &jdk, Sensitivity::Insensitive).is_none());
}

const PROVIDER: &str = r#"
    import java.nio.charset.*; import java.util.*;
    public class T {
        public static class Mine extends java.nio.charset.spi.CharsetProvider {
            public Iterator<Charset> charsets() { return null; }
            public Charset charsetForName(String name) { throw new IllegalStateException(); }
        }
        static void named(String[] args) throws Exception { Class.forName(args[0]).newInstance(); }
        public static void main(String[] args) throws Exception {
            try { Charset.forName(args[0]); } catch (IllegalStateException e) { named(args); }
        }
    }"#;

#[test]
fn providers_of_the_program_are_added_to_the_services_that_the_base_knows() {
    let (jdk, program) = (jdk(), Program::compile(PROVIDER, Vec::new()));
    let with_provider = Changed { provider: Some(b"T$Mine"), ..Changed::nothing_of(&program) };
    let base = Base::solve(&jdk, Sensitivity::default()).expect("an analysis by objects");
    let reached = base.analyse(&with_provider, &[], main_of).expect("one provider more");
    let mut names = Names::default();
    names.numbers_of(&reached);
    assert!(names.has("T$Mine.charsetForName(Ljava/lang/String;)Ljava/nio/charset/Charset;"));
    assert_same(&mut names, reached, analyse(&with_provider, Sensitivity::default(), main_of));
}

#[test]
fn programs_that_would_have_changed_the_base_are_refused() {
    let (jdk, program) = (jdk(), Program::compile(PROVIDER, Vec::new()));
    let with_provider = Changed { provider: Some(b"java/lang/Object"), ..Changed::nothing_of(&jdk) };
    let base = Base::solve(&with_provider, Sensitivity::default()).expect("an analysis by objects");
    let refusal = |source: &Changed<'_>| base.analyse(source, &[], main_of).expect_err("refused");
    let string = b"java/lang/String".as_slice();
    let lacking = Changed { lacks: b"java/lang/String", ..Changed::nothing_of(&program) };
    assert_eq!(refusal(&lacking), Refusal::Differs(Differs::Class(string.into())));
    let replaced =
        Changed { lacks: b"java/lang/String", instead: Some(b"T"), ..Changed::nothing_of(&program) };
    assert!(matches!(refusal(&replaced), Refusal::Differs(Differs::Class(_))));
    let with_all_names = Changed { instead: Some(b"T"), ..Changed::nothing_of(&program) };
    assert!(matches!(refusal(&with_all_names), Refusal::Differs(Differs::Class(_))));
    let without_provider = Changed::nothing_of(&program);
    assert_eq!(refusal(&without_provider), Refusal::Differs(Differs::Service(CHARSETS.into())));
}

#[test]
fn recorded_targets_count_for_the_program_and_are_refused_for_what_the_base_has_seen_to() {
    let (jdk, program) = (jdk(), Program::compile(PROVIDER, Vec::new()));
    let base = Base::solve(&jdk, Sensitivity::default()).expect("an analysis by objects");
    let mine = |caller: Option<(&[u8], &[u8])>| ReflectiveTarget {
        caller: caller.map(|(class, name)| (class.to_vec(), name.to_vec())),
        class: b"T$Mine".to_vec(),
        name: b"<init>".to_vec(),
        descriptor: b"()V".to_vec(),
    };
    let anywhere = base.analyse(&program, &[mine(None)], main_of).expect_err("the JDK has such calls");
    assert_eq!(anywhere, Refusal::LateTargets);
    let recorded = [mine(Some((b"T", b"named")))];
    let reached = base.analyse(&program, &recorded, main_of).expect("a call of the program");
    let mut names = Names::default();
    names.numbers_of(&reached);
    assert!(names.has("T$Mine.<init>()V"));
    assert_same(
        &mut names,
        reached,
        analyse_with_targets(&program, Sensitivity::default(), &recorded, main_of),
    );
}
