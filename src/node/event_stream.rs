//! Server-sent events as inference servers send them: `data: {...}` lines, and `data: [DONE]` at the end.
//!
//! It reads what comes in pieces, cut anywhere. It keeps no more than one unfinished line.

use serde_json::Value;

/// The last event of a stream that came to its end.
const DONE: &str = "[DONE]";

/// The media type.
pub(super) const EVENT_STREAM: &str = "text/event-stream";

/// Bytes of one line that are kept at most; a longer one is no event of an inference server.
const LINE_LIMIT: usize = 1024 * 1024;

/// One event, ready to be sent.
pub(super) fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

/// The event after which nothing comes.
pub(super) fn last_event() -> String {
    format!("data: {DONE}\n\n")
}

/// What was seen of a stream so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress {
    line: Vec<u8>,
    tokens: u64,
    done: bool,
}

impl Progress {
    /// More of the stream has come.
    pub(super) fn read(&mut self, piece: &[u8]) {
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + part.len() <= LINE_LIMIT {
                self.line.extend_from_slice(part);
            }
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                self.read_line(String::from_utf8_lossy(&line).trim_end());
            }
        }
    }

    fn read_line(&mut self, line: &str) {
        let Some(data) = line.strip_prefix("data:").map(str::trim_start) else { return };
        if data == DONE {
            self.done = true;
        } else if serde_json::from_str(data).is_ok_and(|data| holds_text(&data)) {
            self.tokens += 1;
        }
    }

    /// How many events had text: inference servers send one for each token.
    pub(super) const fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Whether it has come to its end.
    pub(super) const fn is_done(&self) -> bool {
        self.done
    }
}

fn holds_text(event: &Value) -> bool {
    let choice = &event["choices"][0];
    [&choice["text"], &choice["delta"]["content"]]
        .into_iter()
        .any(|text| text.as_str().is_some_and(|it| !it.is_empty()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn stream() -> String {
        [
            event(&json!({"choices": [{"delta": {"role": "assistant", "content": ""}}]})),
            event(&json!({"choices": [{"delta": {"content": " ready"}}]})),
            ": a comment that keeps the connection open\n\n".to_owned(),
            event(&json!({"choices": [{"text": " été"}]})),
            event(&json!({"choices": [], "usage": {"completion_tokens": 2}})),
            last_event(),
        ]
        .concat()
    }

    proptest! {
        #[test]
        fn a_stream_is_read_the_same_wherever_it_is_cut(cuts in proptest::collection::vec(0..400_usize, 0..6)) {
            let stream = stream();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
            cuts.extend([0, stream.len()]);
            cuts.sort_unstable();
            let mut progress = Progress::default();
            for piece in cuts.windows(2) {
                progress.read(&stream.as_bytes()[piece[0]..piece[1]]);
            }
            prop_assert_eq!((progress.tokens(), progress.is_done()), (2, true));
        }
    }

    #[test]
    fn a_stream_that_breaks_off_is_not_done() {
        let stream = stream();
        let mut progress = Progress::default();
        progress.read(&stream.as_bytes()[..stream.len() - "]\n\n".len()]);
        assert!(!progress.is_done());
    }

    #[test]
    fn a_line_without_end_is_not_kept_without_end() {
        let mut progress = Progress::default();
        for _ in 0..3 {
            progress.read(&vec![b'x'; LINE_LIMIT]);
        }
        assert!(progress.line.len() <= LINE_LIMIT);
    }
}
