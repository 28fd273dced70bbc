//! From the arguments of `links` to classes and a request to search them.

use crate::commands::links::args::{HandlersOf, LinksArgs};
use crate::commands::links::class_source::LayeredClasses;
use crate::commands::links::memory;
use crate::config::Config;
use crate::exit::{BadInput, NothingObserved};
use anyhow::Result;
use catchment_build::{LibrariesRequest, LibrariesStep, libraries};
use catchment_exceptions::{
    Catalogue, Ceiling, ClauseScope, EntryKind, EntryPoints, FaultSelection, Layer, LinkSelection,
    OwnClasses, SearchRequest,
};
use catchment_lab::Progress;
use catchment_program::{ClassPath, JavaHome, LoadOptions, application_roots, find_java_homes, test_roots};
use catchment_report::{ListedProblem, RecordingFile, read_recording};
use catchment_watch::Problem;
use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

/// Elements of a class path, by whose code they are.
struct Elements {
    paths: Vec<PathBuf>,
    /// By path.
    layers: Vec<Layer>,
    /// Why some may be missing.
    problems: Vec<ListedProblem>,
}

impl LinksArgs {
    /// Opens the class path, and says what of it cannot be had.
    pub(crate) fn open(
        &self,
        config: &Config,
        jdk: &JavaHome,
        progress: &mut dyn Progress,
    ) -> Result<(LayeredClasses, Vec<ListedProblem>)> {
        let elements = match &self.classpath {
            Some(class_path) => given(class_path)?,
            None => self.of_folder(progress)?,
        };
        let options = LoadOptions { release: jdk.feature_version, ..LoadOptions::default() };
        let class_path = ClassPath::open(&elements.paths, Some(&jdk.path), &options);
        let selection = config.selection(&self.include, &self.exclude);
        let layer_of = |given: Option<usize>| given.map_or(Layer::Jdk, |index| elements.layers[index]);
        let classes = LayeredClasses::new(class_path, selection, |entry| layer_of(entry.given));
        Ok((classes, elements.problems))
    }

    pub(crate) fn java_home(&self) -> Result<JavaHome> {
        match &self.jdk {
            Some(home) => JavaHome::at(home).ok_or_else(|| {
                BadInput(format!("{} is no JDK: it has no classes, or no `release` file", home.display()))
                    .into()
            }),
            None => find_java_homes().into_iter().next().ok_or_else(|| {
                NothingObserved("no JDK found: name one with --jdk or JAVA_HOME".to_owned()).into()
            }),
        }
    }

    /// Main outputs of a build are the application, test outputs the tests; what libraries they need the build knows.
    fn of_folder(&self, progress: &mut dyn Progress) -> Result<Elements> {
        let application = application_roots(&self.folder)?;
        let with_tests = self.entry_points.is_empty() || self.entry_points.contains(&EntryKind::Tests);
        let tests = if with_tests { test_roots(&self.folder) } else { Vec::new() };
        let mut problems = Vec::new();
        let libraries = match &self.libraries {
            Some(given) => split(given),
            None => {
                let own = [application.clone(), tests.clone()].concat();
                let (folder, no_build_tool) = (self.folder.clone(), self.no_build_tool);
                let request = LibrariesRequest { folder, own, with_tests, no_build_tool };
                let found = libraries(&request, &mut |step| match step {
                    LibrariesStep::BuildTool(sentence) => progress.note(sentence),
                    LibrariesStep::Phase(phase) => progress.phase(phase, None),
                });
                let found = found.unwrap_or_default();
                let listed = |it: Problem| ListedProblem { place: it.place, what: it.what };
                problems.extend(found.problems.into_iter().map(listed));
                found.paths
            }
        };
        let layers = [
            vec![Layer::Application; application.len()],
            vec![Layer::Tests; tests.len()],
            vec![Layer::Library; libraries.len()],
        ];
        Ok(Elements { paths: [application, tests, libraries].concat(), layers: layers.concat(), problems })
    }

    /// All recordings as one; none if none was given.
    pub(crate) fn runs(&self) -> Result<Option<RecordingFile>> {
        let mut runs: Option<RecordingFile> = None;
        for path in &self.seen {
            let bad = |why: &dyn Display| BadInput(format!("cannot read {}: {why}", path.display()));
            let text = fs::read(path).map_err(|error| bad(&error))?;
            let file = read_recording(&text).map_err(|error| bad(&error))?;
            match &mut runs {
                Some(runs) => {
                    runs.recording.add(file.recording);
                    runs.problems.extend(file.problems);
                }
                None => runs = Some(file),
            }
        }
        Ok(runs)
    }

    pub(crate) fn request(&self, config: &Config, own: OwnClasses, jdk: &JavaHome) -> Result<SearchRequest> {
        let mut catalogue = Catalogue::of_jdk()?;
        catalogue.add(config.faults.clone()).map_err(|error| BadInput(format!("catchment.toml: {error}")))?;
        let faults =
            FaultSelection::of(&self.faults, &catalogue).map_err(|error| BadInput(error.to_string()))?;
        Ok(SearchRequest {
            analysis: self.analysis,
            reflective_targets: Vec::new(),
            ceiling: self
                .max_memory
                .or_else(memory::default_ceiling)
                .map(|bytes| Ceiling { bytes, held: memory::held }),
            entries: EntryPoints { named: self.entry.clone(), kinds: self.entry_points.clone() },
            own,
            catalogue,
            faults,
            throws: self.throws || !self.no_throws,
            implicit: self.implicit,
            handlers: match self.handlers {
                HandlersOf::Application => ClauseScope::Application,
                HandlersOf::All => ClauseScope::All,
            },
            escapes: self.escapes,
            release: Some(jdk.feature_version),
        })
    }

    /// The selection of links that are shown.
    pub(crate) fn selection(&self, catalogue: &Catalogue) -> Result<LinkSelection, BadInput> {
        let faults =
            FaultSelection::of(&self.fault, catalogue).map_err(|error| BadInput(error.to_string()))?;
        Ok(LinkSelection {
            packages: self.package.clone(),
            types: self.types.clone(),
            faults: (!self.fault.is_empty()).then_some(faults),
            ..LinkSelection::default()
        })
    }
}

/// Folders are the application and jars its libraries; jars alone are the application.
fn given(class_path: &OsString) -> Result<Elements, BadInput> {
    let paths = split(class_path);
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        return Err(BadInput(format!("cannot read {}: no such file or folder", missing.display())));
    }
    if paths.is_empty() {
        return Err(BadInput("--classpath is empty".to_owned()));
    }
    let has_folders = paths.iter().any(|path| path.is_dir());
    let layer = |path: &PathBuf| {
        if path.is_dir() || !has_folders { Layer::Application } else { Layer::Library }
    };
    let layers = paths.iter().map(layer).collect();
    Ok(Elements { paths, layers, problems: Vec::new() })
}

fn split(class_path: &OsString) -> Vec<PathBuf> {
    env::split_paths(class_path).filter(|path| path != Path::new("")).collect()
}
