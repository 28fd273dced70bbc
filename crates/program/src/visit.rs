//! The front door: streams every class of a path to a visitor and reports what could not be read.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::archive::visit_archive;
use crate::folder::visit_folder;
use crate::jimage::classes::visit_image;
use crate::jimage::{ImageError, has_image_magic};
use crate::layout::{is_archive_name, unversioned_name};
use crate::mapped::map_file;
use crate::nested::NestedBudget;
use crate::origin::Origin;

/// The newest Java release whose class files are known here.
pub const NEWEST_RELEASE: u32 = 25;

const CLASS_MAGIC: &[u8] = &[0xca, 0xfe, 0xba, 0xbe];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadOptions {
    /// The Java release whose view of a multi-release jar is wanted: per class the highest version up to this.
    pub release: u32,
    /// Visit every version of a class in a jar, whatever the manifest says. For looking at many classes, not for
    /// modelling one program.
    pub all_versions: bool,
    pub limits: Limits,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { release: NEWEST_RELEASE, all_versions: false, limits: Limits::default() }
    }
}

/// Bounds that no honest program meets, so that a hostile archive costs a problem entry and not the memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    pub class_bytes: u64,
    /// For a compressed archive inside an archive; it is unpacked to memory.
    pub nested_archive_bytes: u64,
    /// Archives inside each other, the outermost not counted.
    pub nesting: usize,
    /// All archives inside one file, however they are nested.
    pub nested_archives: usize,
    /// The entries of all archives inside one file.
    pub nested_entries: usize,
    /// All that is unpacked of archives inside one file, and of what is in them: so many bytes ...
    pub nested_bytes: u64,
    /// ... and so many for each byte of the file. Honest archives hold some three times their size.
    pub nested_bytes_per_byte: u64,
    /// Classes of one path. A few kilobytes of nested archives can hold any number.
    pub classes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            class_bytes: 64 << 20,
            nested_archive_bytes: 512 << 20,
            nesting: 4,
            nested_archives: 10_000,
            nested_entries: 1_000_000,
            nested_bytes: 64 << 20,
            nested_bytes_per_byte: 32,
            classes: 2_000_000,
        }
    }
}

/// One class as it lies in its container. Not checked to be a class at all: that is the parser's work.
#[derive(Clone, Copy, Debug)]
pub struct ClassBytes<'a> {
    /// The class path element; clone it to keep it.
    pub origin: &'a Origin,
    /// The entry inside `origin`, for example `META-INF/versions/11/com/acme/Foo.class`.
    pub entry: &'a str,
    /// `Some(11)` for the version of a multi-release jar above.
    pub release: Option<u32>,
    pub bytes: &'a [u8],
}

impl<'a> ClassBytes<'a> {
    /// The internal name (`com/acme/Foo`) that the place promises; the bytes may say otherwise.
    pub fn expected_name(&self) -> &'a str {
        unversioned_name(self.entry)
    }

    /// Container and entry in one, for messages.
    pub fn place(&self) -> String {
        self.origin.place(self.entry)
    }
}

/// Something that could not be read and was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub origin: Origin,
    /// The entry inside `origin`; empty if all of it is meant.
    pub entry: String,
    pub what: String,
}

impl Problem {
    /// Container and entry in one.
    pub fn place(&self) -> String {
        if self.entry.is_empty() { self.origin.to_string() } else { self.origin.place(&self.entry) }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place(), self.what)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// How many classes the visitor was given.
    pub classes: usize,
    pub problems: Vec<Problem>,
}

/// Why a path gives no classes at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: ReadError },
    #[error("no compiled classes in {}; build it first: {command}{}", path.display(), or_checked(checked.as_deref()))]
    NotBuilt {
        path: PathBuf,
        command: &'static str,
        /// The copy that a check has built, if there is one.
        checked: Option<PathBuf>,
    },
    #[error("no classes and no archives in {}", path.display())]
    NoClasses { path: PathBuf },
}

fn or_checked(copy: Option<&Path>) -> String {
    let instead = |copy: &Path| format!("; or name what the last check has built: {}", copy.display());
    copy.map_or_else(String::new, instead)
}

impl LoadError {
    pub(crate) fn unreadable(path: &Path, reason: impl Into<ReadError>) -> Self {
        Self::Unreadable { path: path.to_owned(), reason: reason.into() }
    }
}

/// Why a container cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("no such file or folder")]
    Missing,
    #[error("{0}")]
    Io(io::Error),
    #[error("neither a file nor a folder")]
    SpecialFile,
    #[error("not a zip archive")]
    NotAZip,
    #[error("damaged zip archive")]
    DamagedZip,
    #[error("unsupported zip archive: {0}")]
    UnsupportedZip(String),
    #[error("not a class file")]
    NotAClass,
    #[error("not a jar, class file, class folder or JDK image")]
    UnknownKind,
    #[error("larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("archives nested deeper than {limit}")]
    TooDeep { limit: usize },
    #[error("the archives inside it hold more than {what}; the rest is left out")]
    TooMuchNested { what: String },
    #[error(transparent)]
    Image(#[from] ImageError),
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::NotFound { Self::Missing } else { Self::Io(error) }
    }
}

/// Gives every class below `path` to `sink`: a class folder, jar (multi-release, Spring Boot), war, ear, jmod, JDK
/// image (`lib/modules`) or class file, told apart by content.
///
/// The order is that of a class path and the same in every run: sorted in folders, central directory in archives,
/// own classes before those of nested archives. Classes of the same name are all given; the first would win. The
/// bytes live only during the call, so memory stays small for programs of any size.
pub fn visit(
    path: &Path,
    options: &LoadOptions,
    sink: &mut dyn FnMut(ClassBytes<'_>),
) -> Result<LoadReport, LoadError> {
    let nested = NestedBudget::of_file(&options.limits, 0);
    let mut loader = Loader { options, sink, report: LoadReport::default(), nested };
    visit_path(path, &mut loader).map_err(|reason| LoadError::unreadable(path, reason))?;
    Ok(loader.report)
}

/// State of one visit, through all containers.
pub(crate) struct Loader<'a> {
    pub(crate) options: &'a LoadOptions,
    sink: &'a mut dyn FnMut(ClassBytes<'_>),
    report: LoadReport,
    /// Of the file under way.
    pub(crate) nested: NestedBudget,
}

impl Loader<'_> {
    pub(crate) fn class(&mut self, class: ClassBytes<'_>) {
        if self.is_full() {
            return;
        }
        self.report.classes += 1;
        (self.sink)(class);
        if self.is_full() {
            self.problem(
                class.origin,
                "",
                format!("more than {} classes; the rest is left out", self.report.classes),
            );
        }
    }

    /// Tells whether there were as many classes as the limits allow; later ones need not be unpacked.
    pub(crate) fn is_full(&self) -> bool {
        self.report.classes >= self.options.limits.classes
    }

    /// This archive, or the rest of it, is left out: the archives in its file hold too much.
    pub(crate) fn leave_out_nested(&mut self, origin: &Origin) {
        if let Some(problem) = self.nested.problem() {
            self.problem(origin, "", problem);
        }
    }

    pub(crate) fn problem(&mut self, origin: &Origin, entry: &str, what: impl ToString) {
        let problem = Problem { origin: origin.clone(), entry: entry.to_owned(), what: what.to_string() };
        self.report.problems.push(problem);
    }
}

/// Like [`visit`], inside a visit that is under way.
pub(crate) fn visit_path(path: &Path, loader: &mut Loader<'_>) -> Result<(), ReadError> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        visit_folder(path, loader);
        Ok(())
    } else if metadata.is_file() {
        visit_file(path, loader)
    } else {
        // A pipe or device would block or never end.
        Err(ReadError::SpecialFile)
    }
}

fn visit_file(path: &Path, loader: &mut Loader<'_>) -> Result<(), ReadError> {
    let bytes = map_file(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if bytes.starts_with(CLASS_MAGIC) {
        visit_class_file(path, &name, &bytes, loader)
    } else if has_image_magic(&bytes) {
        Ok(visit_image(&bytes, &Origin::file(path), loader)?)
    } else {
        loader.nested = NestedBudget::of_file(&loader.options.limits, bytes.len());
        let result = visit_archive(&bytes, &Origin::file(path), 0, loader);
        result.map_err(|error| name_the_expected_kind(error, &name))
    }
}

fn visit_class_file(path: &Path, name: &str, bytes: &[u8], loader: &mut Loader<'_>) -> Result<(), ReadError> {
    let limit = loader.options.limits.class_bytes;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    let origin = Origin::folder(path.parent().unwrap_or(Path::new("")));
    loader.class(ClassBytes { origin: &origin, entry: name, release: None, bytes });
    Ok(())
}

/// Every unknown file is tried as a zip, since archives may start with a script; the message follows the name.
fn name_the_expected_kind(error: ReadError, file_name: &str) -> ReadError {
    match error {
        ReadError::NotAZip if file_name.ends_with(".class") => ReadError::NotAClass,
        ReadError::NotAZip if !is_archive_name(file_name) => ReadError::UnknownKind,
        other => other,
    }
}
