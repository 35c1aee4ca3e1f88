//! What runs that were killed have left behind: their sockets, the pointers to them, their private folders.
//!
//! Nothing is taken from a folder that somebody holds, nothing but sockets and pointers from one that nobody holds, and
//! a run does not fail for what it cannot take away.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use super::private_folder::PREFIX;
use super::{POINTER, SOCKET, hold};

/// Clears the report folders inside `out`, and those of the drills of a campaign one level deeper.
pub(super) fn clear_reports(out: &Path) {
    for folder in folders(out) {
        clear_report(&folder);
        for drill in folders(&folder) {
            clear_report(&drill);
        }
    }
}

/// Clears the private folders among the temporary files.
pub(super) fn clear_temporary(temporary: &Path) {
    for folder in folders(temporary).into_iter().filter(|folder| is_private(folder)) {
        let Some(_held) = hold(&folder) else { continue };
        remove_socket(&folder);
        // Fails when anything else is in it, and then it is not one of these.
        let _ = fs::remove_dir(&folder);
    }
}

/// Whether a folder is named as those of a run are: by its process and a number.
fn is_private(folder: &Path) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    let numbers = name.and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(process, attempt)| is_number(process) && is_number(attempt))
}

fn clear_report(folder: &Path) {
    let (socket, pointer) = (folder.join(SOCKET), folder.join(POINTER));
    let is_report = folder.join("journal.jsonl").is_file();
    if !is_report || !(socket.exists() || pointer.exists()) {
        return;
    }
    let Some(_held) = hold(folder) else { return };
    remove_socket(folder);
    let _ = fs::remove_file(pointer);
}

fn remove_socket(folder: &Path) {
    let socket = folder.join(SOCKET);
    if fs::symlink_metadata(&socket).is_ok_and(|found| found.file_type().is_socket()) {
        let _ = fs::remove_file(socket);
    }
}

/// The folders inside a folder; links are none.
fn folders(folder: &Path) -> Vec<PathBuf> {
    let inside = fs::read_dir(folder).into_iter().flatten().flatten();
    inside.filter(|entry| entry.file_type().is_ok_and(|found| found.is_dir())).map(|entry| entry.path()).collect()
}
