//! Destinations of reports: stdout, stderr, files.

use crate::exit::BadInput;
use anyhow::{Context, Result};
use catchment_report::escaped;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Writes to stdout, buffered.
pub(crate) fn to_stdout(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    write_to(io::stdout().lock(), render)
}

/// Writes to stderr, buffered.
pub(crate) fn to_stderr(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    write_to(io::stderr().lock(), render)
}

fn write_to(out: impl Write, render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut out = BufWriter::new(out);
    render(&mut out)?;
    out.flush()?;
    Ok(())
}

/// One line where the user's cache folder is not safe to use: without it everything takes longer.
pub(crate) fn tell_of_refused_cache() {
    if let Some(refused) = catchment_watch::refused_cache_folder() {
        tell(&refused);
    }
}

/// One line on stderr, whatever names and messages of programs are in it.
pub(crate) fn tell(what: &dyn Display) {
    eprintln!("{}", line(what));
}

/// The line without its end.
pub(crate) fn line(what: &dyn Display) -> String {
    format!("catchment: {}", escaped(&what.to_string()))
}

/// A file that a report will be written to, made sure of before the work that the report is about.
///
/// A regular file appears complete or not at all, with the permissions it had. A pipe or device is written to as it is,
/// and a symbolic link stays one.
#[derive(Debug)]
pub(crate) struct ReportFile {
    path: PathBuf,
    place: Destination,
}

#[derive(Debug)]
enum Destination {
    Direct(File),
    Replace(NamedTempFile),
}

impl ReportFile {
    /// `-` is stdout, and no file.
    pub(crate) fn open_if_given(output: Option<&Path>) -> Result<Option<Self>, BadInput> {
        let file = output.filter(|path| *path != Path::new("-"));
        file.map(Self::open).transpose()
    }

    pub(crate) fn open(path: &Path) -> Result<Self, BadInput> {
        // Follows links; a path that leads nowhere yet stays as it is.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let place = open_place(&path)
            .map_err(|error| BadInput(format!("cannot write {}: {error}", path.display())))?;
        Ok(Self { path, place })
    }

    pub(crate) fn write(self, render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        let cannot_write = || format!("cannot write {}", self.path.display());
        match self.place {
            Destination::Direct(file) => write_to(file, render).with_context(cannot_write),
            Destination::Replace(mut file) => {
                write_to(file.as_file_mut(), render).with_context(cannot_write)?;
                file.persist(&self.path).map_err(|error| error.error).with_context(cannot_write)?;
                Ok(())
            }
        }
    }
}

fn open_place(path: &Path) -> io::Result<Destination> {
    let existing = fs::symlink_metadata(path).ok();
    if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
        return File::options().write(true).create(true).truncate(false).open(path).map(Destination::Direct);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Asked first, because its error is plain: that of a temporary file would name the temporary file.
    fs::metadata(folder)?;
    let new_file = fs::Permissions::from_mode(0o666);
    let file = tempfile::Builder::new().prefix(".catchment-").permissions(new_file).tempfile_in(folder)?;
    if let Some(existing) = existing {
        file.as_file().set_permissions(existing.permissions())?;
    }
    Ok(Destination::Replace(file))
}

/// A reader that has seen enough (`| head`) is no error.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io_error = error.chain().find_map(|cause| cause.downcast_ref::<io::Error>());
    io_error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(path: &Path, text: &str) {
        ReportFile::open(path).unwrap().write(|out| out.write_all(text.as_bytes())).unwrap();
    }

    #[test]
    fn a_link_stays_a_link_and_permissions_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        report(&link, "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_pipe_is_written_to_and_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        report(&pipe, "through the pipe");
        assert_eq!(reader.join().unwrap(), "through the pipe");
        assert!(!fs::metadata(&pipe).unwrap().is_file());
    }

    #[test]
    fn nothing_is_left_behind_when_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        drop(ReportFile::open(&folder.path().join("report")).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
