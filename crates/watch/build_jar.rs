//! Writes a jar whose bytes depend on nothing but its files: no times, no compression.

use std::path::Path;

const LOCAL_HEADER: u32 = 0x0403_4b50;
const CENTRAL_HEADER: u32 = 0x0201_4b50;
const END_OF_DIRECTORY: u32 = 0x0605_4b50;
const VERSION: u16 = 10;
/// 1 January 1980, the first day a zip file knows.
const DATE: u16 = 0x21;

/// The files, by their names in the jar, as one jar.
pub(crate) fn jar<P: AsRef<Path>>(files: &[(P, Vec<u8>)]) -> Result<Vec<u8>, std::num::TryFromIntError> {
    let mut jar = Vec::new();
    let mut directory = Vec::new();
    for (name, bytes) in files {
        let name = name.as_ref().to_string_lossy().into_owned();
        let offset = u32::try_from(jar.len())?;
        let description = description(&name, bytes)?;
        push_u32(&mut jar, LOCAL_HEADER);
        jar.extend_from_slice(&description);
        jar.extend_from_slice(name.as_bytes());
        jar.extend_from_slice(bytes);
        push_u32(&mut directory, CENTRAL_HEADER);
        push_u16(&mut directory, VERSION);
        directory.extend_from_slice(&description);
        // No comment, first disk, no attributes: 2 + 2 + 2 + 4 bytes.
        directory.extend_from_slice(&[0; 10]);
        push_u32(&mut directory, offset);
        directory.extend_from_slice(name.as_bytes());
    }
    let offset = u32::try_from(jar.len())?;
    let count = u16::try_from(files.len())?;
    jar.extend_from_slice(&directory);
    push_u32(&mut jar, END_OF_DIRECTORY);
    push_u32(&mut jar, 0);
    push_u16(&mut jar, count);
    push_u16(&mut jar, count);
    push_u32(&mut jar, u32::try_from(directory.len())?);
    push_u32(&mut jar, offset);
    push_u16(&mut jar, 0);
    Ok(jar)
}

/// The fields that both headers of a file have in common.
fn description(name: &str, bytes: &[u8]) -> Result<Vec<u8>, std::num::TryFromIntError> {
    let size = u32::try_from(bytes.len())?;
    let mut description = Vec::new();
    // Version needed, no flags, stored, midnight.
    for field in [VERSION, 0, 0, 0, DATE] {
        push_u16(&mut description, field);
    }
    for field in [crc32(bytes), size, size] {
        push_u32(&mut description, field);
    }
    push_u16(&mut description, u16::try_from(name.len())?);
    push_u16(&mut description, 0);
    Ok(description)
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & 0_u32.wrapping_sub(crc & 1));
        }
    }
    !crc
}

fn push_u16(to: &mut Vec<u8>, value: u16) {
    to.extend_from_slice(&value.to_le_bytes());
}

fn push_u32(to: &mut Vec<u8>, value: u32) {
    to.extend_from_slice(&value.to_le_bytes());
}
