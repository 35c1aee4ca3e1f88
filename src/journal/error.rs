//! What goes wrong with a journal, and what to do then.

use std::io;
use std::path::PathBuf;

/// A journal that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// There is a file already.
    #[error("{path}: there is a journal already, and a journal is never overwritten; name another output folder")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be made.
    #[error("{path}: the journal cannot be made: {source}; check that the folder exists and may be written to")]
    Create {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A line cannot be written. What came before it stays readable, and the writer goes on in memory.
    #[error(
        "{path}: line {line} of the journal cannot be written: {source}; what was broken is healed and \
         the run given up; make room and run the drill again"
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: u64,
        /// What the system says.
        source: io::Error,
    },
    /// An event that would not come back from the file as it was.
    #[error("line {line} of the journal cannot be written as JSON: {source}; this is a defect of muster")]
    Encode {
        /// From 1.
        line: u64,
        /// What the format says.
        source: serde_json::Error,
    },
    /// The file cannot be read.
    #[error("{path}: the journal cannot be read: {source}; name a report folder or its journal.jsonl")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A line does not follow from the lines before it.
    #[error(
        "{path}:{line}: the hash chain is broken here: this line, or one before it, was changed, taken out or put in; \
         judge the untouched copy of this journal, or run the drill again"
    )]
    BrokenChain {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
    },
    /// A line in the middle is no line of a journal.
    #[error("{path}:{line}: damaged: {problem}; judge an undamaged copy of this journal, or run the drill again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// An event of a kind that this version does not know.
    #[error(
        "{path}:{line}: event `{kind}` is not known to muster {}; judge this journal with the version that wrote it \
         (its first line says which)",
        env!("CARGO_PKG_VERSION")
    )]
    UnknownEvent {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// The kind.
        kind: String,
    },
}
