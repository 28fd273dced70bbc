//! Opens a class path: reads the folders, directories of archives and indexes of images, and no class.

use std::fs;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use crate::archive::{
    entry_names, is_folder, open as open_zip, read_manifest, stored_range, unpack_nested, wanted_classes,
};
use crate::class_path::{Class, ClassOrigin, ClassPath, Container, Entry, EntryId, Zip, hash};
use crate::folder::{class_root_origin, relative_name};
use crate::java_home::platform_archives;
use crate::jimage::{Image, has_image_magic};
use crate::layout::{self, Layout, unversioned_name};
use crate::manifest::{MANIFEST, class_path as manifest_class_path, is_multi_release};
use crate::mapped::map_file;
use crate::nested::NestedBudget;
use crate::origin::Origin;
use crate::shared::Shared;
use crate::visit::{LoadOptions, Problem, ReadError};
use crate::walk::{Met, walk};

const MODULE_INFO: &str = "module-info";

pub(crate) fn open(paths: &[PathBuf], jdk: Option<&Path>, options: &LoadOptions) -> ClassPath {
    let limits = options.limits.clone();
    let class_path = ClassPath { limits, ..ClassPath::default() };
    let nested = NestedBudget::of_file(&options.limits, 0);
    let mut opener =
        Opener { class_path, options, given: None, seen: FxHashSet::default(), is_full: false, nested };
    for (index, path) in paths.iter().enumerate() {
        opener.given = Some(index);
        opener.path(path);
    }
    opener.given = None;
    for archive in jdk.map(platform_archives).unwrap_or_default() {
        opener.path(&archive);
    }
    opener.class_path
}

struct Opener<'o> {
    class_path: ClassPath,
    options: &'o LoadOptions,
    given: Option<usize>,
    /// Real paths, against jars that name each other.
    seen: FxHashSet<PathBuf>,
    /// There were as many classes as the limits allow.
    is_full: bool,
    /// Of the file under way.
    nested: NestedBudget,
}

impl Opener<'_> {
    fn path(&mut self, path: &Path) {
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if !self.seen.insert(real) {
            return;
        }
        let opened = fs::metadata(path).map_err(ReadError::from).and_then(|metadata| {
            if metadata.is_dir() {
                self.folder(path);
                Ok(())
            } else if metadata.is_file() {
                self.file(path)
            } else {
                Err(ReadError::SpecialFile)
            }
        });
        if let Err(error) = opened {
            self.problem(&Origin::file(path), "", error);
        }
    }

    fn problem(&mut self, origin: &Origin, entry: &str, what: impl ToString) {
        let problem = Problem { origin: origin.clone(), entry: entry.to_owned(), what: what.to_string() };
        self.class_path.problems.push(problem);
    }

    fn file(&mut self, path: &Path) -> Result<(), ReadError> {
        let bytes = Shared::mapped(map_file(path)?);
        let origin = Origin::file(path);
        if has_image_magic(bytes.as_ref()) {
            return self.image(bytes, origin);
        }
        self.nested = NestedBudget::of_file(&self.options.limits, bytes.as_ref().len());
        let manifest = self.archive(bytes, &origin, 0)?;
        for relative in manifest_class_path(&manifest) {
            let named = path.parent().unwrap_or(Path::new("")).join(relative);
            // As in the JDK, what is named and not there is no problem.
            if named.exists() {
                self.path(&named);
            }
        }
        Ok(())
    }

    fn begin(&mut self, origin: Origin, container: Container) -> EntryId {
        let first = count(self.class_path.classes.len());
        let id = EntryId(count(self.class_path.entries.len()));
        self.class_path.entries.push(Entry { origin, given: self.given, classes: first..first, container });
        id
    }

    /// Adds a class to the entry that was begun last.
    fn class(&mut self, entry: EntryId, name: &str, place: ClassOrigin) -> Option<u32> {
        let limit = self.options.limits.classes;
        if self.class_path.classes.len() >= limit {
            self.leave_out_the_rest(limit);
            return None;
        }
        let it = &mut self.class_path;
        let start = count(it.names.len());
        it.names.extend_from_slice(name.as_bytes());
        let name_range = start..count(it.names.len());
        let index = count(it.classes.len());
        let is_module = name.rsplit('/').next() == Some(MODULE_INFO);
        it.classes.push(Class { name: name_range, entry, place, next: None, loaded: Default::default() });
        if let Some(entry) = it.entries.get_mut(entry.0 as usize) {
            entry.classes.end = index + 1;
        }
        if !is_module {
            self.index(hash(name.as_bytes()), index);
        }
        Some(index)
    }

    fn leave_out_the_rest(&mut self, limit: usize) {
        let is_said = std::mem::replace(&mut self.is_full, true);
        if let (false, Some(origin)) = (is_said, self.class_path.entries.last().map(|it| it.origin.clone())) {
            self.problem(&origin, "", format!("more than {limit} classes; the rest is left out"));
        }
    }

    /// Classes of the same hash are asked in their order, so that the first of a name wins.
    fn index(&mut self, hash: u64, class: u32) {
        let it = &mut self.class_path;
        let mut at = *it.first.entry(hash).or_insert(class);
        while at != class {
            let Some(known) = it.classes.get_mut(at as usize) else { return };
            at = *known.next.get_or_insert(class);
        }
    }

    fn image(&mut self, bytes: Shared, origin: Origin) -> Result<(), ReadError> {
        let id = self.begin(origin.clone(), Container::Image(bytes.clone()));
        let image = Image::open(bytes.as_ref())?;
        let mut name = String::new();
        let mut locations = Vec::new();
        for location in image.classes() {
            match location {
                Ok(location) => locations.push(location),
                Err(error) => self.problem(&origin, "", error),
            }
        }
        // The index is in hash order; that of the data groups classes by module.
        locations.sort_by_key(|location| location.offset);
        for location in locations {
            if let Err(error) = image.write_entry_name(&location, &mut name) {
                self.problem(&origin, "", error);
                continue;
            }
            let class = name.strip_suffix(".class").unwrap_or(&name);
            let index = self.class(id, class, ClassOrigin::Image(location));
            if let (MODULE_INFO, Some(index)) = (class, index) {
                let module = image.module_name(&location)?.into_owned();
                self.class_path.modules.push((module, index));
            }
        }
        Ok(())
    }

    /// Adds an archive, its class folders and the archives in it as entries; gives its manifest.
    fn archive(&mut self, bytes: Shared, origin: &Origin, depth: usize) -> Result<Vec<u8>, ReadError> {
        let limit = self.options.limits.nesting;
        if depth > limit {
            return Err(ReadError::TooDeep { limit });
        }
        let mut zip = open_zip(Cursor::new(bytes.clone()))?;
        let manifest = read_manifest(&mut zip).unwrap_or_else(|what| {
            self.problem(origin, MANIFEST, what);
            Vec::new()
        });
        let named = zip.clone();
        let names = entry_names(&named);
        if depth > 0 {
            self.nested.spend_archive(names.len());
        }
        let layout = Layout::of_archive(&origin.to_string(), names.iter().map(AsRef::as_ref));
        let places: Vec<layout::LayoutPart<'_>> = names.iter().map(|name| layout.place_of(name)).collect();
        let wanted = wanted_classes(&places, self.options, || is_multi_release(&manifest));
        self.archive_classes(&places, &wanted, &bytes, &mut zip, origin);
        for (index, name) in names.iter().enumerate() {
            if places[index] == layout::LayoutPart::Archive {
                self.nested(&bytes, &mut zip, index, &origin.within(name), depth);
            }
        }
        Ok(manifest)
    }

    /// One entry for each class folder of the archive, its root always.
    fn archive_classes(
        &mut self,
        places: &[layout::LayoutPart<'_>],
        wanted: &[usize],
        bytes: &Shared,
        zip: &mut Zip,
        origin: &Origin,
    ) {
        let mut roots = vec![""];
        for index in wanted {
            if let layout::LayoutPart::Class(class) = places[*index]
                && !roots.contains(&class.root)
            {
                roots.push(class.root);
            }
        }
        for root in roots {
            let origin = if root.is_empty() { origin.clone() } else { origin.within(root) };
            let container = Container::Archive { bytes: bytes.clone(), zip: Box::new(zip.clone()), root };
            let id = self.begin(origin, container);
            for index in wanted {
                if let layout::LayoutPart::Class(class) = places[*index]
                    && class.root == root
                    && !is_folder(zip, *index)
                {
                    self.class(id, unversioned_name(class.entry), ClassOrigin::ZipEntry(*index));
                }
            }
        }
    }

    fn nested(&mut self, bytes: &Shared, zip: &mut Zip, index: usize, origin: &Origin, depth: usize) {
        let limit = self.options.limits.nested_archive_bytes;
        let stored = stored_range(zip, index).and_then(|range| bytes.part(range));
        let inner = match stored {
            _ if self.nested.is_spent() => return self.leave_out_nested(origin),
            Some(stored) => Ok(stored),
            None => unpack_nested(zip, index, limit, &mut self.nested).map(Shared::unpacked),
        };
        if self.nested.is_spent() {
            return self.leave_out_nested(origin);
        }
        let opened =
            inner.and_then(|inner| self.archive(inner, origin, depth + 1).map_err(|error| error.to_string()));
        if let Err(what) = opened {
            self.problem(origin, "", what);
        }
    }

    fn leave_out_nested(&mut self, origin: &Origin) {
        if let Some(problem) = self.nested.problem() {
            self.problem(origin, "", problem);
        }
    }

    fn folder(&mut self, root: &Path) {
        let mut files = Vec::new();
        let mut libraries = Vec::new();
        let mut roots = vec![""];
        // Never stopped early, so the result says nothing.
        let _ = walk(root, &mut |met| {
            match met {
                Met::File(path) => match Layout::Jar.place_of(&relative_name(root, path)) {
                    layout::LayoutPart::Class(class) if class.release.is_none() => {
                        if !roots.contains(&class.root) {
                            roots.push(class.root);
                        }
                        files.push((class.root, class.entry.to_owned(), path.to_owned()));
                    }
                    layout::LayoutPart::Archive => libraries.push(path.to_owned()),
                    layout::LayoutPart::Class(_) | layout::LayoutPart::Other => {}
                },
                Met::Unreadable(path, error) => {
                    self.problem(&Origin::folder(path), "", ReadError::from(error));
                }
            }
            ControlFlow::Continue(())
        });
        for class_root in roots {
            let id =
                self.begin(class_root_origin(root, class_root), Container::Folder(root.join(class_root)));
            for (_, entry, path) in files.iter().filter(|(root, ..)| *root == class_root) {
                self.class(id, unversioned_name(entry), ClassOrigin::File(path.clone()));
            }
        }
        for library in libraries {
            self.path(&library);
        }
    }
}

/// Offsets and counts of what fits in memory as 32 bits; more than that is refused by the limits.
fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
