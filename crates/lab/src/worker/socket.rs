//! The socket that a worker's agent connects to: in a folder for this user alone, and open to processes of this user alone.
//!
//! Another user could otherwise keep workers from starting, or speak for one.

use catchment_watch::unix;
use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The system takes no longer path, in bytes.
const LONGEST_PATH: usize = 107;
const NAME: &str = "agent.sock";
/// For paths that are too long in every other folder.
const SHORTEST_FOLDER: &str = "/tmp";

#[derive(Debug)]
pub(super) struct AgentSocket {
    listener: UnixListener,
    path: PathBuf,
    /// Holds the socket if the folder of the worker cannot.
    _temporary: Option<TempDir>,
}

impl AgentSocket {
    /// In the private folder of the worker, or in one that is made for it: a project's path may be too long, and not every
    /// file system has sockets.
    pub(super) fn open(private: &Path) -> io::Result<Self> {
        Self::open_at(private.join(NAME), None).or_else(|_| Self::open_in_temporary_folder())
    }

    fn open_in_temporary_folder() -> io::Result<Self> {
        let mut opened = Err(io::Error::other("no temporary folder"));
        for above in [env::temp_dir(), PathBuf::from(SHORTEST_FOLDER)] {
            opened = Self::open_below(&above);
            if opened.is_ok() {
                break;
            }
        }
        opened
    }

    fn open_below(above: &Path) -> io::Result<Self> {
        let private = fs::Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().prefix("catchment-").permissions(private).tempdir_in(above)?;
        Self::open_at(folder.path().join(NAME), Some(folder))
    }

    fn open_at(path: PathBuf, temporary: Option<TempDir>) -> io::Result<Self> {
        if path.as_os_str().len() > LONGEST_PATH {
            return Err(io::Error::other("the path of the socket is too long"));
        }
        let listener = UnixListener::bind(&path)?;
        listener.set_nonblocking(true)?;
        Ok(Self { listener, path, _temporary: temporary })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The next connection of a process of this user, if one comes in time. Others are closed.
    pub(super) fn accept(&self, user: u32, limit: Duration) -> Option<UnixStream> {
        if !unix::wait_readable(&self.listener, limit).unwrap_or(false) {
            return None;
        }
        let (connection, _) = self.listener.accept().ok()?;
        let is_of_user = unix::peer_user(&connection).is_ok_and(|peer| peer == user);
        is_of_user.then(|| {
            let _ = connection.set_nonblocking(false);
            connection
        })
    }
}

impl Drop for AgentSocket {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    const LIMIT: Duration = Duration::from_secs(60);

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_socket_lies_in_the_private_folder_if_its_path_fits() {
        let folder = tempfile::tempdir().unwrap();
        let path = {
            let socket = AgentSocket::open(folder.path()).unwrap();
            assert_eq!(socket.path(), folder.path().join(NAME));
            let _agent = UnixStream::connect(socket.path()).unwrap();
            assert!(socket.accept(unix::user_id(), LIMIT).is_some());
            socket.path().to_owned()
        };
        assert!(!path.exists());
    }

    #[test]
    fn a_project_with_a_long_path_has_a_private_folder_elsewhere() {
        let base = tempfile::tempdir().unwrap();
        let long = base.path().join("l".repeat(LONGEST_PATH));
        fs::create_dir(&long).unwrap();
        let folder = {
            let socket = AgentSocket::open(&long).unwrap();
            let folder = socket.path().parent().unwrap().to_owned();
            assert!(!folder.starts_with(base.path()));
            assert_eq!(mode(&folder), 0o700);
            assert!(UnixStream::connect(socket.path()).is_ok());
            folder
        };
        assert!(!folder.exists());
    }

    #[test]
    fn a_process_of_another_user_is_turned_away() {
        let folder = tempfile::tempdir().unwrap();
        let socket = AgentSocket::open(folder.path()).unwrap();
        let mut stranger = UnixStream::connect(socket.path()).unwrap();
        assert!(socket.accept(unix::user_id() + 1, LIMIT).is_none());
        assert_eq!(stranger.read(&mut [0]).unwrap(), 0);
        let _agent = UnixStream::connect(socket.path()).unwrap();
        assert!(socket.accept(unix::user_id(), LIMIT).is_some());
    }
}
