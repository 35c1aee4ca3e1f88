//! Reads a journal back, and refuses one that was tampered with.
//!
//! It knows lines and the chain, never what the events mean together.

use std::path::Path;

use super::event::{Event, Stamped};
use super::writer::Line;
use super::{Chain, JournalError};

/// A journal, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Every whole line, in order.
    pub events: Vec<Stamped>,
    /// The journal ends before its run did: in the middle of a line, or without [`Event::RunEnded`].
    pub cut_off: bool,
    /// The chain after the last whole line.
    pub chain: Chain,
}

/// A journal of a week at the fastest cadence stays far below this; what is larger is none. Bytes.
const LARGEST: u64 = 4 << 30;

/// Reads a file.
///
/// # Errors
/// When it cannot be read, its chain is broken, a line before the last is damaged, or an event is not known.
pub fn read(path: &Path) -> Result<Reading, JournalError> {
    let bytes = crate::source::read_bytes(path, LARGEST)
        .map_err(|source| JournalError::Read { path: path.to_path_buf(), source })?;
    parse(path, &bytes)
}

/// Reads the bytes of a journal; `path` is only for errors.
///
/// # Errors
/// When the chain is broken, a line before the last is damaged, or an event is not known.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Reading, JournalError> {
    let mut reading = Reading { events: Vec::new(), cut_off: false, chain: Chain::START };
    for (index, raw) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let (text, whole) = match raw.strip_suffix(b"\n") {
            Some(text) => (text, true),
            None => (raw, false),
        };
        let sealed = std::str::from_utf8(text).ok();
        let Some((body, hex)) = sealed.and_then(Chain::unseal) else {
            if whole {
                let problem = match sealed {
                    None => "not UTF-8",
                    Some("") => "an empty line",
                    Some(_) => "the line does not end with its `chain`",
                };
                return Err(damaged(path, index, problem));
            }
            if reading.events.iter().any(|stamped| stamped.event == Event::RunEnded) {
                return Err(damaged(path, index, "the run had ended, and nothing follows that"));
            }
            // Only a writer that was killed in the middle of a line leaves one without its end.
            reading.cut_off = true;
            return Ok(reading);
        };
        reading.chain = reading.chain.after(&body);
        if reading.chain.to_string() != hex {
            return Err(JournalError::BrokenChain { path: path.to_path_buf(), line: index + 1 });
        }
        let line: Line = serde_json::from_str(&body).map_err(|error| not_an_event(path, index, &body, &error))?;
        if line.seq != index as u64 {
            return Err(damaged(path, index, &format!("expected `seq` {index}, found {}", line.seq)));
        }
        reading.events.push(line.stamped);
    }
    reading.cut_off = !reading.events.iter().any(|stamped| stamped.event == Event::RunEnded);
    Ok(reading)
}

fn damaged(path: &Path, index: usize, problem: &str) -> JournalError {
    JournalError::Damaged { path: path.to_path_buf(), line: index + 1, problem: problem.to_owned() }
}

fn not_an_event(path: &Path, index: usize, body: &str, error: &serde_json::Error) -> JournalError {
    let kind = serde_json::from_str::<serde_json::Value>(body)
        .ok()
        .and_then(|line| line.get("event")?.as_str().map(str::to_owned))
        .filter(|kind| error.to_string().starts_with(&format!("unknown variant `{kind}`")));
    match kind {
        Some(kind) => JournalError::UnknownEvent { path: path.to_path_buf(), line: index + 1, kind },
        None => damaged(path, index, &error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use proptest::prelude::*;

    use super::*;
    use crate::journal::synthetic;

    fn journal() -> &'static str {
        static TEXT: OnceLock<String> = OnceLock::new();
        TEXT.get_or_init(|| synthetic::passing().until(62.0).add(62.0, Event::RunEnded).text())
    }

    fn read_text(text: &str) -> Result<Reading, JournalError> {
        parse(Path::new("j.jsonl"), text.as_bytes())
    }

    fn sealed(bodies: &[&str]) -> String {
        let mut chain = Chain::START;
        let mut text = String::new();
        for body in bodies {
            chain = chain.after(body);
            text += &chain.seal(body);
            text.push('\n');
        }
        text
    }

    proptest! {
        #[test]
        fn any_truncation_of_a_journal_stays_readable(share in 0.0..1.0_f64) {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss,
                     reason = "any place in the text will do")]
            let at = (journal().len() as f64 * share) as usize;
            let reading = parse(Path::new("j.jsonl"), &journal().as_bytes()[..at]).unwrap();
            let whole = read_text(journal()).unwrap();
            prop_assert!(reading.cut_off || at >= journal().len() - 1);
            prop_assert!(whole.events.starts_with(&reading.events));
            let lines = journal().as_bytes()[..at].split(|&byte| byte == b'\n').count() - 1;
            prop_assert!(reading.events.len() == lines || reading.events.len() == lines + 1);
        }

        #[test]
        fn a_digit_changed_anywhere_is_noticed(pick in any::<prop::sample::Index>()) {
            let digits: Vec<usize> = journal().bytes().enumerate()
                .filter(|(_, byte)| byte.is_ascii_digit()).map(|(at, _)| at).collect();
            let mut bytes = journal().as_bytes().to_vec();
            let at = digits[pick.index(digits.len())];
            bytes[at] = if bytes[at] == b'7' { b'8' } else { b'7' };
            prop_assert!(parse(Path::new("j.jsonl"), &bytes).is_err());
        }
    }

    #[test]
    fn a_line_cut_off_at_the_end_is_left_out_and_told() {
        let text = journal();
        let reading = read_text(&text[..text.len() - 5]).unwrap();
        assert!(reading.cut_off);
        assert_eq!(reading.events.len(), text.lines().count() - 1);
    }

    #[test]
    fn a_journal_that_stops_between_two_lines_is_cut_off_too() {
        let kept: Vec<&str> = journal().lines().collect();
        let text = format!("{}\n", kept[..kept.len() - 1].join("\n"));
        assert!(read_text(&text).unwrap().cut_off);
    }

    #[test]
    fn a_line_taken_out_breaks_the_chain_at_the_next_one() {
        let mut lines: Vec<&str> = journal().lines().collect();
        lines.remove(4);
        let error = read_text(&format!("{}\n", lines.join("\n"))).unwrap_err();
        assert!(matches!(error, JournalError::BrokenChain { line: 5, .. }), "{error}");
        assert!(error.to_string().starts_with("j.jsonl:5: the hash chain is broken here"), "{error}");
    }

    #[test]
    fn a_torn_line_in_the_middle_is_an_error() {
        let mut lines: Vec<&str> = journal().lines().collect();
        lines[3] = &lines[3][..20];
        let error = read_text(&format!("{}\n", lines.join("\n"))).unwrap_err();
        assert!(matches!(error, JournalError::Damaged { line: 4, .. }), "{error}");
    }

    #[test]
    fn a_lab_that_was_ready_before_clocks_were_compared_is_still_read() {
        let old = r#"{"seq":0,"at":0.0,"event":"lab-ready","lab":"docker","ground":"container","hosts":1,"took":0.5,"families":["A"]}"#;
        let new = old.replacen(r#"["A"]"#, r#"["A"],"clock":{"ahead":-0.0042,"within":0.0013}"#, 1);
        let clock = |line: &str| match &read_text(&sealed(&[line])).unwrap().events[0].event {
            Event::LabReady { clock, .. } => *clock,
            other => panic!("{other:?}"),
        };
        assert_eq!(clock(old), None);
        let within = std::time::Duration::from_micros(1300);
        assert_eq!(clock(&new), Some(crate::clock::ClockOffset { ahead: -0.0042, within }));
    }

    #[test]
    fn an_event_of_a_later_version_is_named() {
        let text = sealed(&[r#"{"seq":0,"at":0.0,"event":"moon-rose","phase":"full"}"#]);
        let error = read_text(&text).unwrap_err();
        assert!(error.to_string().starts_with("j.jsonl:1: event `moon-rose` is not known to muster"), "{error}");
    }

    #[test]
    fn lines_out_of_order_are_damaged_even_when_the_chain_is_right() {
        let text = sealed(&[r#"{"seq":1,"at":0.0,"event":"run-ended"}"#]);
        assert!(read_text(&text).unwrap_err().to_string().contains("expected `seq` 0, found 1"));
    }
}
