//! The JDK's image file `lib/modules`: its index of resources.
//!
//! ```text
//! header     magic CAFEDADA, version, flags, resource count, table length, locations size, strings size (u4 each)
//! redirects  table length * u4      perfect hash of names; not needed to read everything
//! offsets    table length * u4      where each location starts, one slot per resource
//! locations  per resource: (kind << 3 | length - 1) and `length` bytes, big endian, up to a kind of 0
//! strings    modified UTF-8, each ended by a zero byte; locations and compressed classes point here
//! resources  the bytes, compressed or not
//! ```
//!
//! The byte order of all but the locations is that of the machine the image was made for; the magic tells it.
//! Nothing in the file is trusted: every read is checked.

pub(crate) mod classes;
mod compression;

use crate::jimage::compression::{Unpacker, unpack};
use std::borrow::Cow;

const MAGIC: u32 = 0xcafe_dada;
const HEADER_LENGTH: usize = 7 * 4;
const MAJOR_VERSION: u32 = 1;

/// The extension of class files, and thereby of the resources we want.
const CLASS: &[u8] = b"class";

/// Kinds of attributes of a location. Those after `UNPACKED_SIZE` are newer than what we need and skipped.
mod attribute {
    pub(super) const END: usize = 0;
    pub(super) const MODULE: usize = 1;
    pub(super) const PARENT: usize = 2;
    pub(super) const BASE: usize = 3;
    pub(super) const EXTENSION: usize = 4;
    pub(super) const OFFSET: usize = 5;
    pub(super) const PACKED_SIZE: usize = 6;
    pub(super) const UNPACKED_SIZE: usize = 7;
    pub(super) const COUNT: usize = 8;
}

/// Why an image, or one resource of it, cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    #[error("not a JDK image")]
    Magic,
    #[error("JDK image of unknown version {major}.{minor}")]
    Version { major: u32, minor: u32 },
    #[error("damaged JDK image: {what} lies outside of it")]
    OutOfBounds { what: &'static str },
    #[error("damaged JDK image: {what}")]
    Malformed { what: &'static str },
    #[error("compressed by an unknown method ({0})")]
    UnknownCompression(String),
    #[error("cannot unpack it: {0}")]
    Zip(String),
    #[error("larger than {limit} bytes")]
    TooLarge { limit: u64 },
}

/// A view on an image in memory.
pub(crate) struct Image<'a> {
    order: ByteOrder,
    offsets: &'a [u8],
    locations: &'a [u8],
    strings: Strings<'a>,
    resources: &'a [u8],
}

/// The index entry of one class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ImageClass {
    /// Offset of the module's name in the strings.
    pub(crate) module: u64,
    parent: u64,
    base: u64,
    pub(crate) offset: u64,
    packed_size: u64,
    unpacked_size: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

impl ByteOrder {
    pub(crate) fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }

    pub(crate) fn u64(self, bytes: [u8; 8]) -> u64 {
        match self {
            Self::Little => u64::from_le_bytes(bytes),
            Self::Big => u64::from_be_bytes(bytes),
        }
    }
}

/// The string table.
#[derive(Clone, Copy)]
pub(crate) struct Strings<'a>(&'a [u8]);

impl<'a> Strings<'a> {
    pub(crate) fn at(self, offset: u64) -> Result<&'a [u8], ImageError> {
        let tail = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..));
        let tail = tail.ok_or(ImageError::OutOfBounds { what: "a string" })?;
        let end = tail
            .iter()
            .position(|&byte| byte == 0)
            .ok_or(ImageError::OutOfBounds { what: "a string's end" })?;
        Ok(&tail[..end])
    }
}

pub(crate) fn has_image_magic(bytes: &[u8]) -> bool {
    byte_order(bytes).is_some()
}

fn byte_order(bytes: &[u8]) -> Option<ByteOrder> {
    let magic = *bytes.first_chunk()?;
    [ByteOrder::Little, ByteOrder::Big].into_iter().find(|order| order.u32(magic) == MAGIC)
}

impl<'a> Image<'a> {
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, ImageError> {
        let order = byte_order(bytes).ok_or(ImageError::Magic)?;
        let (header, rest) = split(bytes, HEADER_LENGTH as u64, "the header")?;
        let (fields, _) = header.as_chunks::<4>();
        let &[_, version, _flags, _count, table_length, locations_size, strings_size] = fields else {
            return Err(ImageError::OutOfBounds { what: "the header" });
        };
        check_version(order.u32(version))?;
        let table_size = u64::from(order.u32(table_length)) * 4;
        let (_redirects, rest) = split(rest, table_size, "the redirect table")?;
        let (offsets, rest) = split(rest, table_size, "the offset table")?;
        let (locations, rest) = split(rest, order.u32(locations_size).into(), "the location table")?;
        let (strings, resources) = split(rest, order.u32(strings_size).into(), "the string table")?;
        Ok(Self { order, offsets, locations, strings: Strings(strings), resources })
    }

    /// The index entries of all classes in hash order; an error stands for one entry that cannot be read.
    pub(crate) fn classes(&self) -> impl Iterator<Item = Result<ImageClass, ImageError>> {
        let (slots, _) = self.offsets.as_chunks::<4>();
        slots.iter().filter_map(|slot| self.class_at(self.order.u32(*slot)).transpose())
    }

    pub(crate) fn module_name(&self, class: &ImageClass) -> Result<Cow<'a, str>, ImageError> {
        Ok(String::from_utf8_lossy(self.strings.at(class.module)?))
    }

    /// Writes `java/lang/Object.class` into `into`.
    pub(crate) fn write_entry_name(&self, class: &ImageClass, into: &mut String) -> Result<(), ImageError> {
        into.clear();
        let parent = self.strings.at(class.parent)?;
        if !parent.is_empty() {
            into.push_str(&String::from_utf8_lossy(parent));
            into.push('/');
        }
        into.push_str(&String::from_utf8_lossy(self.strings.at(class.base)?));
        into.push_str(".class");
        Ok(())
    }

    /// The bytes of a class, borrowed from the image if they lie there uncompressed.
    pub(crate) fn class_bytes(&self, class: &ImageClass, limit: u64) -> Result<Cow<'a, [u8]>, ImageError> {
        let stored = self.bytes_at(class, limit)?;
        if class.packed_size == 0 {
            return Ok(Cow::Borrowed(stored));
        }
        let bytes = unpack(stored, &Unpacker { order: self.order, strings: self.strings, limit })?;
        if bytes.len() as u64 == class.unpacked_size {
            Ok(bytes)
        } else {
            Err(ImageError::Malformed { what: "a class has another size than its index entry says" })
        }
    }

    /// The bytes of a class that lies uncompressed in the image.
    pub(crate) fn stored_bytes(&self, class: &ImageClass, limit: u64) -> Option<&'a [u8]> {
        if class.packed_size == 0 { self.bytes_at(class, limit).ok() } else { None }
    }

    fn bytes_at(&self, class: &ImageClass, limit: u64) -> Result<&'a [u8], ImageError> {
        let size = if class.packed_size != 0 { class.packed_size } else { class.unpacked_size };
        if size > limit {
            return Err(ImageError::TooLarge { limit });
        }
        let (_, tail) = split(self.resources, class.offset, "a class")?;
        Ok(split(tail, size, "a class")?.0)
    }

    /// The entry at `offset`, or nothing if it is no class of a module.
    fn class_at(&self, offset: u32) -> Result<Option<ImageClass>, ImageError> {
        let attributes = self.attributes(offset)?;
        // Besides resources of modules the index lists folders, below the invented modules `modules`, `packages` and
        // "".
        let is_class = self.strings.at(attributes[attribute::EXTENSION])? == CLASS
            && !matches!(self.strings.at(attributes[attribute::MODULE])?, b"" | b"modules" | b"packages");
        Ok(is_class.then(|| ImageClass {
            module: attributes[attribute::MODULE],
            parent: attributes[attribute::PARENT],
            base: attributes[attribute::BASE],
            offset: attributes[attribute::OFFSET],
            packed_size: attributes[attribute::PACKED_SIZE],
            unpacked_size: attributes[attribute::UNPACKED_SIZE],
        }))
    }

    fn attributes(&self, offset: u32) -> Result<[u64; attribute::COUNT], ImageError> {
        let (_, mut rest) = split(self.locations, offset.into(), "an index entry")?;
        let mut attributes = [0; attribute::COUNT];
        loop {
            let (&head, tail) =
                rest.split_first().ok_or(ImageError::OutOfBounds { what: "an index entry" })?;
            let kind = usize::from(head >> 3);
            if kind == attribute::END {
                return Ok(attributes);
            }
            let length = u64::from(head & 0b111) + 1;
            let (value, tail) = split(tail, length, "an index entry")?;
            if let Some(attribute) = attributes.get_mut(kind) {
                *attribute = value.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
            }
            rest = tail;
        }
    }
}

fn check_version(version: u32) -> Result<(), ImageError> {
    let (major, minor) = (version >> 16, version & 0xffff);
    if major == MAJOR_VERSION { Ok(()) } else { Err(ImageError::Version { major, minor }) }
}

/// `bytes` cut after `length`, an error if it is shorter.
pub(crate) fn split<'a>(
    bytes: &'a [u8],
    length: u64,
    what: &'static str,
) -> Result<(&'a [u8], &'a [u8]), ImageError> {
    usize::try_from(length)
        .ok()
        .and_then(|length| bytes.split_at_checked(length))
        .ok_or(ImageError::OutOfBounds { what })
}
