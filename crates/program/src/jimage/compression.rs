//! Unpacks one compressed resource of a JDK image.
//!
//! `jlink --compress` puts a resource through one or more packers; each leaves a header before its output, so they
//! come off one after the other until no header is left:
//!
//! ```text
//! magic CAFEFAFA u4, packed size u8, unpacked size u8, name of the packer u4, its configuration u4, last u1
//! ```
//!
//! Name and configuration are offsets into the image's strings. Known packers: `zip` (zlib) and `compact-cp`, which
//! moves the strings of constant pools into the image's string table.

use crate::jimage::{ByteOrder, ImageError, Strings, split};
use flate2::read::ZlibDecoder;
use std::borrow::Cow;
use std::io::Read;

const MAGIC: u32 = 0xcafe_fafa;
/// `jlink` has two packers. More layers than this are an attack: zlib streams exist that unpack to themselves.
const MAX_LAYERS: usize = 8;

/// Parts of the image that unpacking needs.
pub(crate) struct Unpacker<'a> {
    pub(crate) order: ByteOrder,
    pub(crate) strings: Strings<'a>,
    /// How large a class may become.
    pub(crate) limit: u64,
}

/// Takes off all layers of `stored`.
pub(crate) fn unpack<'a>(stored: &'a [u8], unpacker: &Unpacker<'_>) -> Result<Cow<'a, [u8]>, ImageError> {
    let mut bytes = Cow::Borrowed(stored);
    for _ in 0..MAX_LAYERS {
        match unpacker.take_off_layer(&bytes)? {
            Some(unpacked) => bytes = Cow::Owned(unpacked),
            None => return Ok(bytes),
        }
    }
    Err(ImageError::Malformed { what: "a class is compressed too many times" })
}

impl Unpacker<'_> {
    fn take_off_layer(&self, bytes: &[u8]) -> Result<Option<Vec<u8>>, ImageError> {
        let mut reader = Reader(bytes);
        // A class begins with CAFEBABE in the class file's order, which is no header in either order.
        if bytes.len() < 4 || self.order.u32(reader.array()?) != MAGIC {
            return Ok(None);
        }
        let packed_size = self.order.u64(reader.array()?);
        let unpacked_size = self.order.u64(reader.array()?);
        let packer = self.strings.at(self.order.u32(reader.array()?).into())?;
        let _configuration_and_last: [u8; 5] = reader.array()?;
        let packed = reader.take(packed_size)?;
        let unpacked = match packer {
            b"zip" => self.unzip(packed)?,
            b"compact-cp" => self.restore_strings(packed)?,
            other => return Err(ImageError::UnknownCompression(String::from_utf8_lossy(other).into_owned())),
        };
        if unpacked.len() as u64 != unpacked_size {
            return Err(ImageError::Malformed { what: "a class unpacks to another size than announced" });
        }
        Ok(Some(unpacked))
    }

    fn unzip(&self, packed: &[u8]) -> Result<Vec<u8>, ImageError> {
        let mut unpacked = Vec::new();
        ZlibDecoder::new(packed)
            .take(self.limit.saturating_add(1))
            .read_to_end(&mut unpacked)
            .map_err(|error| ImageError::Zip(error.to_string()))?;
        self.check_size(unpacked)
    }

    /// Copies a class, putting the strings of its constant pool back. Tags are those of JVMS §4.4 and two more.
    fn restore_strings(&self, packed: &[u8]) -> Result<Vec<u8>, ImageError> {
        const SHARED_STRING: u8 = 23;
        const SHARED_DESCRIPTOR: u8 = 25;
        let mut reader = Reader(packed);
        let header: [u8; 10] = reader.array()?;
        let pool_count = u16::from_be_bytes([header[8], header[9]]);
        let mut class = header.to_vec();
        let mut index = 1;
        while index < pool_count {
            let tag = reader.u8()?;
            match tag {
                SHARED_STRING => push_utf8(&mut class, self.strings.at(reader.compact_int()?.into())?)?,
                SHARED_DESCRIPTOR => push_utf8(&mut class, &self.restore_descriptor(&mut reader)?)?,
                _ => copy_constant(tag, &mut reader, &mut class)?,
            }
            // A long or double takes two indexes.
            index = index.saturating_add(if matches!(tag, 5 | 6) { 2 } else { 1 });
            // A shared string of a few bytes may stand for 64 KB, so the size is watched as it grows.
            class = self.check_size(class)?;
        }
        class.extend_from_slice(reader.0);
        self.check_size(class)
    }

    /// A descriptor without its class names, then package and simple name for each `L` in it.
    fn restore_descriptor(&self, reader: &mut Reader<'_>) -> Result<Vec<u8>, ImageError> {
        let skeleton = self.strings.at(reader.compact_int()?.into())?;
        let names_length = reader.compact_int()?;
        let mut names = Reader(reader.take(names_length.into())?);
        let mut descriptor = Vec::new();
        for &byte in skeleton {
            descriptor.push(byte);
            if byte == b'L' {
                let package = self.strings.at(names.compact_int()?.into())?;
                let simple_name = self.strings.at(names.compact_int()?.into())?;
                descriptor.extend_from_slice(package);
                if !package.is_empty() {
                    descriptor.push(b'/');
                }
                descriptor.extend_from_slice(simple_name);
            }
            if descriptor.len() > usize::from(u16::MAX) {
                return Err(ImageError::Malformed { what: "a descriptor is too long" });
            }
        }
        if names.0.is_empty() {
            Ok(descriptor)
        } else {
            Err(ImageError::Malformed { what: "a descriptor has more names than places for them" })
        }
    }

    fn check_size(&self, bytes: Vec<u8>) -> Result<Vec<u8>, ImageError> {
        if bytes.len() as u64 > self.limit {
            Err(ImageError::TooLarge { limit: self.limit })
        } else {
            Ok(bytes)
        }
    }
}

fn push_utf8(class: &mut Vec<u8>, text: &[u8]) -> Result<(), ImageError> {
    let length =
        u16::try_from(text.len()).map_err(|_| ImageError::Malformed { what: "a string is too long" })?;
    class.push(1);
    class.extend_from_slice(&length.to_be_bytes());
    class.extend_from_slice(text);
    Ok(())
}

fn copy_constant(tag: u8, reader: &mut Reader<'_>, class: &mut Vec<u8>) -> Result<(), ImageError> {
    class.push(tag);
    let length = match tag {
        1 => {
            let length: [u8; 2] = reader.array()?;
            class.extend_from_slice(&length);
            u64::from(u16::from_be_bytes(length))
        }
        3 | 4 | 9..=12 | 17 | 18 => 4,
        5 | 6 => 8,
        7 | 8 | 16 | 19 | 20 => 2,
        15 => 3,
        _ => return Err(ImageError::Malformed { what: "a packed constant has an unknown tag" }),
    };
    class.extend_from_slice(reader.take(length)?);
    Ok(())
}

/// Checked reads from the front of a resource.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: u64) -> Result<&'a [u8], ImageError> {
        let (head, tail) = split(self.0, length, "a part of a compressed class")?;
        self.0 = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ImageError> {
        let (head, tail) = self
            .0
            .split_first_chunk()
            .ok_or(ImageError::OutOfBounds { what: "a part of a compressed class" })?;
        self.0 = tail;
        Ok(*head)
    }

    fn u8(&mut self) -> Result<u8, ImageError> {
        self.array().map(|[byte]| byte)
    }

    /// An integer of 1 to 4 bytes: with the top bit set, the next two say how many and five begin the value;
    /// without it, four plain bytes.
    fn compact_int(&mut self) -> Result<u32, ImageError> {
        let head = self.u8()?;
        let (length, start) = if head & 0x80 == 0 { (4, head) } else { (head >> 5 & 0b11, head & 0b1_1111) };
        let mut value = u32::from(start);
        for _ in 1..length {
            value = value << 8 | u32::from(self.u8()?);
        }
        Ok(value)
    }
}
