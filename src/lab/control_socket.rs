//! Where a run's control plane listens: `control.sock` in the run's folder, for as long as the run lasts.
//!
//! A socket's path has little room. Where the folder's is too long the socket lies in the system's folder for temporary
//! files, and `control.path` in the run's folder says where. Nothing here speaks through it.
//!
//! A run holds a lock on its folder, which the system lets go of however the run ends: what lies in a folder that
//! nobody holds was left behind by a run that was killed, and the next run takes it away.

mod private_folder;
mod stale;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use private_folder::PrivateFolder;

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
    /// The folder of the run. Not every file system has locks; on one without them nothing is taken for left behind.
    held: Option<File>,
}

impl ControlSocket {
    /// Finds a place for the socket of the run that keeps its files in `folder`, and takes away what runs that were
    /// killed have left beside it and among the temporary files.
    ///
    /// # Errors
    /// When the folder's path is too long and there is no other place.
    pub fn for_run(folder: &Path) -> io::Result<Self> {
        let folder = std::path::absolute(folder)?;
        let held = hold(&folder);
        if let Some(out) = folder.parent() {
            stale::clear_reports(out);
        }
        stale::clear_temporary(&std::env::temp_dir());
        let path = folder.join(SOCKET);
        if path.as_os_str().len() <= LONGEST {
            return Ok(Self { path, pointer: None, held });
        }
        let elsewhere = PrivateFolder::create()?;
        let (path, pointer) = (elsewhere.path().join(SOCKET), folder.join(POINTER));
        std::fs::write(&pointer, path.as_os_str().as_encoded_bytes())?;
        Ok(Self { path, pointer: Some((pointer, elsewhere)), held })
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
        drop(self.held.take());
    }
}

/// A folder that nobody else holds, held until what is returned is dropped or the process ends, in whatever way.
fn hold(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    file.try_lock().ok()?;
    Some(file)
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

    /// The files of a run, from the moment on in which it listens.
    fn listening(folder: &Path) -> ControlSocket {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join("journal.jsonl"), "").unwrap();
        let socket = ControlSocket::for_run(folder).unwrap();
        drop(std::os::unix::net::UnixListener::bind(socket.path()).unwrap());
        socket
    }

    /// What `kill -9` does to it: nothing is tidied up, and the system closes what was open.
    fn kill(mut socket: ControlSocket) {
        drop(socket.held.take());
        if let Some((_, elsewhere)) = &mut socket.pointer {
            elsewhere.let_go();
        }
        std::mem::forget(socket);
    }

    #[test]
    fn what_a_killed_run_left_goes_at_the_next_start_and_that_of_a_live_run_stays() {
        let out = tempfile::tempdir().unwrap();
        let (killed, far) = (out.path().join("a-1"), out.path().join("a".repeat(120)));
        let in_campaign = out.path().join("campaign-1").join("a-1");
        let live = [out.path().join("a-2"), out.path().join("b".repeat(120))];
        let left = [&killed, &far, &in_campaign].map(|folder| listening(folder));
        let elsewhere = left[1].path().to_owned();
        let live_sockets = live.each_ref().map(|folder| listening(folder));
        left.into_iter().for_each(kill);

        drop(listening(&out.path().join("a-3")));
        assert!(!elsewhere.parent().unwrap().exists(), "its folder among the temporary files");
        for folder in [&killed, &far, &in_campaign] {
            let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
            assert_eq!(names.collect::<Vec<_>>(), ["journal.jsonl"], "{}", folder.display());
        }
        for (folder, socket) in live.iter().zip(&live_sockets) {
            assert_eq!(ControlSocket::of_run(folder).as_deref(), Some(socket.path()));
        }
    }

    #[test]
    fn a_file_that_is_no_socket_is_not_taken_away() {
        let out = tempfile::tempdir().unwrap();
        let other = out.path().join("other");
        std::fs::create_dir(&other).unwrap();
        std::fs::write(other.join("journal.jsonl"), "").unwrap();
        std::fs::write(other.join("control.sock"), "mine").unwrap();
        drop(listening(&out.path().join("a-1")));
        assert!(other.join("control.sock").exists());
    }
}
