//! Where reports go.

use anyhow::Context;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes to stdout, buffered.
pub(crate) fn to_stdout(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    render(&mut out)?;
    out.flush()?;
    Ok(())
}

/// Writes to stderr, buffered.
pub(crate) fn to_stderr(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut out = BufWriter::new(io::stderr().lock());
    render(&mut out)?;
    out.flush()?;
    Ok(())
}

/// Writes a file that appears complete or not at all.
pub(crate) fn to_file(
    path: &Path,
    render: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let cannot_write = || format!("cannot write {}", path.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new()
        .prefix(".catchment-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(folder)
        .with_context(cannot_write)?;
    let mut out = BufWriter::new(file.as_file_mut());
    render(&mut out).and_then(|()| out.flush()).with_context(cannot_write)?;
    drop(out);
    file.persist(path).map_err(|error| error.error).with_context(cannot_write)?;
    Ok(())
}

/// A reader that has seen enough (`| head`) is no error.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io_error = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io_error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
