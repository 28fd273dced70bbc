//! A class path and a JDK as one model.
//!
//! Today this is the loader: the one place that knows where classes lie on disk. It streams the bytes of every
//! class of a folder, jar, war, ear, jmod, JDK image or single file to a visitor, in class path order, and never
//! looks inside a class. What cannot be read becomes a [`Problem`] in the report; only a path that is nothing we
//! know is an error.
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
mod folder;
mod java_home;
mod jimage;
mod jimage_classes;
mod jimage_compression;
mod layout;
mod manifest;
mod mapped;
mod origin;
mod project;
mod visit;
mod walk;

pub use java_home::{JavaHome, find_java_homes, jdk_image};
pub use jimage::ImageError;
pub use origin::Origin;
pub use project::application_roots;
pub use visit::{
    ClassBytes, Limits, LoadError, LoadOptions, LoadReport, NEWEST_RELEASE, Problem, ReadError, visit,
};
