//! Libraries of a build: the jars and folders of its run-time class paths, besides its own classes.
//!
//! A finished check has seen them. Otherwise the build tool is asked, in a copy of the user's tree and without any of the
//! project's own phases or tasks: nothing is compiled and no test runs. But the tool reads the build files, may load plugins
//! and may be a wrapper out of the project, so the user is told before and can forbid it. What it says is kept until a build
//! file changes.
//! No reason to fail: whoever gets no answer is told why, and can go on without.

use crate::build_files;
use crate::class_folders::module_path;
use crate::gradle;
use crate::maven;
use crate::root::{Build, Tool};
use crate::{Located, ProjectError, ProjectRequest, Workspace, cannot, locate, saved};
use catchment_watch::{Problem, write_private_file};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The libraries of a build.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Libraries {
    /// Jars and class folders in the order of the class paths, each once.
    pub paths: Vec<PathBuf>,
    pub problems: Vec<Problem>,
}

/// Whose libraries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LibrariesRequest {
    /// The project or one of its modules.
    pub folder: PathBuf,
    /// The class folders of which the libraries are wanted; they are none themselves.
    pub own: Vec<PathBuf>,
    /// Also what only tests need.
    pub with_tests: bool,
    /// Run no build tool: only what is known already counts.
    pub no_build_tool: bool,
}

/// The progress of finding the libraries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LibrariesStep<'s> {
    /// A sentence about the program that is about to be run, and where.
    BuildTool(&'s str),
    Phase(&'s str),
}

/// The class paths of one module of a build, besides its own classes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ModuleNeeds {
    /// The folders that its classes are compiled to.
    pub(super) outputs: Vec<PathBuf>,
    /// In the order of the class path; they need not be there.
    pub(super) needed: Vec<NeededElement>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NeededElement {
    pub(super) path: PathBuf,
    pub(super) only_by_tests: bool,
}

/// The answer of a build tool.
#[derive(Debug, Default)]
pub(super) struct Asked {
    pub(super) modules: Vec<ModuleNeeds>,
    /// Why some of it is missing.
    pub(super) problems: Vec<String>,
}

/// The folders in which a build tool is asked for libraries.
#[derive(Debug)]
pub(super) struct BuildQuery<'a> {
    /// The copy, apart from that in which checks run.
    pub(super) workspace: &'a Workspace,
    /// Where the build tool is started; in the copy.
    pub(super) top: PathBuf,
    /// For everything that is written on the way.
    pub(super) folder: PathBuf,
}

/// What is kept of an answer.
#[derive(Serialize, Deserialize)]
struct Known {
    /// Of the build files that were asked.
    build_files: u64,
    modules: Vec<ModuleNeeds>,
}

/// The libraries of a built project; `None` where there is no build.
pub fn libraries(
    request: &LibrariesRequest,
    progress: &mut dyn FnMut(LibrariesStep<'_>),
) -> Option<Libraries> {
    let project = ProjectRequest { folder: request.folder.clone(), ..ProjectRequest::default() };
    let located = locate(&project).ok()?;
    let build = located.build.as_ref()?;
    let own: BTreeSet<PathBuf> = request.own.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    let build_files = build_files::content_key(&located.root, build.tool);
    if let Some(modules) =
        request.with_tests.then(|| recorded(&Workspace::of(&located.root), build_files, &own)).flatten()
    {
        return Some(collected(&modules, &own, request, &located));
    }
    let asked = match known(&located.root, build_files) {
        Some(modules) => Ok(Asked { modules, problems: Vec::new() }),
        None if request.no_build_tool => {
            let what = "its libraries are not known, as no build tool may be run: name them with --libraries";
            let problems = vec![located.problem(what.to_owned())];
            return Some(Libraries { paths: Vec::new(), problems });
        }
        None => ask(&located, build, build_files, progress),
    };
    Some(match asked {
        Ok(asked) => {
            let mut libraries = collected(&asked.modules, &own, request, &located);
            libraries.problems.extend(asked.problems.into_iter().map(|what| located.problem(what)));
            libraries
        }
        Err(error) => {
            let what = format!("its libraries are not known: {error}; or name them with --libraries");
            Libraries { paths: Vec::new(), problems: vec![located.problem(what)] }
        }
    })
}

impl Located {
    fn problem(&self, what: String) -> Problem {
        let name = self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Problem { place: name, what }
    }
}

/// The class paths of a check's test JVMs, if they hold all of these folders: a module without tests has no JVM.
fn recorded(workspace: &Workspace, build_files: u64, own: &BTreeSet<PathBuf>) -> Option<Vec<ModuleNeeds>> {
    let project = saved::load_for(workspace, build_files)?;
    let modules = project.configurations.iter().map(|configuration| {
        let elements =
            configuration.class_path.iter().cloned().chain(module_path(&configuration.jvm_arguments));
        let elements: Vec<PathBuf> = elements.map(|element| workspace.in_original(&element)).collect();
        let (outputs, needed) = elements.into_iter().partition(|element| own.contains(element));
        let needed: Vec<PathBuf> = needed;
        let needed = needed.into_iter().map(|path| NeededElement { path, only_by_tests: false });
        ModuleNeeds { outputs, needed: needed.collect() }
    });
    let modules: Vec<ModuleNeeds> = modules.collect();
    let seen: BTreeSet<&PathBuf> = modules.iter().flat_map(|module| &module.outputs).collect();
    own.iter().all(|folder| seen.contains(folder)).then_some(modules)
}

/// One class path for all modules that were asked about. Where they need different versions of a library, all are on it and
/// the first is found.
fn collected(
    modules: &[ModuleNeeds],
    own: &BTreeSet<PathBuf>,
    request: &LibrariesRequest,
    located: &Located,
) -> Libraries {
    let is_asked_for = |module: &&ModuleNeeds| module.outputs.iter().any(|output| own.contains(output));
    let asked_for: Vec<&ModuleNeeds> = modules.iter().filter(is_asked_for).collect();
    let mut libraries = Libraries::default();
    let mut absent = Vec::new();
    let mut seen = BTreeSet::new();
    for element in asked_for.into_iter().flat_map(|module| &module.needed) {
        let is_wanted = request.with_tests || !element.only_by_tests;
        if !is_wanted || own.contains(&element.path) || !seen.insert(&element.path) {
            continue;
        }
        if element.path.exists() {
            libraries.paths.push(element.path.clone());
        } else if element.path.extension().is_some_and(|extension| extension == "jar") {
            absent.push(&element.path);
        }
    }
    libraries.problems.extend(absent_jars(&absent).map(|what| located.problem(what)));
    libraries
}

/// `3 of its libraries are not on this machine: a-1.jar, b-2.jar and 1 more; build it once`
fn absent_jars(absent: &[&PathBuf]) -> Option<String> {
    const NAMED: usize = 2;
    let name = |path: &&PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut names = absent.iter().take(NAMED).map(name).collect::<Vec<_>>().join(", ");
    let more = absent.len().saturating_sub(NAMED);
    if more > 0 {
        names += &format!(" and {more} more");
    }
    match absent.len() {
        0 => None,
        1 => Some(format!("a library it needs is not on this machine: {names}; build it once")),
        count => Some(format!("{count} libraries it needs are not on this machine: {names}; build it once")),
    }
}

/// What is about to be run, told before it is.
pub(super) fn announcement(program: &str, query: &BuildQuery<'_>) -> String {
    let folder = query.top.display();
    format!(
        "to learn the libraries of the project: running {program} in {folder}, a copy of the project \
         (--no-build-tool does without)"
    )
}

fn own_folder(root: &Path) -> PathBuf {
    Workspace::of(root).own_folder().join("libraries")
}

fn known_file(root: &Path) -> PathBuf {
    own_folder(root).join("known.json")
}

fn known(root: &Path, build_files: u64) -> Option<Vec<ModuleNeeds>> {
    let known: Known = serde_json::from_slice(&fs::read(known_file(root)).ok()?).ok()?;
    (known.build_files == build_files).then_some(known.modules)
}

fn ask(
    located: &Located,
    build: &Build,
    build_files: u64,
    progress: &mut dyn FnMut(LibrariesStep<'_>),
) -> Result<Asked, ProjectError> {
    let folder = own_folder(&located.root);
    Workspace::of(&located.root).create_own_folder()?;
    fs::create_dir_all(&folder).map_err(cannot("write to", &folder))?;
    let workspace = Workspace { root: folder.join("tree"), original: located.root.clone() };
    workspace.update()?;
    let query = BuildQuery { workspace: &workspace, top: workspace.in_copy(&build.top), folder };
    let mut asked = match build.tool {
        Tool::Maven => maven::libraries::ask(&query, progress),
        Tool::Gradle => gradle::libraries::ask(&query, progress),
    }?;
    for module in &mut asked.modules {
        module.outputs.iter_mut().for_each(|output| *output = workspace.in_original(output));
        module.needed.iter_mut().for_each(|element| element.path = workspace.in_original(&element.path));
    }
    // An answer with gaps may be complete the next time.
    if asked.problems.is_empty() {
        let known = Known { build_files, modules: asked.modules };
        // Failing costs one more query the next time and nothing else.
        let _ = serde_json::to_vec(&known).map(|text| write_private_file(&known_file(&located.root), &text));
        asked.modules = known.modules;
    }
    Ok(asked)
}
