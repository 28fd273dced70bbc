//! Compiled fixtures, as one class folder per compiler: which pairs they have (`handlers`).

use super::{Prepared, Subject, level_of};
use anyhow::Result;
use catchment_testkit::compilers::{Compiler, Job, files_with_extension};
use catchment_testkit::pinned;
use catchment_testkit::workspace::{files_below, root};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Between them: every generation of shapes.
const JAVA: &[Compiler] = &[
    Compiler::Javac8 { level: 3 },
    Compiler::Javac8 { level: 8 },
    Compiler::Javac9 { level: 8 },
    Compiler::Javac { jdk: 17, release: 8 },
    Compiler::Javac { jdk: 17, release: 17 },
    Compiler::Javac { jdk: 25, release: 25 },
    Compiler::Ecj2009 { level: 4 },
    Compiler::Ecj2012 { level: 7 },
    Compiler::Ecj2016 { level: 8 },
    Compiler::Ecj2025 { level: 17 },
    Compiler::Ecj2025 { level: 25 },
];
const JAVAC: Compiler = Compiler::Javac { jdk: 17, release: 17 };
const KOTLIN: &[Compiler] = &[Compiler::Kotlinc1, Compiler::Kotlinc2];

/// A folder under `fixtures`, and which of its files are compiled together.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sources {
    /// Java without processors, as far as the compiler's language level goes.
    Java,
    Kotlin,
    Lombok,
}

pub(super) fn subjects() -> Result<Vec<Subject>> {
    let mut subjects = Vec::new();
    for folder in ["pairs", "colours"] {
        let groups = [(Sources::Java, JAVA), (Sources::Kotlin, KOTLIN), (Sources::Lombok, &[JAVAC])];
        for (sources, compilers) in groups {
            for compiler in compilers.iter().copied().filter(|compiler| compiler.is_here()) {
                if !job_of(folder, sources, compiler)?.sources.is_empty() {
                    subjects.push(of_group(folder, sources, compiler));
                }
            }
        }
    }
    let single: [(&str, &[Compiler]); 6] = [
        ("shapes/OldProgram.java", &[Compiler::Javac8 { level: 3 }, Compiler::Ecj2009 { level: 4 }]),
        ("shapes/OldShapes.java", &[Compiler::Javac8 { level: 3 }, Compiler::Ecj2009 { level: 4 }]),
        ("shapes/Resources.java", &[Compiler::Javac8 { level: 8 }, Compiler::Javac9 { level: 8 }, JAVAC]),
        ("flow/Handlers.java", &[Compiler::Javac8 { level: 8 }, JAVAC]),
        ("flow/ModernHandlers.java", &[JAVAC]),
        ("annotated/Annotated.java", &[JAVAC]),
    ];
    for (path, compilers) in single {
        subjects.extend(compilers.iter().map(|compiler| of_file(path, *compiler)));
    }
    subjects.push(of_file("flow/Templates.kt", Compiler::Kotlinc2));
    Ok(subjects)
}

fn of_group(folder: &'static str, sources: Sources, compiler: Compiler) -> Subject {
    let name = format!("{folder}/{}-{}", format!("{sources:?}").to_lowercase(), compiler.name());
    Subject::new(name, &["handlers"], move |binary| {
        Ok(handlers(binary, compiled_group(folder, sources, compiler)?))
    })
}

fn of_file(path: &'static str, compiler: Compiler) -> Subject {
    let stem = Path::new(path).with_extension("");
    let name = format!("{}-{}", stem.display(), compiler.name());
    Subject::new(name, &["handlers"], move |binary| {
        let job = Job::of([root().join("fixtures").join(path)]);
        Ok(handlers(binary, compiler.compile(&job)?))
    })
}

/// The question which pairs and filtered handlers a class folder has.
fn handlers(binary: &Path, classes: PathBuf) -> Prepared {
    let binary = binary.to_path_buf();
    Prepared::new((), vec![("<classes>", classes.clone())], move |_| {
        let mut command = Command::new(&binary);
        command.args(["handlers", "--json", "--filtered"]).arg(&classes);
        Ok((command, None))
    })
}

/// The class folder of all fixtures of a folder that this compiler can compile.
pub(super) fn compiled_group(folder: &str, sources: Sources, compiler: Compiler) -> Result<PathBuf> {
    compiler.compile(&job_of(folder, sources, compiler)?)
}

fn job_of(folder: &str, sources: Sources, compiler: Compiler) -> Result<Job> {
    let folder = root().join("fixtures").join(folder);
    let mut job = Job::default();
    match sources {
        Sources::Kotlin => job.sources = files_with_extension(&folder.join("kotlin"), "kt")?,
        Sources::Lombok => {
            job.sources = files_with_extension(&folder.join("lombok"), "java")?;
            job.processors = pinned::jars(&[pinned::LOMBOK])?;
            job.class_path.clone_from(&job.processors);
        }
        Sources::Java => {
            for file in files_below(&folder)? {
                let is_plain = file.extension() == Some("java".as_ref())
                    && file.parent().is_some_and(|parent| !parent.ends_with("lombok"));
                if is_plain && level_of(&file)? <= compiler.level() {
                    job.sources.push(file);
                }
            }
        }
    }
    Ok(job)
}
