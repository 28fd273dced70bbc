//! Compiles programs and opens them with JDK 17.

use crate::bases;
use catchment_exceptions::{
    Catalogue, ClauseScope, EntryPoints, FaultSelection, LinkSearch, OwnClasses, SearchError, SearchRequest,
    search_from,
};
use catchment_pointsto::MethodId;
use catchment_pointsto::{ClassSource, Layer, ModuleServices, World, services_file};
use catchment_pointsto::{Options, Reached, ReflectiveTarget, analyse_with_targets};
use catchment_program::{ClassPath, LoadOptions};
use catchment_testkit::compilers::{Compiler, Job};
use catchment_testkit::jdk;
use catchment_testkit::links::Fixture;
use std::fs;
use std::path::PathBuf;

/// A program whose first path is the application.
pub(crate) struct Program {
    classes: ClassPath,
    module_services: ModuleServices,
    main: String,
}

impl Program {
    /// Compiles a file `T.java`.
    pub(crate) fn compile(source: &str, libraries: Vec<PathBuf>) -> Self {
        Self::compile_files(&[("T.java", source)], libraries)
    }

    /// Compiles files by path and content. The first one has the `main`.
    pub(crate) fn compile_files(files: &[(&str, &str)], libraries: Vec<PathBuf>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |(path, content): &(&str, &str)| {
            let file = folder.path().join(path);
            fs::create_dir_all(file.parent().expect("below the folder")).expect("made");
            fs::write(&file, content).expect("written");
            file
        };
        let sources: Vec<PathBuf> = files.iter().map(write).collect();
        let job = Job { class_path: libraries.clone(), ..Job::of(sources) };
        let classes = Compiler::Javac { jdk: 17, release: 17 }.compile(&job).expect("source compiles");
        let paths: Vec<PathBuf> = std::iter::once(classes).chain(libraries).collect();
        let main = files.first().and_then(|(path, _)| path.strip_suffix(".java")).expect("a Java file");
        Self::open(&paths, main)
    }

    /// A program among the fixtures of links.
    pub(crate) fn fixture(name: &str) -> Self {
        let fixture = Fixture::read(name).expect("a fixture");
        let compiled = fixture.compile().expect("the fixture compiles");
        Self::open(&compiled.class_path, "Main")
    }

    /// These on a class path.
    pub(crate) fn open(class_path: &[PathBuf], main: &str) -> Self {
        let jdk = jdk::installed(17).expect("JDK 17");
        let classes = ClassPath::open(class_path, Some(jdk.home()), &LoadOptions::default());
        let modules = classes.modules().filter_map(|(_, module)| module.bytes().ok());
        let module_services = ModuleServices::read(modules);
        Self { classes, module_services, main: main.to_owned() }
    }

    /// All throws and these kinds of faults (all of them if none is named) from its `main`.
    pub(crate) fn request(&self, analysis: &str, faults: &[&str]) -> SearchRequest {
        let catalogue = Catalogue::of_jdk().expect("the catalogue");
        let faults: Vec<String> = faults.iter().map(|kind| (*kind).to_owned()).collect();
        SearchRequest {
            analysis: analysis.parse().expect("an analysis"),
            entries: EntryPoints { named: vec![self.main.clone()], kinds: Vec::new() },
            own: OwnClasses { application: self.application(), tests: Vec::new() },
            faults: FaultSelection::of(&faults, &catalogue).expect("kinds"),
            catalogue,
            throws: true,
            implicit: false,
            handlers: ClauseScope::Application,
            escapes: false,
            reflective_targets: Vec::new(),
            release: Some(17),
            ceiling: None,
        }
    }

    /// Internal names of the application's classes.
    pub(crate) fn application(&self) -> Vec<Vec<u8>> {
        let own = self.classes.entries().filter(|(_, entry)| entry.given == Some(0));
        own.flat_map(|(entry, _)| self.classes.classes(entry)).map(|class| class.name().to_vec()).collect()
    }

    /// Its links, going on from what is known of the JDK.
    pub(crate) fn search(&self, request: &SearchRequest) -> Result<LinkSearch<'_>, SearchError> {
        let base = || bases::of_search(self, request.analysis.call_graph(), request.implicit);
        search_from(&base, self, request, &mut |_| {})
    }

    /// What is reached from its `main`.
    pub(crate) fn analyse(&self, options: impl Into<Options>) -> Reached<'_> {
        self.analyse_with_targets(options, &[])
    }

    /// Likewise, if a run has shown these targets of reflective calls.
    pub(crate) fn analyse_with_targets(
        &self,
        options: impl Into<Options>,
        recorded: &[ReflectiveTarget],
    ) -> Reached<'_> {
        let options = options.into();
        let main = |world: &mut World<'_>| {
            let class = world.class(self.main.as_bytes());
            world.declared_by_name(class, b"main").collect()
        };
        let base = bases::of_analysis(self, options);
        let reached = base.and_then(|base| base.into_reached(self, recorded, None, main).ok());
        reached.unwrap_or_else(|| analyse_with_targets(self, options, recorded, main))
    }
}

/// Of a program that was compiled here.
pub(crate) fn main_of(world: &mut World<'_>) -> Vec<MethodId> {
    let class = world.class(b"T");
    world.declared_by_name(class, b"main").collect()
}

impl ClassSource for Program {
    fn find(&self, internal_name: &[u8]) -> Option<(&[u8], Layer)> {
        let found = self.classes.find(internal_name)?;
        let layer = match self.classes.entry(found.entry())?.given {
            Some(0) => Layer::Application,
            Some(_) => Layer::Library,
            None => Layer::Jdk,
        };
        Some((found.bytes().ok()?, layer))
    }

    fn for_each_name(&self, with: &mut dyn FnMut(&[u8])) {
        for (entry, _) in self.classes.entries() {
            for class in self.classes.classes(entry) {
                with(class.name());
            }
        }
    }

    fn services(&self, service: &[u8]) -> Vec<Vec<u8>> {
        let files = self.classes.resources(&services_file(service));
        self.module_services.providers(service, files.into_iter().filter_map(|(_, file)| file.ok()))
    }
}
