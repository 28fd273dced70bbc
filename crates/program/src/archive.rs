//! Classes of a zip archive: jars of every layout, multi-release jars, archives in archives.
//!
//! Works on bytes; where they come from is the caller's matter. Sizes written in the archive are never trusted: what
//! is unpacked is counted, and everything read is checked against its CRC.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::ops::Range;
use std::path::Path;

use rustc_hash::FxHashMap;
use zip::result::ZipError;
use zip::{CompressionMethod, ZipArchive};

use crate::layout::{ClassPlace, Layout, LayoutPart, unversioned_name};
use crate::manifest::{MANIFEST, is_multi_release};
use crate::nested::NestedBudget;
use crate::origin::Origin;
use crate::visit::{ClassBytes, LoadOptions, Loader, ReadError};

const MANIFEST_LIMIT: u64 = 4 << 20;
const LOCAL_HEADER_MAGIC: &[u8] = b"PK\x03\x04";

type Zip<'a> = ZipArchive<Cursor<&'a [u8]>>;

/// Tells whether a folder or an archive has a file of this name, a path with slashes. Nothing that is nested is looked
/// into.
pub fn holds(place: &Path, file: &str) -> bool {
    if place.is_dir() {
        return place.join(file).is_file();
    }
    let archive = File::open(place).ok().and_then(|bytes| ZipArchive::new(BufReader::new(bytes)).ok());
    archive.is_some_and(|archive| archive.index_for_name(file).is_some())
}

/// Gives all classes of the archive to the loader: its own in central-directory order, then those of the archives
/// in it. `depth` counts the archives around this one.
pub(crate) fn visit_archive(
    bytes: &[u8],
    origin: &Origin,
    depth: usize,
    loader: &mut Loader<'_>,
) -> Result<(), ReadError> {
    let limit = loader.options.limits.nesting;
    if depth > limit {
        return Err(ReadError::TooDeep { limit });
    }
    let zip = open(Cursor::new(bytes))?;
    let names = entry_names(&zip);
    if depth > 0 {
        loader.nested.spend_archive(names.len());
    }
    let layout = Layout::of_archive(&origin.to_string(), names.iter().map(Cow::as_ref));
    let mut archive = Archive { bytes, zip: zip.clone(), origin, depth };
    let places: Vec<LayoutPart<'_>> = names.iter().map(|name| layout.place_of(name)).collect();

    let wanted = archive.wanted_classes(&places, loader);
    archive.visit_classes(&places, &wanted, loader);
    for (index, name) in names.iter().enumerate() {
        if places[index] == LayoutPart::Archive {
            archive.visit_nested(index, name, loader);
        }
    }
    Ok(())
}

struct Archive<'a> {
    bytes: &'a [u8],
    zip: Zip<'a>,
    origin: &'a Origin,
    depth: usize,
}

impl<'a> Archive<'a> {
    fn wanted_classes(&mut self, places: &[LayoutPart<'_>], loader: &mut Loader<'_>) -> Vec<usize> {
        wanted_classes(places, loader.options, || match read_manifest(&mut self.zip) {
            Ok(manifest) => is_multi_release(&manifest),
            Err(what) => {
                loader.problem(self.origin, MANIFEST, what);
                false
            }
        })
    }

    fn visit_classes(&mut self, places: &[LayoutPart<'_>], wanted: &[usize], loader: &mut Loader<'_>) {
        let mut class_roots: FxHashMap<&str, Origin> = FxHashMap::default();
        let mut bytes = Vec::new();
        for &index in wanted {
            let LayoutPart::Class(class) = places[index] else { continue };
            if loader.is_full() || self.is_spent(loader) {
                return;
            }
            if is_folder(&mut self.zip, index) {
                continue;
            }
            let origin = class_roots.entry(class.root).or_insert_with(|| match class.root {
                "" => self.origin.clone(),
                root => self.origin.within(root),
            });
            let unpacked = self.unpack(index, loader.options.limits.class_bytes, &mut bytes);
            if self.depth > 0 {
                loader.nested.spend_bytes(bytes.len());
            }
            match unpacked {
                Ok(()) => {
                    let ClassPlace { entry, release, .. } = class;
                    loader.class(ClassBytes { origin, entry, release, bytes: &bytes });
                }
                Err(what) => loader.problem(origin, class.entry, what),
            }
        }
    }

    fn visit_nested(&mut self, index: usize, name: &str, loader: &mut Loader<'_>) {
        if loader.is_full() {
            return;
        }
        let origin = self.origin.within(name);
        if loader.nested.is_spent() {
            return loader.leave_out_nested(&origin);
        }
        match self.nested_bytes(index, loader) {
            Ok(_) if loader.nested.is_spent() => loader.leave_out_nested(&origin),
            Ok(bytes) => {
                if let Err(error) = visit_archive(&bytes, &origin, self.depth + 1, loader) {
                    loader.problem(&origin, "", error);
                }
            }
            Err(what) => loader.problem(&origin, "", what),
        }
    }

    /// Told here, if nobody was told: there may be no other archive behind this one.
    fn is_spent(&self, loader: &mut Loader<'_>) -> bool {
        let is_spent = self.depth > 0 && loader.nested.is_spent();
        if is_spent {
            loader.leave_out_nested(self.origin);
        }
        is_spent
    }

    /// Spring Boot stores its libraries uncompressed; those are read where they lie. Their own entries have CRCs.
    fn nested_bytes(&mut self, index: usize, loader: &mut Loader<'_>) -> Result<Cow<'a, [u8]>, String> {
        if let Some(stored) = self.stored_bytes(index) {
            return Ok(Cow::Borrowed(stored));
        }
        let limit = loader.options.limits.nested_archive_bytes;
        let unpacked = unpack_nested(&mut self.zip, index, limit, &mut loader.nested)?;
        Ok(Cow::Owned(unpacked))
    }

    fn stored_bytes(&mut self, index: usize) -> Option<&'a [u8]> {
        self.bytes.get(stored_range(&mut self.zip, index)?)
    }

    fn unpack(&mut self, index: usize, limit: u64, into: &mut Vec<u8>) -> Result<(), String> {
        unpack(&mut self.zip, index, limit, into)
    }
}

/// Indexes of the class entries to visit: all but the versions that another one replaces.
pub(crate) fn wanted_classes(
    places: &[LayoutPart<'_>],
    options: &LoadOptions,
    is_multi_release: impl FnOnce() -> bool,
) -> Vec<usize> {
    let classes = || places.iter().enumerate().filter_map(class_at);
    let has_versions = classes().any(|(_, class)| class.release.is_some());
    if !has_versions || options.all_versions {
        return classes().map(|(index, _)| index).collect();
    }
    if !is_multi_release() {
        return classes().filter(|(_, class)| class.release.is_none()).map(|(index, _)| index).collect();
    }
    let newest = newest_versions(classes().map(|(_, class)| class), options);
    classes()
        .filter(|(_, class)| newest.get(&version_key(class)) == Some(&class.release))
        .map(|(index, _)| index)
        .collect()
}

/// The bytes of the manifest; none if there is no manifest.
pub(crate) fn read_manifest<R: Read + Seek>(zip: &mut ZipArchive<R>) -> Result<Vec<u8>, String> {
    let index = (0..zip.len()).find(|index| zip.name_for_index(*index).is_some_and(is_manifest));
    let mut manifest = Vec::new();
    if let Some(index) = index {
        unpack(zip, index, MANIFEST_LIMIT, &mut manifest)?;
    }
    Ok(manifest)
}

/// The bytes of an entry in the archive, if it lies there as it is.
pub(crate) fn stored_range<R: Read + Seek>(zip: &mut ZipArchive<R>, index: usize) -> Option<Range<usize>> {
    let entry = zip.by_index(index).ok()?;
    if entry.compression() != CompressionMethod::Stored || entry.encrypted() {
        return None;
    }
    let start = usize::try_from(entry.data_start()?).ok()?;
    let length = usize::try_from(entry.size()).ok()?;
    Some(start..start.checked_add(length)?)
}

/// Unpacks an entry into `into`, replacing what was there.
pub(crate) fn unpack<R: Read + Seek>(
    zip: &mut ZipArchive<R>,
    index: usize,
    limit: u64,
    into: &mut Vec<u8>,
) -> Result<(), String> {
    into.clear();
    let entry = zip.by_index(index).map_err(|error| reason(&error))?;
    // One byte more than allowed, to tell a full entry from a cut one.
    entry.take(limit.saturating_add(1)).read_to_end(into).map_err(|error| reason(&ZipError::Io(error)))?;
    if into.len() as u64 > limit { Err(ReadError::TooLarge { limit }.to_string()) } else { Ok(()) }
}

/// Unpacks an archive in an archive. Of one that is larger than all of them together may still be, nothing is given and
/// the budget is spent.
pub(crate) fn unpack_nested<R: Read + Seek>(
    zip: &mut ZipArchive<R>,
    index: usize,
    limit: u64,
    budget: &mut NestedBudget,
) -> Result<Vec<u8>, String> {
    let mut unpacked = Vec::new();
    let left = budget.bytes_left();
    let result = unpack(zip, index, limit.min(left), &mut unpacked);
    if left < limit && unpacked.len() as u64 > left {
        budget.spend_all_bytes();
        return Ok(Vec::new());
    }
    budget.spend_bytes(unpacked.len());
    result.map(|()| unpacked)
}

/// A real folder may be called `x.class/`; only one with bytes is a class.
pub(crate) fn is_folder<R: Read + Seek>(zip: &mut ZipArchive<R>, index: usize) -> bool {
    zip.by_index_data(index).is_ok_and(|entry| entry.is_dir() && entry.size() == 0)
}

pub(crate) fn open<T: AsRef<[u8]>>(bytes: Cursor<T>) -> Result<ZipArchive<Cursor<T>>, ReadError> {
    let is_begun = bytes.get_ref().as_ref().starts_with(LOCAL_HEADER_MAGIC);
    ZipArchive::new(bytes).map_err(|error| match error {
        ZipError::UnsupportedArchive(_) => ReadError::UnsupportedZip(reason(&error)),
        _ if is_begun => ReadError::DamagedZip,
        _ => ReadError::NotAZip,
    })
}

/// Names by index; one that cannot be decoded is no class and no archive.
pub(crate) fn entry_names<R: Read + Seek>(zip: &ZipArchive<R>) -> Vec<Cow<'_, str>> {
    (0..zip.len()).map(|index| zip.name_for_index(index).and_then(Result::ok).unwrap_or_default()).collect()
}

fn is_manifest(name: Result<Cow<'_, str>, ZipError>) -> bool {
    name.is_ok_and(|name| name.eq_ignore_ascii_case(MANIFEST))
}

fn class_at<'p, 'n>((index, place): (usize, &'p LayoutPart<'n>)) -> Option<(usize, &'p ClassPlace<'n>)> {
    match place {
        LayoutPart::Class(class) => Some((index, class)),
        LayoutPart::Archive | LayoutPart::Other => None,
    }
}

/// Classes of different roots are different elements of the class path and do not replace each other.
fn version_key<'n>(class: &ClassPlace<'n>) -> (&'static str, &'n str) {
    (class.root, unversioned_name(class.entry))
}

/// Per class the version that a JVM of the wanted release loads.
fn newest_versions<'p, 'n: 'p>(
    classes: impl Iterator<Item = &'p ClassPlace<'n>>,
    options: &LoadOptions,
) -> FxHashMap<(&'static str, &'n str), Option<u32>> {
    let mut newest = FxHashMap::default();
    for class in classes.filter(|class| class.release.is_none_or(|release| release <= options.release)) {
        let version = newest.entry(version_key(class)).or_insert(class.release);
        *version = (*version).max(class.release);
    }
    newest
}

/// The zip library's words in our style: lower case, without names of its types.
fn reason(error: &ZipError) -> String {
    let text = match error {
        ZipError::InvalidArchive(what) if what.contains("::") => "damaged entry".to_owned(),
        ZipError::InvalidArchive(what) => what.to_string(),
        ZipError::UnsupportedArchive(what) => (*what).to_owned(),
        ZipError::Io(error) => error.to_string(),
        other => other.to_string(),
    };
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
