//! What runs that were killed have left behind: their sockets, the pointers to them, their private folders.
//!
//! Nothing is taken from a folder that somebody holds, nothing but sockets and pointers from a report that nobody holds,
//! and a run does not fail for what it cannot take away. A private folder goes with all that is in it.

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use nix::unistd::Uid;

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
        let _ = fs::remove_dir_all(&folder);
    }
}

/// Whether a folder is one that a run of ours has made: ours alone, and named by its process and a number.
fn is_private(folder: &Path) -> bool {
    let ours = |found: fs::Metadata| {
        found.is_dir() && found.uid() == Uid::effective().as_raw() && found.mode() & 0o777 == 0o700
    };
    is_named_by_a_run(folder) && fs::symlink_metadata(folder).is_ok_and(ours)
}

fn is_named_by_a_run(folder: &Path) -> bool {
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn the_private_folder_of_a_killed_run_goes_with_its_reports_and_nothing_else_does() {
        let temporary = tempfile::tempdir().unwrap();
        let made = |name: &str, mode| {
            let folder = temporary.path().join(name);
            fs::create_dir_all(folder.join("0/a-drill")).unwrap();
            fs::write(folder.join("0/a-drill/journal.jsonl"), "").unwrap();
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
            folder
        };
        let (killed, live) = (made("muster-17-0", 0o700), made("muster-18-1", 0o700));
        let others =
            [("muster-17-0.bak", 0o700), ("muster-notes", 0o700), ("muster-19-0", 0o755), ("elsewhere", 0o700)];
        let others = others.map(|(name, mode)| made(name, mode));
        let link = temporary.path().join("muster-20-0");
        symlink(&others[3], &link).unwrap();
        let held = hold(&live).unwrap();

        clear_temporary(temporary.path());
        assert!(!killed.exists());
        for folder in others.iter().chain([&live, &link]) {
            assert!(folder.join("0/a-drill/journal.jsonl").exists(), "{}", folder.display());
        }
        drop(held);
        clear_temporary(temporary.path());
        assert!(!live.exists(), "its run has ended");
    }
}
