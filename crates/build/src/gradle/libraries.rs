//! Asks Gradle what the projects of a build need: an init script gives each a task that writes it down.

use crate::build_run::BuildRun;
use crate::gradle::{GradleBuild, NO_CONFIGURATION_CACHE, Properties, failure, in_script, read_all};
use crate::libraries::{Asked, BuildQuery, LibrariesStep, ModuleNeeds, NeededElement, announcement};
use crate::limits::BuildLimits;
use crate::{ProjectError, cannot};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const SCRIPT: &str = include_str!("libraries.gradle");
/// No build has a task of this name.
const TASK: &str = "catchmentLibraries";

pub(crate) fn ask(
    query: &BuildQuery<'_>,
    progress: &mut dyn FnMut(LibrariesStep<'_>),
) -> Result<Asked, ProjectError> {
    let run = BuildRun::unseen(&query.folder);
    let build = GradleBuild {
        workspace: query.workspace,
        top: query.top.clone(),
        folder: query.top.clone(),
        arguments: &[],
        limits: BuildLimits::default(),
    };
    let program = build.wrapper().map_or("gradle", |_| "./gradlew (the project's own wrapper)");
    let command = format!("{program} {TASK}");
    progress(LibrariesStep::BuildTool(&announcement(&command, query)));
    progress(LibrariesStep::Phase("asking Gradle for the libraries"));
    // That the wrapper does not start is of no interest here.
    let program = build.program(&mut Vec::new())?;
    let answers = query.folder.join("answers");
    let script = query.folder.join("libraries.gradle");
    let text = SCRIPT.replace("@FOLDER@", &in_script(&answers)).replace("@TASK@", TASK);
    fs::write(&script, text).map_err(cannot("write", &script))?;
    let mut failed = None;
    let mut projects = Vec::new();
    for offline in [true, false] {
        let _ = fs::remove_dir_all(&answers);
        let mut command = Command::new(&program);
        command.current_dir(&query.top).args(["--no-daemon", "--continue", "--console=plain"]);
        command.args(offline.then_some("--offline")).arg("--init-script").arg(&script);
        command.args(NO_CONFIGURATION_CACHE);
        let built = run.run(command.arg(TASK), &mut |_| {})?;
        projects = read_all(&answers);
        failed = if built.succeeded { first_failure(&projects) } else { Some(failure(&built.log)) };
        if failed.is_none() {
            break;
        }
    }
    match failed {
        Some(reason) if projects.is_empty() => Err(ProjectError::BuildFailed { reason, log: run.log }),
        failed => {
            let incomplete = failed.map(|reason| {
                format!("some of its libraries are not known: {reason}; all can be named with --libraries")
            });
            Ok(Asked { modules: modules(&projects), problems: incomplete.into_iter().collect() })
        }
    }
}

fn first_failure(projects: &[Properties]) -> Option<String> {
    projects.iter().find_map(|project| project.get("failure.0")).map(str::to_owned)
}

fn modules(projects: &[Properties]) -> Vec<ModuleNeeds> {
    // Gradle names the jars of other projects, which need not have been made: their classes are what they hold.
    let classes_of: BTreeMap<PathBuf, Vec<PathBuf>> = projects
        .iter()
        .filter_map(|project| Some((PathBuf::from(project.get("jar")?), outputs(project, "classes"))))
        .collect();
    let unpacked = |jar: PathBuf| match classes_of.get(&jar) {
        Some(folders) => folders.clone(),
        None => vec![jar],
    };
    let needs = |project: &Properties| {
        let main: Vec<PathBuf> = project.paths("needed").into_iter().flat_map(unpacked).collect();
        let known: BTreeSet<&PathBuf> = main.iter().collect();
        let tests = project.paths("neededByTests").into_iter().flat_map(unpacked);
        let tests: Vec<PathBuf> = tests.filter(|path| !known.contains(path)).collect();
        let element = |only_by_tests| move |path| NeededElement { path, only_by_tests };
        let needed = main.into_iter().map(element(false)).chain(tests.into_iter().map(element(true)));
        let mut all = outputs(project, "classes");
        all.extend(outputs(project, "testClasses"));
        ModuleNeeds { outputs: all, needed: needed.collect() }
    };
    projects.iter().map(needs).collect()
}

/// The class folders of a project. Multi-platform builds of Kotlin have no source sets of Java's.
fn outputs(project: &Properties, name: &str) -> Vec<PathBuf> {
    let folders = project.paths(name);
    if !folders.is_empty() {
        return folders;
    }
    let kind = if name == "classes" { "main" } else { "test" };
    project
        .get("folder")
        .map(|folder| PathBuf::from(folder).join("build/classes/kotlin/jvm").join(kind))
        .into_iter()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_stands_for_its_jar_and_tests_need_what_main_code_does_not() {
        let project = |pairs: &[(&str, &str)]| {
            Properties(pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect())
        };
        let core = project(&[
            ("classes.0", "/p/core/build/classes/java/main"),
            ("jar", "/p/core/build/libs/core.jar"),
        ]);
        let app = project(&[
            ("classes.0", "/p/app/build/classes/java/main"),
            ("testClasses.0", "/p/app/build/classes/java/test"),
            ("needed.0", "/p/core/build/libs/core.jar"),
            ("needed.1", "/g/a.jar"),
            ("neededByTests.0", "/g/a.jar"),
            ("neededByTests.1", "/g/junit.jar"),
            ("failure.0", "Could not find b."),
        ]);
        let projects = [core, app];
        let modules = modules(&projects);
        let needed: Vec<_> =
            modules[1].needed.iter().map(|it| (it.path.to_str().unwrap(), it.only_by_tests)).collect();
        assert_eq!(
            needed,
            [("/p/core/build/classes/java/main", false), ("/g/a.jar", false), ("/g/junit.jar", true)]
        );
        assert_eq!(modules[1].outputs.len(), 2);
        assert_eq!(first_failure(&projects).as_deref(), Some("Could not find b."));
    }
}
