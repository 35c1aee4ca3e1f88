//! Where a run's control plane listens: `control.sock` in the run's folder, for as long as the run lasts.
//!
//! A socket's path has little room. Where the folder's is too long the socket lies in the system's folder for temporary
//! files, and `control.path` in the run's folder says where. Nothing here speaks through it.

use std::io;
use std::path::{Path, PathBuf};

use tempdir::PrivateFolder;

/// The socket's file in a run's folder.
const SOCKET: &str = "control.sock";
/// The file that says where the socket is instead.
const POINTER: &str = "control.path";
/// Bytes that a socket's path may have on every system that knows sockets with paths; Linux has room for 107, others
/// for 103.
const LONGEST: usize = 103;

/// A place for a socket; its traces in the file system go when it is dropped.
#[derive(Debug)]
pub struct ControlSocket {
    path: PathBuf,
    pointer: Option<(PathBuf, PrivateFolder)>,
}

impl ControlSocket {
    /// Finds a place for the socket of the run that keeps its files in `folder`.
    ///
    /// # Errors
    /// When the folder's path is too long and there is no other place.
    pub fn for_run(folder: &Path) -> io::Result<Self> {
        let path = std::path::absolute(folder)?.join(SOCKET);
        if path.as_os_str().len() <= LONGEST {
            return Ok(Self { path, pointer: None });
        }
        let elsewhere = PrivateFolder::create()?;
        let (path, pointer) = (elsewhere.path().join(SOCKET), folder.join(POINTER));
        std::fs::write(&pointer, path.as_os_str().as_encoded_bytes())?;
        Ok(Self { path, pointer: Some((pointer, elsewhere)) })
    }

    /// Where to listen.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the run that keeps its files in `folder` listens; `None` when it does not, or no longer.
    #[must_use]
    pub fn of_run(folder: &Path) -> Option<PathBuf> {
        let pointed = std::fs::read_to_string(folder.join(POINTER)).ok().map(PathBuf::from);
        pointed.or_else(|| Some(std::path::absolute(folder).ok()?.join(SOCKET))).filter(|path| path.exists())
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        // What is not there any more needs no removing, and a run does not fail for what it leaves.
        let _ = std::fs::remove_file(&self.path);
        if let Some((pointer, _)) = &self.pointer {
            let _ = std::fs::remove_file(pointer);
        }
    }
}

mod tempdir {
    //! A folder that only its owner may enter, gone when it is dropped.

    use std::io;
    use std::path::{Path, PathBuf};

    #[derive(Debug)]
    pub(super) struct PrivateFolder(PathBuf);

    impl PrivateFolder {
        pub(super) fn create() -> io::Result<Self> {
            let mut builder = std::fs::DirBuilder::new();
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            for attempt in 0_u32..1000 {
                let path = std::env::temp_dir().join(format!("muster-{}-{attempt}", std::process::id()));
                match builder.create(&path) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    created => return created.map(|()| Self(path)),
                }
            }
            Err(io::ErrorKind::AlreadyExists.into())
        }

        pub(super) fn path(&self) -> &Path {
            &self.0
        }
    }

    impl Drop for PrivateFolder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_listens_in_its_folder_and_leaves_nothing_there() {
        let folder = tempfile::tempdir().unwrap();
        let socket = ControlSocket::for_run(folder.path()).unwrap();
        assert_eq!(ControlSocket::of_run(folder.path()), None, "nobody listens yet");
        std::fs::write(socket.path(), "").unwrap();
        assert_eq!(ControlSocket::of_run(folder.path()).unwrap(), folder.path().join("control.sock"));
        drop(socket);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_path_that_is_too_long_for_a_socket_is_pointed_to() {
        let out = tempfile::tempdir().unwrap();
        let folder = out.path().join("a".repeat(120));
        std::fs::create_dir(&folder).unwrap();
        let socket = ControlSocket::for_run(&folder).unwrap();
        assert!(socket.path().as_os_str().len() <= LONGEST, "{}", socket.path().display());
        let listener = std::os::unix::net::UnixListener::bind(socket.path()).unwrap();
        assert_eq!(ControlSocket::of_run(&folder).unwrap(), socket.path());
        drop(listener);
        let elsewhere = socket.path().to_owned();
        drop(socket);
        assert!(!elsewhere.parent().unwrap().exists());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
    }
}
