//! Zip archives made in memory.

use std::io::{Cursor, Write};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

pub(crate) const MULTI_RELEASE: &str = "Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n";

/// An archive with these entries, compressed.
pub(crate) fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    zip_with(CompressionMethod::Deflated, entries)
}

/// An archive with these entries as they are, like the libraries in a Spring Boot jar.
pub(crate) fn stored_zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    zip_with(CompressionMethod::Stored, entries)
}

fn zip_with(method: CompressionMethod, entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in entries {
        match name.strip_suffix('/') {
            Some(folder) if bytes.is_empty() => writer.add_directory(folder, options).unwrap(),
            _ => {
                writer.start_file(*name, options).unwrap();
                writer.write_all(bytes).unwrap();
            }
        }
    }
    writer.finish().unwrap().into_inner()
}
