//! Any class of a class path by its name, without reading the others.
//!
//! Opening reads folders, directories of archives and the index of a JDK image, and no class. A class is unpacked when
//! its bytes are asked for, once; what lies uncompressed in a jar or image is never copied.

use std::hash::Hasher;
use std::io::Cursor;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustc_hash::{FxHashMap, FxHasher};
use zip::ZipArchive;

use crate::archive::{stored_range, unpack};
use crate::folder::read_file;
use crate::jimage::{Image, ImageClass};
use crate::origin::Origin;
use crate::shared::Shared;
use crate::visit::{Limits, LoadOptions, Problem};

pub(crate) type Zip = ZipArchive<Cursor<Shared>>;

/// One element of a class path, by its place: those given in their order, each followed by what its manifest and the
/// archives in it bring; the JDK last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub u32);

/// An element of a class path.
#[derive(Debug)]
pub struct Entry {
    pub origin: Origin,
    /// Index of the given path that it is or came with; nothing for the JDK.
    pub given: Option<usize>,
    /// Its classes in [`ClassPath::classes`].
    pub(crate) classes: Range<u32>,
    pub(crate) container: Container,
}

/// The container of an entry's bytes.
#[derive(Debug)]
pub(crate) enum Container {
    Folder(PathBuf),
    /// An archive and the class folder in it, with its final slash.
    Archive {
        bytes: Shared,
        zip: Box<Zip>,
        root: &'static str,
    },
    Image(Shared),
}

/// The place of one class in its container.
#[derive(Debug)]
pub(crate) enum ClassOrigin {
    File(PathBuf),
    ZipEntry(usize),
    Image(ImageClass),
}

#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) name: Range<u32>,
    pub(crate) entry: EntryId,
    pub(crate) place: ClassOrigin,
    /// The next class whose name has the same hash.
    pub(crate) next: Option<u32>,
    pub(crate) loaded: OnceLock<Result<Vec<u8>, String>>,
}

/// Classes and resources by name. Can be asked from several threads.
#[derive(Debug, Default)]
pub struct ClassPath {
    pub(crate) entries: Vec<Entry>,
    pub(crate) names: Vec<u8>,
    pub(crate) classes: Vec<Class>,
    /// By hash of the name: the first class with it.
    pub(crate) first: FxHashMap<u64, u32>,
    /// The `module-info` of each module of the image, with the module's name.
    pub(crate) modules: Vec<(String, u32)>,
    pub(crate) problems: Vec<Problem>,
    pub(crate) limits: Limits,
}

/// A class that is there.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    class_path: &'a ClassPath,
    class: &'a Class,
}

impl ClassPath {
    /// Opens folders, jars, wars and class path files in the order given, then the JDK: its home or its image. Paths
    /// that cannot be read are problems.
    pub fn open(paths: &[PathBuf], jdk: Option<&Path>, options: &LoadOptions) -> Self {
        crate::class_path_open::open(paths, jdk, options)
    }

    /// Elements that could not be opened and are left out.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    pub fn entries(&self) -> impl Iterator<Item = (EntryId, &Entry)> {
        (0..).map(EntryId).zip(&self.entries)
    }

    pub fn entry(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(id.0 as usize)
    }

    /// The class that a class loader would find under this internal name (`java/lang/String`): the first. Module
    /// descriptors are not classes; see [`Self::modules`].
    pub fn find(&self, name: &[u8]) -> Option<Found<'_>> {
        self.find_within(name, |_| true)
    }

    /// The same where the class path consists of some of its entries only.
    pub fn find_within(&self, name: &[u8], is_there: impl Fn(EntryId) -> bool) -> Option<Found<'_>> {
        let mut at = self.first.get(&hash(name)).copied();
        while let Some(class) = at.and_then(|at| self.classes.get(at as usize)) {
            if self.name(class) == name && is_there(class.entry) {
                return Some(Found { class_path: self, class });
            }
            at = class.next;
        }
        None
    }

    /// All classes of one entry, also those that an earlier entry hides.
    pub fn classes(&self, entry: EntryId) -> impl ExactSizeIterator<Item = Found<'_>> {
        let range = self.entry(entry).map(|entry| entry.classes.clone()).unwrap_or_default();
        let classes = self.classes.get(range.start as usize..range.end as usize).unwrap_or_default();
        classes.iter().map(|class| Found { class_path: self, class })
    }

    /// The modules of the JDK image, each with its name and descriptor (`module-info`).
    pub fn modules(&self) -> impl Iterator<Item = (&str, Found<'_>)> {
        self.modules.iter().filter_map(|(module, class)| {
            let class = self.classes.get(*class as usize)?;
            Some((module.as_str(), Found { class_path: self, class }))
        })
    }

    /// A file such as `META-INF/services/java.sql.Driver` of every entry that has it, in order. Not those in the JDK
    /// image.
    pub fn resources(&self, name: &str) -> Vec<(EntryId, Result<Vec<u8>, String>)> {
        let entries = (0..).map(EntryId).zip(&self.entries);
        entries.filter_map(|(id, entry)| Some((id, self.resource(entry, name)?))).collect()
    }

    /// All bytes of an entry that is one file; nothing for folders.
    pub fn bytes(&self, entry: EntryId) -> Option<&[u8]> {
        match &self.entry(entry)?.container {
            Container::Folder(_) => None,
            Container::Archive { bytes, .. } | Container::Image(bytes) => Some(bytes.as_ref()),
        }
    }

    /// The folder that an entry is, if it is one.
    pub fn folder(&self, entry: EntryId) -> Option<&Path> {
        match &self.entry(entry)?.container {
            Container::Folder(root) => Some(root),
            Container::Archive { .. } | Container::Image(_) => None,
        }
    }

    pub(crate) fn name(&self, class: &Class) -> &[u8] {
        self.names.get(class.name.start as usize..class.name.end as usize).unwrap_or_default()
    }

    fn resource(&self, entry: &Entry, name: &str) -> Option<Result<Vec<u8>, String>> {
        let limit = self.limits.class_bytes;
        let mut bytes = Vec::new();
        let read = match &entry.container {
            Container::Folder(root) => {
                // A name is a path below the folder and nothing else.
                let is_below = name.split('/').all(|part| !matches!(part, "" | "." | ".."));
                let path = Some(root.join(name)).filter(|path| is_below && path.is_file())?;
                read_file(&path, limit, &mut bytes).map_err(|error| error.to_string())
            }
            Container::Archive { zip, root, .. } => {
                let index = zip.index_for_name(&format!("{root}{name}"))?;
                unpack(&mut zip.as_ref().clone(), index, limit, &mut bytes)
            }
            Container::Image(_) => return None,
        };
        Some(read.map(|()| bytes))
    }

    fn load(&self, class: &Class) -> Result<Vec<u8>, String> {
        let limit = self.limits.class_bytes;
        let mut bytes = Vec::new();
        match (&class.place, self.entry(class.entry).map(|entry| &entry.container)) {
            (ClassOrigin::File(path), _) => {
                read_file(path, limit, &mut bytes).map_err(|error| error.to_string())?;
            }
            (ClassOrigin::ZipEntry(index), Some(Container::Archive { zip, .. })) => {
                unpack(&mut zip.as_ref().clone(), *index, limit, &mut bytes)?;
            }
            (ClassOrigin::Image(location), Some(Container::Image(image))) => {
                let image = Image::open(image.as_ref()).map_err(|error| error.to_string())?;
                let class = image.class_bytes(location, limit).map_err(|error| error.to_string())?;
                bytes = class.into_owned();
            }
            _ => return Err("not in its container".to_owned()),
        }
        Ok(bytes)
    }

    /// The bytes of a class that lies uncompressed in a mapped file.
    fn stored(&self, class: &Class) -> Option<&[u8]> {
        match (&class.place, &self.entry(class.entry)?.container) {
            (ClassOrigin::Image(location), Container::Image(image)) => {
                Image::open(image.as_ref()).ok()?.stored_bytes(location, self.limits.class_bytes)
            }
            (ClassOrigin::ZipEntry(index), Container::Archive { bytes, zip, .. }) => {
                let range = stored_range(&mut zip.as_ref().clone(), *index)?;
                bytes.as_ref().get(range)
            }
            _ => None,
        }
    }
}

impl<'a> Found<'a> {
    /// The internal name.
    pub fn name(&self) -> &'a [u8] {
        self.class_path.name(self.class)
    }

    pub fn entry(&self) -> EntryId {
        self.class.entry
    }

    /// The bytes of the class, or why they cannot be read. Unpacked when first asked for.
    pub fn bytes(&self) -> Result<&'a [u8], &'a str> {
        let Found { class_path, class } = *self;
        if class.loaded.get().is_none()
            && let Some(stored) = class_path.stored(class)
        {
            return Ok(stored);
        }
        let loaded = class.loaded.get_or_init(|| class_path.load(class));
        loaded.as_deref().map_err(String::as_str)
    }
}

pub(crate) fn hash(name: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(name);
    hasher.finish()
}
