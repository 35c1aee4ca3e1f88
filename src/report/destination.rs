//! The files into which reports go: what could not be written at the end, or would take an input with it, is told before
//! anything runs.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Write};
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
    /// Writes the report. One that stood there is replaced only by a whole one, as far as its folder lets that be.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, text: &str) -> io::Result<()> {
        if is_open_here(self.path) {
            // Of what else went there, as the page on standard output, nothing is taken.
            return File::options().append(true).open(self.path)?.write_all(text.as_bytes());
        }
        // Not the link is replaced, but the file behind it.
        let path = std::fs::canonicalize(self.path).unwrap_or_else(|_| self.path.to_path_buf());
        let found = std::fs::metadata(&path).ok();
        if found.as_ref().is_some_and(|found| !found.is_file()) {
            return std::fs::write(path, text);
        }
        match Beside::create(&path) {
            Ok(beside) => beside.replace(&path, found.as_ref(), text),
            Err(error) if error.kind() == ErrorKind::StorageFull => Err(error),
            // The file may be written, and its folder may not.
            Err(_) => std::fs::write(path, text),
        }
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
            // A device, or an end of a pipe that is open here, is opened once, when there is something to write.
            Ok(found) if is_character_device(&found) || is_open_here(self.path) => Ok(()),
            // Nobody may ever read from it, and who opens it to write waits for that.
            Ok(_) => {
                let problem = "it is neither a file nor a character device; expected a file, or what the shell hands over: \
                               `--option /dev/stdout | …`, `--option >(…)`";
                Err(self.refuse(problem.replace("--option", self.option)))
            }
            Err(error) if self.path.is_symlink() => {
                let leads = std::fs::read_link(self.path).unwrap_or_default();
                let problem = format!("it is a link to {}, and no file is there: {error}", leads.display());
                Err(self.refuse(problem + "; expected a file, or a link to one; remove the link, or make its file"))
            }
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

/// A file beside another, which takes its place once it is whole; gone when it is dropped before.
struct Beside {
    path: PathBuf,
    file: File,
}

impl Beside {
    fn create(target: &Path) -> io::Result<Self> {
        for attempt in 0_u32..1000 {
            let path = folder_of(target).join(format!(".muster-{}-{attempt}.part", std::process::id()));
            match File::create_new(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                made => return made.map(|file| Self { path, file }),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    fn replace(mut self, target: &Path, found: Option<&Metadata>, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())?;
        // Some file systems find out only now that they are full.
        self.file.sync_data()?;
        if let Some(found) = found {
            self.file.set_permissions(found.permissions())?;
        }
        let replaced = std::fs::rename(&self.path, target);
        drop(self);
        // A file that is mounted by itself can be written, and not be replaced.
        replaced.or_else(|_| std::fs::write(target, text))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // Once it has taken its place, there is nothing of this name.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether this names what is open in this process, as `/dev/stdout` and `/dev/fd/63` do.
fn is_open_here(path: &Path) -> bool {
    let Ok(open) = std::fs::canonicalize("/dev/fd") else { return false };
    let mut path = path.to_path_buf();
    // As many links as the system itself follows.
    for _ in 0..40 {
        if std::fs::canonicalize(folder_of(&path)).is_ok_and(|folder| folder == open) {
            return true;
        }
        let Ok(next) = std::fs::read_link(&path) else { return false };
        path = folder_of(&path).join(next);
    }
    false
}

#[cfg(unix)]
fn is_character_device(found: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_char_device(&found.file_type())
}

#[cfg(not(unix))]
fn is_character_device(_: &Metadata) -> bool {
    true
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
    #[test]
    fn what_may_wait_for_a_reader_for_ever_is_refused_and_what_is_open_here_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&fifo, &link).unwrap();
        for path in [&fifo, &socket, &link] {
            let error = check(&[junit(path)], &[]).unwrap_err().to_string();
            assert!(
                error.contains("neither a file nor a character device") && error.contains("--junit >(…)"),
                "{error}"
            );
        }
        let (mut reader, writer) = io::pipe().unwrap();
        let handed = PathBuf::from(format!("/dev/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&writer)));
        check(&[junit(&handed)], &[]).unwrap();
        junit(&handed).write("whole").unwrap();
        drop(writer);
        assert_eq!(io::read_to_string(&mut reader).unwrap(), "whole");
    }

    #[test]
    fn a_link_that_leads_nowhere_is_told_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("gone/out.xml", &link).unwrap();
        let error = check(&[junit(&link)], &[]).unwrap_err().to_string();
        assert!(error.contains("it is a link to gone/out.xml, and no file is there"), "{error}");
    }

    #[test]
    fn a_report_takes_the_place_of_the_one_before_and_keeps_its_link_and_its_mode() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("out.xml"), folder.path().join("link"));
        std::fs::write(&file, "before, and longer").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("out.xml", &link).unwrap();
        let mut open_before = File::open(&file).unwrap();
        junit(&link).write("after").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "after");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(link.is_symlink());
        assert_eq!(io::read_to_string(&mut open_before).unwrap(), "before, and longer", "it is another file");
        junit(&folder.path().join("new")).write("new").unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is left beside them");
    }
}
