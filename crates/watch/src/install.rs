//! Puts the embedded agent where a JVM can load it.
//!
//! The folder is named by the content, appears by a rename, complete or not at all, and is kept for the next run and
//! for daemons that outlive this one. Several processes may install at once.

use crate::cache_folders::{cache_folder, private_temporary_folder};
use crate::embedded;
use crate::private_files::create_folders;
use crate::unix::is_noexec;
use catchment_protocol::hash::hash64;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub const LIBRARY: &str = "libcatchment_agent.so";
const RUNTIME: &str = "runtime.classes";
const DRIVER: &str = "catchment-driver.jar";

/// The unpacked files, by name.
const FILES: [(&str, &[u8]); 3] =
    [(LIBRARY, embedded::AGENT), (RUNTIME, embedded::RUNTIME), (DRIVER, embedded::DRIVER)];

/// The installed files of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledAgent {
    pub library: PathBuf,
    pub runtime: PathBuf,
    /// For the class path of workers.
    pub driver: PathBuf,
}

/// No folder could take the agent.
#[derive(Debug, thiserror::Error)]
#[error("cannot unpack the agent: {}", attempts.join("; "))]
pub struct InstallError {
    attempts: Vec<String>,
}

/// Tries the user's cache folder, then a folder of the user's among the temporary ones, then `last_resort`, which
/// lasts only as long as this run: a JVM that a daemon starts later would not find the agent there.
pub fn install(last_resort: &Path) -> Result<InstalledAgent, InstallError> {
    // Made only when it is needed.
    let private = std::iter::once_with(private_temporary_folder).flatten();
    install_into_one_of(cache_folder().into_iter().chain(private).chain([last_resort.to_owned()]))
}

fn install_into_one_of(folders: impl Iterator<Item = PathBuf>) -> Result<InstalledAgent, InstallError> {
    let mut attempts = Vec::new();
    for folder in folders {
        match install_into(&folder) {
            Ok(installed) => return Ok(installed),
            Err(error) => attempts.push(format!("{}: {error}", folder.display())),
        }
    }
    Err(InstallError { attempts })
}

/// Changes with what this tool puts into JVMs.
pub fn embedded_content() -> u64 {
    FILES.iter().fold(0, |content: u64, (_, bytes)| content.rotate_left(1) ^ hash64(bytes))
}

fn install_into(cache: &Path) -> io::Result<InstalledAgent> {
    if !can_be_named_to_the_jvm(cache) {
        return Err(io::Error::other("the JVM cannot be given a library with such a path"));
    }
    create_folders(cache)?;
    if is_noexec(cache) {
        return Err(io::Error::other("mounted without permission to execute"));
    }
    let folder = cache.join(format!("agent-{:016x}", embedded_content()));
    if !is_complete(&folder) {
        unpack_atomically(cache, &folder)?;
    }
    Ok(InstalledAgent {
        library: folder.join(LIBRARY),
        runtime: folder.join(RUNTIME),
        driver: folder.join(DRIVER),
    })
}

/// `-agentpath:` ends the path at the first `=`, and `JAVA_TOOL_OPTIONS` knows quotes but no escapes.
fn can_be_named_to_the_jvm(folder: &Path) -> bool {
    folder.to_str().is_some_and(|text| !text.contains(['=', '"', '\'']) && !text.contains(char::is_control))
}

fn is_complete(folder: &Path) -> bool {
    FILES.iter().all(|(name, expected)| fs::read(folder.join(name)).is_ok_and(|bytes| bytes == *expected))
}

fn unpack_atomically(cache: &Path, folder: &Path) -> io::Result<()> {
    let unfinished = tempfile::Builder::new().prefix("unfinished-").tempdir_in(cache)?;
    for (name, bytes) in FILES {
        fs::write(unfinished.path().join(name), bytes)?;
    }
    if is_complete(folder) {
        // Somebody else was faster.
        return Ok(());
    }
    if folder.exists() {
        // Damaged, since it is not complete. Moved away first: a folder cannot be renamed onto a full one.
        let _ = fs::rename(folder, unfinished.path().join("damaged"));
        let _ = fs::remove_dir_all(unfinished.path().join("damaged"));
    }
    let unfinished_path = unfinished.keep();
    match fs::rename(&unfinished_path, folder) {
        Ok(()) => Ok(()),
        Err(error) => {
            let _ = fs::remove_dir_all(&unfinished_path);
            // Somebody else may have been faster.
            if is_complete(folder) { Ok(()) } else { Err(error) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn many_at_once_end_with_one_complete_folder() {
        let cache = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| install_into(cache.path()).unwrap());
            }
        });
        let entries: Vec<_> =
            fs::read_dir(cache.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(entries.len(), 1, "{entries:?}");
        assert!(is_complete(&entries[0]));
    }

    #[test]
    fn a_damaged_folder_is_replaced() {
        let cache = tempfile::tempdir().unwrap();
        let installed = install_into(cache.path()).unwrap();
        fs::write(&installed.library, b"half").unwrap();
        assert_eq!(install_into(cache.path()).unwrap(), installed);
        assert_eq!(fs::read(&installed.library).unwrap(), embedded::AGENT);
    }

    #[test]
    fn unusable_folders_are_passed_over() {
        let base = tempfile::tempdir().unwrap();
        let file = base.path().join("file");
        fs::write(&file, b"").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o400)).unwrap();
        let good = base.path().join("with blank");
        let folders = [file.join("cache"), base.path().join("a=b"), good.clone()];
        let installed = install_into_one_of(folders.into_iter()).unwrap();
        assert!(installed.library.starts_with(&good), "{installed:?}");
    }

    #[test]
    fn no_usable_folder_is_one_line() {
        let error = install_into_one_of([PathBuf::from("/proc/none"), PathBuf::from("/a=b")].into_iter())
            .unwrap_err();
        let text = error.to_string();
        assert!(text.contains("/proc/none") && text.contains("/a=b") && !text.contains('\n'), "{text}");
    }
}
