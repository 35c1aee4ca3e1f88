//! A folder among the system's temporary files that only its owner may enter, gone when it is dropped.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// What the names of these folders begin with.
pub(super) const PREFIX: &str = "muster-";

/// It is there as long as this is.
#[derive(Debug)]
pub(crate) struct PrivateFolder {
    path: PathBuf,
    held: Option<File>,
}

impl PrivateFolder {
    pub(crate) fn create() -> io::Result<Self> {
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        for attempt in 0_u32..1000 {
            let path = std::env::temp_dir().join(format!("{PREFIX}{}-{attempt}", std::process::id()));
            match builder.create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                created => created?,
            }
            // Before it is held, another run may take it for left behind, and then holds it until it is gone.
            let held = match File::open(&path).map(|folder| folder.try_lock().map(|()| folder)) {
                Ok(Err(TryLockError::WouldBlock)) => continue,
                Ok(Ok(folder)) => Some(folder),
                Ok(Err(TryLockError::Error(_))) | Err(_) => None,
            };
            if path.exists() {
                return Ok(Self { path, held });
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What the system does when the process is killed.
    #[cfg(test)]
    pub(super) fn let_go(&mut self) {
        self.held = None;
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
        self.held = None;
    }
}
