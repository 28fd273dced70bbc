//! The analyses on the fixtures of links: the exact set of links, for all 17 configurations.
//!
//! Every fixture stands on the whole JDK. What the JVM reaches of it by itself is solved once for each analysis by objects, and
//! filters share what they filter.

use catchment_exceptions::{
    Analysis, CallGraph, Catalogue, ClassSource, ClauseScope, EntryPoints, FaultSelection, FoundLink,
    JdkBase, Layer, LinksAnswer, ModuleServices, OwnClasses, PointDescription, RaisedBy, SearchRequest, Site,
    search_unfiltered, services_file,
};
use catchment_program::{ClassPath, LoadOptions};
use catchment_testkit::jdk;
use catchment_testkit::links::{CONFIGURATIONS, Compiled, Fixture, Link};
use std::cell::LazyCell;
use std::collections::BTreeSet;

/// The classes of JDK 17, which the sets are worked out for.
struct Jdk {
    classes: ClassPath,
    module_services: ModuleServices,
}

/// A fixture on that JDK.
struct Program<'j> {
    jdk: &'j Jdk,
    classes: ClassPath,
}

impl Jdk {
    fn open() -> Self {
        let jdk = jdk::installed(17).expect("JDK 17");
        let classes = ClassPath::open(&[], Some(jdk.home()), &LoadOptions::default());
        let modules = classes.modules().filter_map(|(_, module)| module.bytes().ok());
        let module_services = ModuleServices::read(modules);
        Self { classes, module_services }
    }
}

impl<'j> Program<'j> {
    fn open(jdk: &'j Jdk, compiled: &Compiled) -> Self {
        Self { jdk, classes: ClassPath::open(&compiled.class_path, None, &LoadOptions::default()) }
    }

    fn own(&self) -> OwnClasses {
        let entries = self.classes.entries();
        let names = entries.flat_map(|(entry, _)| self.classes.classes(entry));
        OwnClasses { application: names.map(|class| class.name().to_vec()).collect(), tests: Vec::new() }
    }
}

impl ClassSource for Jdk {
    fn find(&self, internal_name: &[u8]) -> Option<(&[u8], Layer)> {
        Some((self.classes.find(internal_name)?.bytes().ok()?, Layer::Jdk))
    }

    fn for_each_name(&self, with: &mut dyn FnMut(&[u8])) {
        for (entry, _) in self.classes.entries() {
            self.classes.classes(entry).for_each(|class| with(class.name()));
        }
    }

    fn services(&self, service: &[u8]) -> Vec<Vec<u8>> {
        self.module_services.providers(service, [])
    }
}

impl ClassSource for Program<'_> {
    fn find(&self, internal_name: &[u8]) -> Option<(&[u8], Layer)> {
        let of_jdk = self.jdk.find(internal_name);
        of_jdk.or_else(|| Some((self.classes.find(internal_name)?.bytes().ok()?, Layer::Application)))
    }

    fn for_each_name(&self, with: &mut dyn FnMut(&[u8])) {
        for (entry, _) in self.classes.entries() {
            self.classes.classes(entry).for_each(|class| with(class.name()));
        }
        self.jdk.for_each_name(with);
    }

    fn services(&self, service: &[u8]) -> Vec<Vec<u8>> {
        let files = self.classes.resources(&services_file(service)).into_iter();
        let own = ModuleServices::read([]).providers(service, files.filter_map(|(_, file)| file.ok()));
        self.jdk.services(service).into_iter().chain(own).collect()
    }
}

fn request_for(fixture: &Fixture, own: OwnClasses, analysis: Analysis) -> SearchRequest {
    SearchRequest {
        analysis,
        entries: EntryPoints { named: vec!["Main".to_owned()], kinds: Vec::new() },
        own,
        catalogue: Catalogue::of_jdk().expect("the catalogue"),
        faults: FaultSelection::All,
        throws: true,
        implicit: fixture.is_implicit(),
        handlers: ClauseScope::Application,
        escapes: false,
        reflective_targets: Vec::new(),
        ceiling: None,
        release: Some(17),
    }
}

/// From where to which clause, in the words of the expected files.
fn named(fixture: &Fixture, compiled: &Compiled, answer: &LinksAnswer, link: &FoundLink) -> Link {
    let clause = &answer.pairs[link.to];
    let catch_line = clause.pair.catch_line;
    let to = fixture.name_of(compiled, &clause.pair.class, &clause.pair.method, catch_line);
    (origin(fixture, compiled, &answer.points[link.from]), to)
}

fn origin(fixture: &Fixture, compiled: &Compiled, point: &PointDescription) -> String {
    let Site { class, method, line, .. } = &point.site;
    match &point.by {
        RaisedBy::Operation { kind, .. } => kind.clone(),
        RaisedBy::Throw | RaisedBy::Implicit | RaisedBy::Native => {
            fixture.name_of(compiled, class, method, *line)
        }
    }
}

/// Written and read again, as it is between two runs: what is cached is held to the same links.
fn base_on(jdk: &Jdk, call_graph: CallGraph, implicit: bool) -> Option<JdkBase<'_>> {
    let bytes = JdkBase::solve(jdk, call_graph, implicit)?.to_bytes();
    Some(JdkBase::read(&bytes, jdk, call_graph, implicit).expect("what was written"))
}

/// Runs every fixture under one call graph, alone and with each filter that it takes.
fn check(call_graph: CallGraph, name: &str) {
    let jdk = Jdk::open();
    let base = LazyCell::new(|| base_on(&jdk, call_graph, false));
    let base_with_implicit = LazyCell::new(|| base_on(&jdk, call_graph, true));
    let of_graph = |it: &&&str| it.split('+').next() == Some(name);
    let configurations: Vec<Analysis> =
        CONFIGURATIONS.iter().filter(of_graph).map(|it| it.parse().expect("a configuration")).collect();
    // The objects are kept for all filters if one is asked for.
    let with_objects = configurations.iter().find(|analysis| analysis.filter().is_some());
    let with_objects = with_objects.copied().unwrap_or(configurations[0]);
    let mut wrong = Vec::new();
    for fixture in Fixture::read_all().expect("fixtures/links") {
        let compiled = fixture.compile().expect("the fixture compiles");
        let program = Program::open(&jdk, &compiled);
        let base = if fixture.is_implicit() { &*base_with_implicit } else { &*base };
        let request = request_for(&fixture, program.own(), with_objects);
        let mut search = search_unfiltered(&|| base.clone(), &program, &request, &mut |_| {})
            .expect("the fixture has a main");
        search.keep_from(|point| fixture.looks_at(&origin(&fixture, &compiled, point)));
        for configuration in &configurations {
            search.narrow(configuration.filter());
            let answer = search.answer();
            let reported: BTreeSet<Link> =
                answer.links.iter().map(|link| named(&fixture, &compiled, &answer, link)).collect();
            let differences = fixture.differences(&configuration.to_string(), &reported);
            wrong.extend(differences.into_iter().map(|difference| format!("{}: {difference}", fixture.name)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn links_by_the_class_hierarchy_are_as_expected() {
    check(CallGraph::Cha, "cha");
}

#[test]
fn links_by_made_classes_are_as_expected() {
    check(CallGraph::Rta, "rta");
}

#[test]
fn links_by_objects_are_as_expected() {
    check(CallGraph::Pta, "pta");
}

#[test]
fn links_by_objects_with_constructors_told_apart_are_as_expected() {
    check(CallGraph::Inpta, "inpta");
}

#[test]
fn links_by_objects_with_receivers_told_apart_are_as_expected() {
    check(CallGraph::TwoObj, "2obj");
}
