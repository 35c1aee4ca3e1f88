//! The files into which reports go: what could not be written at the end, or would take an input with it, is told before
//! anything runs.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Where a report is to go, and why it cannot.
#[derive(Debug, thiserror::Error)]
#[error("{option} {}: {problem}; nothing was started", path.display())]
pub struct DestinationError {
    /// The option that names it.
    pub option: &'static str,
    /// The file.
    pub path: PathBuf,
    /// Why not, and what was expected.
    pub problem: String,
}

/// Where a report is to go.
#[derive(Clone, Copy, Debug)]
pub struct Destination<'p> {
    /// The option that names it.
    pub option: &'static str,
    /// The file.
    pub path: &'p Path,
}

impl Destination<'_> {
    /// Writes the report.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, text: &str) -> io::Result<()> {
        std::fs::write(self.path, text)
    }

    fn refuse(&self, problem: String) -> DestinationError {
        DestinationError { option: self.option, path: self.path.to_path_buf(), problem }
    }

    /// Whether the file can be opened to be written. What was not there is not there afterwards.
    fn can_be_written(&self) -> Result<(), DestinationError> {
        let folder = folder_of(self.path);
        match std::fs::metadata(self.path) {
            Ok(found) if found.is_dir() => Err(self.refuse("it is a folder; expected the name of a file".to_owned())),
            Ok(found) if found.is_file() => {
                File::options().append(true).open(self.path).map(drop).map_err(|error| self.refuse(told(&error)))
            }
            // A device or a pipe is opened once, when there is something to write.
            Ok(_) => Ok(()),
            Err(_) if !folder.is_dir() => {
                let problem = format!("there is no folder {}; expected one that exists", folder.display());
                Err(self.refuse(problem))
            }
            Err(_) => {
                let made = File::create_new(self.path).and_then(|_| std::fs::remove_file(self.path));
                made.map_err(|error| self.refuse(told(&error)))
            }
        }
    }
}

/// Holds each of these to be writable, none of `inputs`, and none of the others.
///
/// # Errors
/// The first that is not.
pub fn check(destinations: &[Destination<'_>], inputs: &[PathBuf]) -> Result<(), DestinationError> {
    for (index, destination) in destinations.iter().enumerate() {
        if let Some(input) = inputs.iter().find(|input| are_one(input, destination.path)) {
            let problem =
                format!("this would overwrite {}, which the run reads; expected another file", input.display());
            return Err(destination.refuse(problem));
        }
        if let Some(other) = destinations[..index].iter().find(|other| are_one(other.path, destination.path)) {
            let problem = format!("{} writes there too; expected a file for each", other.option);
            return Err(destination.refuse(problem));
        }
        destination.can_be_written()?;
    }
    Ok(())
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

fn told(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => "it may not be written; expected a file that you may write".to_owned(),
        _ => format!("it cannot be written: {error}"),
    }
}

/// Whether two paths lead to one regular file, through links of either kind too.
fn are_one(one: &Path, other: &Path) -> bool {
    match (std::fs::metadata(one), std::fs::metadata(other)) {
        (Ok(one_found), Ok(found)) => found.is_file() && same_file(one, &one_found, other, &found),
        (Err(_), Err(_)) => {
            one.file_name() == other.file_name()
                && std::fs::canonicalize(folder_of(one))
                    .is_ok_and(|folder| std::fs::canonicalize(folder_of(other)).is_ok_and(|other| other == folder))
        }
        _ => false,
    }
}

#[cfg(unix)]
fn same_file(_: &Path, one: &Metadata, _: &Path, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn same_file(one: &Path, _: &Metadata, other: &Path, _: &Metadata) -> bool {
    std::fs::canonicalize(one).is_ok_and(|one| std::fs::canonicalize(other).is_ok_and(|other| one == other))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn junit(path: &Path) -> Destination<'_> {
        Destination { option: "--junit", path }
    }

    #[test]
    fn an_input_is_not_overwritten_whatever_path_leads_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("a.feature");
        std::fs::write(&input, "Feature: a").unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let (soft, hard) = (folder.path().join("soft"), folder.path().join("hard"));
        std::os::unix::fs::symlink(&input, &soft).unwrap();
        std::fs::hard_link(&input, &hard).unwrap();
        for path in [input.clone(), soft, hard, folder.path().join("sub/../a.feature")] {
            let error = check(&[junit(&path)], std::slice::from_ref(&input)).unwrap_err().to_string();
            assert!(error.contains("this would overwrite") && error.contains("a.feature"), "{error}");
        }
        assert_eq!(std::fs::read_to_string(&input).unwrap(), "Feature: a");
    }

    #[test]
    fn two_reports_do_not_go_into_one_file_whether_it_is_there_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("out");
        let again = folder.path().join("./out");
        for _ in 0..2 {
            let error = check(&[junit(&file), Destination { option: "--cucumber-json", path: &again }], &[]);
            assert!(error.unwrap_err().to_string().contains("--junit writes there too"));
            std::fs::write(&file, "").unwrap();
        }
        // A device takes what comes from several.
        let null = Path::new("/dev/null");
        check(&[junit(null), Destination { option: "--cucumber-json", path: null }], &[]).unwrap();
    }

    #[test]
    fn what_cannot_be_written_is_told_at_once_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        for (path, told) in [
            (folder.path().join("none/out.xml"), "there is no folder"),
            (folder.path().to_path_buf(), "it is a folder"),
            (PathBuf::from("/proc/out.xml"), "cannot be written"),
        ] {
            let error = check(&[junit(&path)], &[]).unwrap_err().to_string();
            assert!(error.contains(told) && error.starts_with("--junit "), "{error}");
        }
        let file = folder.path().join("out.xml");
        check(&[junit(&file)], &[]).unwrap();
        assert!(!file.exists());
        std::fs::write(&file, "before").unwrap();
        check(&[junit(&file)], &[]).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "before");
    }
}
