//! The loader as its users see it: containers of every kind, whole and damaged, read through [`visit`].

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop there")]

mod archives;
mod class_path;
mod damage;
mod files;
mod image_builder;
mod images;
mod jdks;
mod zips;

use std::path::{Path, PathBuf};

use catchment_program::{LoadError, LoadOptions, LoadReport, visit};

/// A folder for one test's containers.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Text about this folder without the part that differs from run to run.
    fn relative(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.folder.path().display()), "")
    }

    /// Visits a path of this folder.
    fn load(&self, name: &str, options: &LoadOptions) -> Loaded {
        let mut classes = Vec::new();
        let report = visit(&self.folder.path().join(name), options, &mut |class| {
            classes.push(Class {
                place: self.relative(&class.place()),
                name: class.expected_name().to_owned(),
                release: class.release,
                bytes: class.bytes.to_vec(),
            });
        });
        let LoadReport { classes: count, problems } = report.unwrap();
        assert_eq!(count, classes.len());
        let problems = problems.iter().map(|problem| self.relative(&problem.to_string())).collect();
        Loaded { classes, problems }
    }
}

struct Class {
    place: String,
    name: String,
    release: Option<u32>,
    bytes: Vec<u8>,
}

struct Loaded {
    classes: Vec<Class>,
    problems: Vec<String>,
}

impl Loaded {
    /// Origins of the classes, in the order of the visit.
    fn places(&self) -> Vec<&str> {
        self.classes.iter().map(|class| class.place.as_str()).collect()
    }
}

/// The one line a user reads for a path that gives nothing.
fn error_of(path: &Path) -> String {
    let result: Result<LoadReport, LoadError> = visit(path, &LoadOptions::default(), &mut |_| {});
    result.unwrap_err().to_string()
}

/// Bytes that pass for a class; the loader never looks further than the magic.
fn class_bytes(content: &str) -> Vec<u8> {
    [&[0xca, 0xfe, 0xba, 0xbe], content.as_bytes()].concat()
}
