//! Classes of a folder: a class folder, or a war or Spring Boot jar that was unpacked.
//!
//! Versioned folders (`META-INF/versions`) count for jars only, as in the JVM.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::layout::{ClassPlace, Layout, LayoutPart};
use crate::origin::Origin;
use crate::visit::{ClassBytes, Loader, ReadError, visit_path};
use crate::walk::{Met, walk};

/// Gives all classes below `root` to the loader, then those of its library folders.
pub(crate) fn visit_folder(root: &Path, loader: &mut Loader<'_>) {
    let mut folder =
        Folder { root, class_roots: FxHashMap::default(), libraries: Vec::new(), bytes: Vec::new() };
    // Never stopped early, so the result says nothing.
    let _ = walk(root, &mut |met| {
        folder.meet(met, loader);
        ControlFlow::Continue(())
    });
    for library in folder.libraries {
        if let Err(error) = visit_path(&library, loader) {
            loader.problem(&Origin::file(&library), "", error);
        }
    }
}

struct Folder<'a> {
    root: &'a Path,
    class_roots: FxHashMap<&'static str, Origin>,
    libraries: Vec<PathBuf>,
    /// The class under way; kept to use its memory again.
    bytes: Vec<u8>,
}

impl Folder<'_> {
    fn meet(&mut self, met: Met<'_>, loader: &mut Loader<'_>) {
        match met {
            Met::File(path) => {
                let name = relative_name(self.root, path);
                match Layout::Jar.place_of(&name) {
                    LayoutPart::Class(class) => self.visit_class(path, class, loader),
                    LayoutPart::Archive => self.libraries.push(path.to_owned()),
                    LayoutPart::Other => {}
                }
            }
            Met::Unreadable(path, error) => loader.problem(&Origin::folder(path), "", ReadError::from(error)),
        }
    }

    fn visit_class(&mut self, path: &Path, class: ClassPlace<'_>, loader: &mut Loader<'_>) {
        if class.release.is_some() && !loader.options.all_versions {
            return;
        }
        let origin =
            self.class_roots.entry(class.root).or_insert_with(|| class_root_origin(self.root, class.root));
        match read_file(path, loader.options.limits.class_bytes, &mut self.bytes) {
            Ok(()) => {
                let ClassPlace { entry, release, .. } = class;
                loader.class(ClassBytes { origin, entry, release, bytes: &self.bytes });
            }
            Err(error) => loader.problem(origin, class.entry, error),
        }
    }
}

pub(crate) fn class_root_origin(root: &Path, class_root: &str) -> Origin {
    match class_root.trim_end_matches('/') {
        "" => Origin::folder(root),
        class_root => Origin::folder(&root.join(class_root)),
    }
}

pub(crate) fn read_file(path: &Path, limit: u64, into: &mut Vec<u8>) -> Result<(), ReadError> {
    into.clear();
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(into)?;
    if into.len() as u64 > limit { Err(ReadError::TooLarge { limit }) } else { Ok(()) }
}

/// The path below `root` with forward slashes, as archives write it.
pub(crate) fn relative_name<'a>(root: &Path, path: &'a Path) -> Cow<'a, str> {
    let relative = path.strip_prefix(root).unwrap_or(path).to_string_lossy();
    if cfg!(windows) { Cow::Owned(relative.replace('\\', "/")) } else { relative }
}
