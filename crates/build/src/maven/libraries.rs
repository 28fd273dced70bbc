//! Asks Maven what the modules of a build need.
//!
//! `dependency:collect` rather than `dependency:build-classpath`: the latter wants the jars of the build's own modules, which
//! Maven 3 has only in a run that packs them. Collecting needs nothing but POMs. Where each module compiles to and where
//! Maven keeps its jars comes along in the name of the file that the answer is written to, in which Maven fills in
//! properties of the module at hand.

use crate::ProjectError;
use crate::build_run::{BuildRun, TestsInBuild};
use crate::libraries::{Asked, BuildQuery, LibrariesStep, ModuleNeeds, NeededElement, announcement};
use crate::limits::BuildLimits;
use crate::maven::MavenBuild;
use crate::maven::log::{failure, module_begun};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// Of one version, so that its words are known.
const GOAL: &str = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:collect";

/// Folders in the path of an answer, each with an absolute path below it.
const CLASSES: &str = "@classes";
const TESTS: &str = "@tests";
const REPOSITORY: &str = "@repository";
const FILE: &str = "@answer";

/// Kinds of artifacts that are on no class path.
const NO_CLASSES: &[&str] = &["pom", "war", "ear", "zip", "tar.gz", "tar.bz2", "so", "dll", "exe"];

pub(crate) fn ask(
    query: &BuildQuery<'_>,
    progress: &mut dyn FnMut(LibrariesStep<'_>),
) -> Result<Asked, ProjectError> {
    let run = BuildRun::unseen(&query.folder);
    let build = MavenBuild {
        workspace: query.workspace,
        top: query.top.clone(),
        folder: query.top.clone(),
        arguments: &[],
        tests: TestsInBuild::LeftOut,
        limits: BuildLimits::default(),
    };
    let program = build.wrapper().map_or("mvn", |_| "./mvnw (the project's own wrapper)");
    let command = format!("{program} dependency:collect");
    progress(LibrariesStep::BuildTool(&announcement(&command, query)));
    // That the wrapper does not start is of no interest here.
    let program = build.program(&mut Vec::new())?;
    let answers = query.folder.join("answers");
    let mut failed = None;
    for offline in [true, false] {
        let _ = fs::remove_dir_all(&answers);
        let mut command = Command::new(&program);
        // A module that cannot be asked must not keep others from answering.
        command.current_dir(&query.top).args(["-B", "-fn"]).args(offline.then_some("-o"));
        command.arg(GOAL).arg(format!("-DoutputFile={}", answer_file(&answers)));
        let asking =
            if offline { "asking Maven for the libraries" } else { "letting Maven find the libraries" };
        progress(LibrariesStep::Phase(asking));
        let built = run.run(&mut command, &mut |line| {
            if let Some(module) = module_begun(line) {
                progress(LibrariesStep::Phase(&format!("asking Maven for the libraries of {module}")));
            }
        })?;
        failed = (!built.succeeded || built.log.contains("[ERROR]"))
            .then(|| failure(&built.log, &query.workspace.root));
        if failed.is_none() {
            break;
        }
    }
    let answers = Answers::read(&answers);
    match failed {
        Some(reason) if answers.0.is_empty() => Err(ProjectError::BuildFailed { reason, log: run.log }),
        failed => {
            Ok(Asked { modules: answers.modules(), problems: failed.map(incomplete).into_iter().collect() })
        }
    }
}

fn incomplete(reason: String) -> String {
    format!("some of its libraries are not known: {reason}; all can be named with --libraries")
}

/// In the words of Maven.
fn answer_file(folder: &Path) -> String {
    format!(
        "{}/${{project.groupId}}/${{project.artifactId}}/{CLASSES}${{project.build.outputDirectory}}/\
         {TESTS}${{project.build.testOutputDirectory}}/{REPOSITORY}${{settings.localRepository}}/{FILE}",
        folder.display()
    )
}

/// What a module needs, as Maven has it.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    classes: PathBuf,
    tests: PathBuf,
    repository: PathBuf,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Dependency {
    group: String,
    artifact: String,
    kind: String,
    classifier: Option<String>,
    version: String,
    scope: String,
}

/// By group and artifact.
struct Answers(BTreeMap<(String, String), Answer>);

impl Answers {
    fn read(folder: &Path) -> Self {
        let mut files = Vec::new();
        find_answers(folder, &mut files);
        let read = |file: &PathBuf| {
            let (module, mut answer) = of_path(file.strip_prefix(folder).ok()?)?;
            let text = fs::read_to_string(file).ok()?;
            answer.dependencies = text.lines().filter_map(Dependency::parse).collect();
            Some((module, answer))
        };
        Self(files.iter().filter_map(read).collect())
    }

    fn modules(&self) -> Vec<ModuleNeeds> {
        let needs = |answer: &Answer| ModuleNeeds {
            outputs: vec![answer.classes.clone(), answer.tests.clone()],
            needed: answer
                .dependencies
                .iter()
                .filter_map(|it| self.element(it, &answer.repository))
                .collect(),
        };
        self.0.values().map(needs).collect()
    }

    /// A module of the build is its class folder, anything else a jar of the local repository.
    fn element(&self, dependency: &Dependency, repository: &Path) -> Option<NeededElement> {
        let module = self.0.get(&(dependency.group.clone(), dependency.artifact.clone()));
        let path = match module {
            Some(module) if dependency.is_of_tests() => module.tests.clone(),
            Some(module) => module.classes.clone(),
            None if NO_CLASSES.contains(&dependency.kind.as_str()) => return None,
            None => repository.join(dependency.jar()),
        };
        Some(NeededElement { path, only_by_tests: dependency.scope == "test" })
    }
}

fn find_answers(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find_answers(&path, found);
        } else if path.file_name().is_some_and(|name| name == FILE) {
            found.push(path);
        }
    }
}

/// The module and its folders from the name of its answer.
fn of_path(relative: &Path) -> Option<((String, String), Answer)> {
    let parts: Vec<&str> = relative
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    let place = |mark: &str| parts.iter().position(|part| *part == mark);
    let (classes, tests, repository) = (place(CLASSES)?, place(TESTS)?, place(REPOSITORY)?);
    let path = |from: usize, to: usize| -> PathBuf {
        std::iter::once("/").chain(parts[from + 1..to].iter().copied()).collect()
    };
    let [group, artifact] = parts[..classes] else { return None };
    (classes < tests && tests < repository).then(|| {
        let answer = Answer {
            classes: path(classes, tests),
            tests: path(tests, repository),
            repository: path(repository, parts.len() - 1),
            dependencies: Vec::new(),
        };
        ((group.to_owned(), artifact.to_owned()), answer)
    })
}

impl Dependency {
    /// `   org.acme:core:jar:tests:1.0:test (optional)`; the classifier is left out where there is none.
    fn parse(line: &str) -> Option<Self> {
        let coordinates = line.split_whitespace().next()?;
        let parts: Vec<&str> = coordinates.split(':').collect();
        let (group, artifact, kind, classifier, version, scope) = match parts[..] {
            [group, artifact, kind, version, scope] => (group, artifact, kind, None, version, scope),
            [group, artifact, kind, classifier, version, scope] => {
                (group, artifact, kind, Some(classifier.to_owned()), version, scope)
            }
            _ => return None,
        };
        let [group, artifact, kind, version, scope] =
            [group, artifact, kind, version, scope].map(str::to_owned);
        Some(Self { group, artifact, kind, classifier, version, scope })
    }

    fn is_of_tests(&self) -> bool {
        self.kind == "test-jar" || self.classifier.as_deref() == Some("tests")
    }

    /// Where it lies in a repository.
    fn jar(&self) -> PathBuf {
        let Self { artifact, version, .. } = self;
        let classifier = self.classifier.as_ref().map_or_else(String::new, |it| format!("-{it}"));
        let folder: PathBuf = self.group.split('.').collect();
        folder.join(artifact).join(version).join(format!("{artifact}-{version}{classifier}.jar"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, module: &str, text: &str) {
        let [group, artifact] = module.split(':').collect::<Vec<_>>()[..] else { panic!("{module}") };
        let file = answer_file(folder)
            .replace("${project.groupId}", group)
            .replace("${project.artifactId}", artifact)
            .replace("${project.build.outputDirectory}", &format!("/p/{artifact}/target/classes"))
            .replace("${project.build.testOutputDirectory}", &format!("/p/{artifact}/target/test-classes"))
            .replace("${settings.localRepository}", "/m2/my repository");
        fs::create_dir_all(Path::new(&file).parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[test]
    fn modules_of_the_build_are_class_folders_and_the_rest_are_jars_of_the_repository() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "org.acme:core", "\nThe following files have been resolved:\n   none\n\n");
        let text = "\nThe following files have been resolved:\n   org.acme:core:jar:1.0:compile\n   \
                    org.acme:core:test-jar:tests:1.0:test\n   com.other.lib:x:jar:linux:2.0-SNAPSHOT:runtime (optional)\n   \
                    com.other:bom:pom:1:compile\n   junit:junit:jar:4.13.2:test -- module junit (auto)\n";
        write(folder.path(), "org.acme:app", text);
        let modules = Answers::read(folder.path()).modules();
        let app = modules.iter().find(|module| !module.needed.is_empty()).unwrap();
        assert_eq!(app.outputs, ["/p/app/target/classes", "/p/app/target/test-classes"].map(PathBuf::from));
        let needed: Vec<_> =
            app.needed.iter().map(|it| (it.path.to_str().unwrap(), it.only_by_tests)).collect();
        let expected = [
            ("/p/core/target/classes", false),
            ("/p/core/target/test-classes", true),
            ("/m2/my repository/com/other/lib/x/2.0-SNAPSHOT/x-2.0-SNAPSHOT-linux.jar", false),
            ("/m2/my repository/junit/junit/4.13.2/junit-4.13.2.jar", true),
        ];
        assert_eq!(needed, expected);
        assert_eq!(modules.len(), 2);
    }
}
