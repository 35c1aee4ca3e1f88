//! The folder that a run leaves behind: `reports/<drill>-<UTC time>/`. Two runs never share one.
//!
//! A campaign's is `reports/<campaign>-<UTC time>/`, and holds those of its drills.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use time::OffsetDateTime;
use time::macros::format_description;

/// The journal's file in a run's folder.
pub const JOURNAL: &str = "journal.jsonl";
/// The summary's.
pub const SUMMARY: &str = "summary.json";

/// A report folder, made for one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
}

/// The folder of a campaign where that of one run is wanted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{folder}: this is the report folder of a campaign; name that of one of its drills: {}", listed(drills))]
pub struct IsCampaign {
    /// The campaign's folder.
    pub folder: PathBuf,
    /// The folders of its drills, at least one.
    pub drills: BTreeSet<PathBuf>,
}

fn listed(folders: &BTreeSet<PathBuf>) -> String {
    folders.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// A folder that cannot be made, or a file that cannot be written into it.
#[derive(Debug, thiserror::Error)]
#[error(
    "{path}: cannot be made: {source}; check that there is room and that it may be written to, or name another --out"
)]
pub struct FolderError {
    /// The folder or file.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

impl Folder {
    /// Makes `<out>/<drill>-<UTC time>/`, and `<out>` where it is missing. A second run in the same second gets `-2`.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(out: &Path, drill: &str, now: OffsetDateTime) -> Result<Self, FolderError> {
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source| FolderError { path, source }
        };
        std::fs::create_dir_all(out).map_err(failed(out))?;
        let format = format_description!("[year][month][day]T[hour][minute][second]Z");
        let utc = now.to_offset(time::UtcOffset::UTC);
        let moment = utc.format(&format).map_err(|error| failed(out)(io::Error::other(error)))?;
        for suffix in 1_u32.. {
            let more = if suffix == 1 { String::new() } else { format!("-{suffix}") };
            let path = out.join(format!("{}-{moment}{more}", file_name(drill)));
            // `create_dir` fails when the folder is there: the one who makes it holds it.
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(FolderError { path, source }),
            }
        }
        Err(failed(out)(io::Error::from(io::ErrorKind::AlreadyExists)))
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `journal.jsonl`.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    /// `junit.xml`.
    #[must_use]
    pub fn junit(&self) -> PathBuf {
        self.path.join("junit.xml")
    }

    /// `summary.json`.
    #[must_use]
    pub fn summary(&self) -> PathBuf {
        self.path.join(SUMMARY)
    }

    /// Writes the `JUnit` file and the summary beside the journal.
    ///
    /// # Errors
    /// When one cannot be written.
    pub fn write(&self, junit: &str, summary: &str) -> Result<(), FolderError> {
        for (path, text) in [(self.junit(), junit), (self.summary(), summary)] {
            std::fs::write(&path, text).map_err(|source| FolderError { path, source })?;
        }
        Ok(())
    }
}

/// The folders of this drill inside `out`, whoever made them, in the order of time.
#[must_use]
pub fn of_drill(out: &Path, drill: &str) -> BTreeSet<PathBuf> {
    let inside = std::fs::read_dir(out).into_iter().flatten().flatten();
    let name = file_name(drill);
    // What follows the drill's name begins with a date: `a-20260301T…` is none of the drill `a-b`, and the other way round.
    let is_run = |found: &str| {
        let moment = found.strip_prefix(&name).and_then(|rest| rest.strip_prefix('-'));
        moment
            .and_then(|moment| moment.split_once('T'))
            .is_some_and(|(date, _)| date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()))
    };
    inside.filter(|entry| entry.file_name().to_str().is_some_and(is_run)).map(|entry| entry.path()).collect()
}

/// The report folders of the drills inside that of a campaign, in the order of their names; none when it is none.
#[must_use]
pub fn of_campaign(folder: &Path) -> BTreeSet<PathBuf> {
    let inside = std::fs::read_dir(folder).into_iter().flatten().flatten();
    inside.map(|entry| entry.path()).filter(|path| path.join(JOURNAL).is_file()).collect()
}

/// A drill's name, safe as the name of a folder.
fn file_name(drill: &str) -> String {
    drill.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn two_runs_in_one_second_get_two_folders() {
        let out = tempfile::tempdir().unwrap();
        let out = out.path().join("reports");
        let now = datetime!(2026-03-01 12:00:05 +2);
        let first = Folder::create(&out, "database-down", now).unwrap();
        let second = Folder::create(&out, "database-down", now).unwrap();
        assert_eq!(first.path(), out.join("database-down-20260301T100005Z"));
        assert_eq!(second.path(), out.join("database-down-20260301T100005Z-2"));
        assert!(first.path().is_dir() && second.path().is_dir());
    }

    #[test]
    fn a_drills_name_never_leads_out_of_the_folder() {
        let out = tempfile::tempdir().unwrap();
        let folder = Folder::create(out.path(), "../up/../x y", datetime!(2026-03-01 12:00 UTC)).unwrap();
        assert_eq!(folder.path().parent(), Some(out.path()));
    }

    #[test]
    fn a_drills_folders_are_told_from_those_of_drills_with_a_longer_name() {
        let out = tempfile::tempdir().unwrap();
        let now = datetime!(2026-03-01 12:00 UTC);
        for drill in ["down", "down-again", "region-down", "down"] {
            Folder::create(out.path(), drill, now).unwrap();
        }
        let names = ["down-20260301T120000Z", "down-20260301T120000Z-2"].map(|name| out.path().join(name));
        assert_eq!(of_drill(out.path(), "down"), BTreeSet::from(names));
        assert_eq!(of_drill(&out.path().join("nowhere"), "down"), BTreeSet::new());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let out = tempfile::tempdir().unwrap();
        let file = out.path().join("reports");
        std::fs::write(&file, "").unwrap();
        let error = Folder::create(&file, "d", datetime!(2026-03-01 12:00 UTC)).unwrap_err();
        assert_eq!(error.path, file);
    }

    #[test]
    fn both_files_stand_beside_the_journal() {
        let out = tempfile::tempdir().unwrap();
        let folder = Folder::create(out.path(), "d", datetime!(2026-03-01 12:00 UTC)).unwrap();
        folder.write("<xml/>", "{}").unwrap();
        assert_eq!(std::fs::read_to_string(folder.junit()).unwrap(), "<xml/>");
        assert_eq!(std::fs::read_to_string(folder.summary()).unwrap(), "{}");
    }
}
