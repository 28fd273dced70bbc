//! Fixtures with a `main`: what happens at their pairs (`watch`), and what can reach them (`links`).

use super::classes::{Sources, compiled_group};
use super::{Prepared, Subject, Worded};
use anyhow::{Context, Result, bail};
use catchment_testkit::colours;
use catchment_testkit::compilers::{Compiler, Job, files_with_extension};
use catchment_testkit::links::Fixture;
use catchment_testkit::{jdk, workspace};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Coarse, default and precise.
const ANALYSES: [&str; 3] = ["cha", "inpta", "inpta+mdr"];
/// The JDK that links are asked for.
const JDK: u32 = 17;
/// The newest JVM, for fixtures of newer language levels.
const NEWEST: u32 = 25;

pub(super) fn subjects() -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for (folder, extension) in [("", "java"), ("lombok", "java"), ("kotlin", "kt")] {
        for source in files_with_extension(&colours::folder().join(folder), extension)? {
            subjects.extend(watched(&source)?);
        }
    }
    let old = [Compiler::Javac8 { level: 3 }, Compiler::Ecj2009 { level: 4 }];
    subjects.extend(old.into_iter().map(watched_old_program));
    subjects.extend(Fixture::read_all()?.into_iter().map(linked));
    Ok(subjects)
}

/// A fixture of colours; none if the JDK for its language level is absent.
fn watched(source: &Path) -> Result<Option<Subject>> {
    let path = source.strip_prefix(colours::folder())?.to_string_lossy().into_owned();
    let fixture = colours::Fixture::read(&path)?;
    let sources = match source.parent().and_then(Path::file_name).and_then(|name| name.to_str()) {
        Some("kotlin") => Sources::Kotlin,
        Some("lombok") => Sources::Lombok,
        _ => Sources::Java,
    };
    let java = if fixture.level <= JDK { JDK } else { NEWEST };
    let compiler = match sources {
        Sources::Kotlin => Compiler::Kotlinc1,
        Sources::Java | Sources::Lombok => Compiler::Javac { jdk: java, release: java },
    };
    if !compiler.is_here() {
        return Ok(None);
    }
    let main_class = fixture.main_class();
    Ok(Some(Subject::new(format!("colours/{main_class}"), &["watch"], move |binary| {
        let mut class_path = vec![compiled_group("colours", sources, compiler)?];
        class_path.extend(compiler.runtime_libraries()?);
        watch(binary, java, class_path, &main_class)
    })))
}

fn watched_old_program(compiler: Compiler) -> Subject {
    Subject::new(format!("shapes/OldProgram-{}", compiler.name()), &["watch"], move |binary| {
        let source = workspace::root().join("fixtures/shapes/OldProgram.java");
        let classes = compiler.compile(&Job::of([source]))?;
        watch(binary, JDK, vec![classes], "OldProgram")
    })
}

fn watch(binary: &Path, java: u32, class_path: Vec<PathBuf>, main_class: &str) -> Result<Prepared> {
    let folder = tempfile::tempdir().context("cannot create a folder for the report")?;
    let report = folder.path().join("report.json");
    let (binary, main_class) = (binary.to_path_buf(), main_class.to_owned());
    let jvm = jdk::runtime(java)?;
    let joined = env::join_paths(&class_path)?;
    let places = class_path.first().map(|classes| ("<classes>", classes.clone()));
    let places = places.into_iter().chain([("<temporary>", folder.path().to_path_buf())]).collect();
    Ok(Prepared::new(folder, places, move |_| -> Result<Worded> {
        let mut command = Command::new(&binary);
        command.args(["watch", "--json", "--output"]).arg(&report).arg("--");
        command.arg(jvm.command("java").get_program()).arg("-cp").arg(&joined).arg(&main_class);
        command.env_remove("JAVA_TOOL_OPTIONS").env_remove("JDK_JAVA_OPTIONS");
        Ok((command, Some(report.clone())))
    }))
}

/// A fixture of links, under several analyses.
fn linked(fixture: Fixture) -> Subject {
    let commands = ANALYSES.map(|analysis| format!("links-{analysis}"));
    let names: Vec<&str> = commands.iter().map(String::as_str).collect();
    Subject::new(format!("links/{}", fixture.name), &names, move |binary| {
        let compiled = fixture.compile()?;
        let class_path = env::join_paths(&compiled.class_path)?;
        let places = compiled.class_path.first().map(|classes| ("<classes>", classes.clone()));
        let (binary, home) = (binary.to_path_buf(), jdk::installed(JDK)?.home().to_path_buf());
        let is_implicit = fixture.is_implicit();
        Ok(Prepared::new((), places.into_iter().collect(), move |name| {
            let Some(analysis) = name.strip_prefix("links-") else { bail!("{name} is no question of links") };
            let mut command = Command::new(&binary);
            command.args(["links", "--json", "--analysis", analysis, "--classpath"]).arg(&class_path);
            command.arg("--jdk").arg(&home).args(is_implicit.then_some("--implicit"));
            Ok((command, None))
        }))
    })
}
