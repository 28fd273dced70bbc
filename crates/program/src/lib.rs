//! A class path and a JDK as one model.
//!
//! The one place that knows where classes lie on disk. [`visit`] streams the bytes of every class of a folder, jar,
//! war, ear, jmod, JDK image or single file to a visitor, in class path order; a [`ClassPath`] finds single classes by
//! name. Nobody here looks inside a class. What cannot be read becomes a [`Problem`] in the report; only a path that is
//! nothing we know is an error.
//!
//! ```
//! use catchment_program::{LoadOptions, visit};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path();
//! # std::fs::write(path.join("A.class"), [0xca, 0xfe, 0xba, 0xbe])?;
//! let report = visit(path, &LoadOptions::default(), &mut |class| {
//!     println!("{}: {} bytes", class.place(), class.bytes.len());
//! })?;
//! for problem in &report.problems {
//!     eprintln!("{problem}");
//! }
//! # assert_eq!(report.classes, 1);
//! # Ok(())
//! # }
//! ```

mod archive;
mod class_path;
mod class_path_open;
mod folder;
mod java_home;
mod jimage;
mod layout;
mod manifest;
mod mapped;
mod nested;
mod origin;
mod project;
mod shared;
mod visit;
mod walk;

pub use archive::holds;
pub use class_path::{ClassPath, Entry, EntryId, Found};
pub use java_home::{JavaHome, find_java_homes, jdk_image};
pub use jimage::ImageError;
pub use origin::Origin;
pub use project::{application_roots, test_roots};
pub use visit::{
    ClassBytes, Limits, LoadError, LoadOptions, LoadReport, NEWEST_RELEASE, Problem, ReadError, visit,
};
