//! From the paths of a command line to feature files: each real file once, whatever leads to it.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Finds feature files.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// In the order in which they are read.
    files: Vec<PathBuf>,
    /// Folders and files as they really are.
    seen: BTreeSet<PathBuf>,
}

impl Walk {
    /// Takes a file, or every `.feature` file below a folder. Whether there is one there, seen before or not.
    ///
    /// # Errors
    /// When a path leads nowhere, or a folder cannot be read.
    pub(super) fn take(&mut self, path: &Path) -> io::Result<bool> {
        let is_new = self.seen.insert(std::fs::canonicalize(path)?);
        if !std::fs::metadata(path)?.is_dir() {
            if is_new {
                self.files.push(path.to_path_buf());
            }
            return Ok(true);
        }
        if !is_new {
            return Ok(true);
        }
        let mut entries = std::fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        // Links come last: a file that also stands here itself is known by that name.
        entries.sort_by_key(|entry| (entry.file_type().is_ok_and(|kind| kind.is_symlink()), entry.file_name()));
        let mut found = false;
        for entry in entries {
            let below = entry.path();
            if below.is_dir() || below.extension().is_some_and(|extension| extension == "feature") {
                found |= self.take(&below).map_err(|problem| at(&below, &problem))?;
            }
        }
        Ok(found)
    }

    /// The files that were found, in the order of their names.
    pub(super) fn into_files(mut self) -> Vec<PathBuf> {
        self.files.sort();
        self.files
    }
}

/// The same trouble, with the path that it is with.
fn at(path: &Path, problem: &io::Error) -> io::Error {
    let told = problem.to_string();
    let told = if told.contains(": ") { told } else { format!("{}: {told}", path.display()) };
    io::Error::new(problem.kind(), told)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn found_in(folder: &Path, paths: &[&str]) -> Vec<String> {
        let mut walk = Walk::default();
        for path in paths {
            assert!(walk.take(&folder.join(path)).unwrap(), "{path}");
        }
        let within = |file: PathBuf| file.strip_prefix(folder).unwrap().display().to_string();
        walk.into_files().into_iter().map(within).collect()
    }

    #[test]
    fn a_file_is_found_once_however_many_links_and_paths_lead_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("f/sub")).unwrap();
        for file in ["f/b.feature", "f/sub/a.feature", "f/sub/notes.txt"] {
            std::fs::write(root.join(file), "").unwrap();
        }
        symlink(root.join("f"), root.join("f/sub/loop")).unwrap();
        symlink(root.join("f/b.feature"), root.join("f/a_link.feature")).unwrap();
        assert_eq!(found_in(root, &["f"]), ["f/b.feature", "f/sub/a.feature"]);
        assert_eq!(found_in(root, &["f/b.feature", "f/sub/../b.feature", "f"]), ["f/b.feature", "f/sub/a.feature"]);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_trouble_and_not_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        symlink(folder.path().join("gone"), folder.path().join("a.feature")).unwrap();
        let problem = Walk::default().take(folder.path()).unwrap_err().to_string();
        assert!(problem.contains("a.feature"), "{problem}");
    }

    #[test]
    fn a_folder_without_features_has_none() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!Walk::default().take(folder.path()).unwrap());
    }
}
