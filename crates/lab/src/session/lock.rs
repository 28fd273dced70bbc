//! The lock on a project's `.catchment` folder, which belongs to one session at a time.

use super::LabError;
use catchment_watch::open_private_file;
use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

const LOCK: &str = "lock";

/// Takes the lock; the file has to stay open as long as the session.
pub(crate) fn lock(folder: &Path) -> Result<File, LabError> {
    let path = folder.join(LOCK);
    let failed = |reason| LabError::Folder { path: path.clone(), reason };
    let mut file = open_private_file(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut process = String::new();
            let _ = file.read_to_string(&mut process);
            return Err(LabError::Busy { process: process.trim().to_owned() });
        }
        Err(TryLockError::Error(reason)) => return Err(failed(reason)),
    }
    // The owner, only for the message above.
    let _ = file.set_len(0).and_then(|()| file.rewind());
    let _ = writeln!(file, "{}", std::process::id());
    Ok(file)
}
