//! Writes a journal: append-only, one event a line, handed to the system as it happens.
//!
//! It never judges and never decides what is worth writing.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::event::Stamped;
use super::{Chain, JournalError};

/// A line without its chain.
#[derive(Serialize, Deserialize)]
pub(super) struct Line {
    /// From 0.
    pub(super) seq: u64,
    /// The event.
    #[serde(flatten)]
    pub(super) stamped: Stamped,
}

/// A journal that is being written.
///
/// It also keeps the events in memory, exactly as a reader of the file would get them, so that a run whose disk is
/// full can still be judged.
pub struct Writer {
    path: PathBuf,
    sink: Option<Box<dyn Write + Send>>,
    chain: Chain,
    events: Vec<Stamped>,
}

impl Writer {
    /// Makes the file; never one that is there already.
    ///
    /// # Errors
    /// When there is a file of that name, or none can be made.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        match OpenOptions::new().append(true).create_new(true).open(path) {
            Ok(file) => Ok(Self::to(path, Box::new(file))),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(JournalError::Exists { path: path.to_path_buf() })
            }
            Err(source) => Err(JournalError::Create { path: path.to_path_buf(), source }),
        }
    }

    fn to(path: &Path, sink: Box<dyn Write + Send>) -> Self {
        Self { path: path.to_path_buf(), sink: Some(sink), chain: Chain::START, events: Vec::new() }
    }

    /// Writes one event down.
    ///
    /// # Errors
    /// The first time that the file takes no more: the event is kept in memory, and so are all later ones, without
    /// an error; [`Writer::is_whole`] tells. Also when the event cannot be told in JSON; then it is not kept.
    pub fn write(&mut self, stamped: &Stamped) -> Result<(), JournalError> {
        let seq = self.events.len() as u64;
        let encoded = |source| JournalError::Encode { line: seq + 1, source };
        let text = serde_json::to_string(&Line { seq, stamped: stamped.clone() }).map_err(encoded)?;
        // What is judged from memory must be what is judged from the file, to the last microsecond.
        let line: Line = serde_json::from_str(&text).map_err(encoded)?;
        self.events.push(line.stamped);
        self.chain = self.chain.after(&text);
        let sealed = format!("{}\n", self.chain.seal(&text));
        let Some(sink) = &mut self.sink else { return Ok(()) };
        let written = sink.write_all(sealed.as_bytes()).and_then(|()| sink.flush());
        written.map_err(|source| {
            // Nothing may follow a torn line: a reader forgives one only at the very end.
            self.sink = None;
            JournalError::Write { path: self.path.clone(), line: seq + 1, source }
        })
    }

    /// Every event so far, as a reader of the file would get it.
    #[must_use]
    pub fn events(&self) -> &[Stamped] {
        &self.events
    }

    /// The chain after the last event.
    #[must_use]
    pub const fn chain(&self) -> Chain {
        self.chain
    }

    /// Whether the file holds every event.
    #[must_use]
    pub const fn is_whole(&self) -> bool {
        self.sink.is_some()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("path", &self.path).field("events", &self.events.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::LabTime;
    use crate::journal::event::Event;
    use crate::journal::{read, synthetic};

    /// A disk with room for so many bytes.
    struct Disk(usize);

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.0 == 0 {
                return Err(io::Error::from(io::ErrorKind::StorageFull));
            }
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn ended(micros: u64) -> Stamped {
        Stamped { at: LabTime::at(Duration::from_micros(micros)), event: Event::RunEnded }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut writer = Writer::create(&path).unwrap();
        let events = synthetic::passing().events();
        for stamped in &events {
            writer.write(stamped).unwrap();
        }
        let reading = read(&path).unwrap();
        assert_eq!(reading.events, events);
        assert_eq!(reading.chain, writer.chain());
        assert!(!reading.cut_off);
    }

    #[test]
    fn each_event_is_in_the_file_as_soon_as_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut writer = Writer::create(&path).unwrap();
        writer.write(&ended(1_500_000)).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with(r#"{"seq":0,"at":1.5,"event":"run-ended","chain":""#), "{text}");
        assert!(text.ends_with("\"}\n"), "{text}");
    }

    #[test]
    fn a_journal_is_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        std::fs::write(&path, "precious").unwrap();
        assert!(matches!(Writer::create(&path), Err(JournalError::Exists { .. })));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    }

    #[test]
    fn a_full_disk_is_an_error_once_and_the_events_stay_in_memory() {
        let mut writer = Writer::to(Path::new("j.jsonl"), Box::new(Disk(100)));
        writer.write(&ended(1)).unwrap();
        let error = writer.write(&ended(2)).unwrap_err();
        assert!(error.to_string().starts_with("j.jsonl: line 2 of the journal cannot be written"), "{error}");
        writer.write(&ended(3)).unwrap();
        assert!(!writer.is_whole());
        assert_eq!(writer.events(), [ended(1), ended(2), ended(3)]);
    }

    #[test]
    fn memory_holds_what_the_file_holds_to_the_microsecond() {
        let mut writer = Writer::to(Path::new("j.jsonl"), Box::new(io::sink()));
        let stamped = Stamped { at: LabTime::at(Duration::from_nanos(1_000_999)), event: Event::RunEnded };
        writer.write(&stamped).unwrap();
        assert_eq!(writer.events()[0].at, LabTime::at(Duration::from_millis(1)));
    }
}
