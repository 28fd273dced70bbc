//! The record log of this JVM: every record is one append, complete or not there at all.

use catchment_protocol::log;
use catchment_protocol::records::Record;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

#[derive(Debug)]
pub(crate) struct LogFile {
    file: File,
    length: u64,
}

impl LogFile {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut file = File::options().append(true).create_new(true).open(path)?;
        file.write_all(log::HEADER)?;
        Ok(Self { file, length: log::HEADER.len() as u64 })
    }

    /// On an error (a full disk) the log is cut back to what it was, so that later records stay readable.
    pub(crate) fn append(&mut self, record: &Record) -> io::Result<()> {
        let framed = log::frame(record);
        match self.file.write_all(&framed) {
            Ok(()) => {
                self.length += framed.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.file.set_len(self.length)?;
                Err(error)
            }
        }
    }
}
