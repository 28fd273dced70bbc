//! Files as bytes through the page cache: the only `unsafe` code of this crate.

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// Maps a regular file for reading.
///
/// Mapped rather than read because a JDK image has 130 MB of which most readers touch a part, and because classes
/// and nested jars that are stored uncompressed can then be handed out without a copy.
#[expect(unsafe_code, reason = "memory-mapping a file cannot be expressed safely")]
pub(crate) fn map_file(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: the map is private to this process, read-only, and only ever seen as `&[u8]` with checked reads, so
    // bytes that another process changes under us give wrong data at worst. A file that another process makes
    // shorter while we read ends this process with SIGBUS; jars and JDK images are replaced by builds and
    // installers, not edited in place, and every mapping tool accepts that.
    unsafe { Mmap::map(&file) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_file_is_an_empty_slice() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(map_file(file.path()).unwrap().is_empty());
    }
}
