//! The hash chain that ties each line of a journal to all lines before it.
//!
//! It shows that a line was changed, taken out or put in. It does not show who wrote the journal: whoever rewrites
//! every line can make a new chain.

use std::fmt;

use sha2::{Digest, Sha256};

/// The state of the chain after some line: the first 16 bytes of a SHA-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain([u8; 16]);

impl Chain {
    /// Before the first line: zeros.
    pub const START: Self = Self([0; 16]);

    /// After one more line: SHA-256 of this chain's bytes and then the line without its `chain` and line end.
    #[must_use]
    pub fn after(self, line: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(line.as_bytes());
        let mut first = [0; 16];
        for (to, from) in first.iter_mut().zip(hash.finalize()) {
            *to = from;
        }
        Self(first)
    }

    /// Puts the chain at the end of a line: `{…}` becomes `{…,"chain":"…"}`.
    pub(super) fn seal(self, line: &str) -> String {
        format!("{},\"chain\":\"{self}\"}}", line.strip_suffix('}').unwrap_or(line))
    }

    /// Takes a sealed line apart: the line as it was before, and the chain's text. `None` when it has no seal.
    pub(super) fn unseal(sealed: &str) -> Option<(String, &str)> {
        let inner = sealed.strip_suffix("\"}")?;
        let at = inner.len().checked_sub(32)?;
        let (rest, hex) = (inner.get(..at)?, inner.get(at..)?);
        let body = rest.strip_suffix(",\"chain\":\"")?;
        hex.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| (format!("{body}}}"), hex))
    }
}

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chain_is_the_first_half_of_a_sha256_over_the_chain_before_and_the_line() {
        // (head -c 16 /dev/zero; printf '{}') | sha256sum | cut -c 1-32
        assert_eq!(Chain::START.after("{}").to_string(), "333b13ff02f57ae18049b82ca66f3759");
    }

    #[test]
    fn unsealing_gives_back_what_was_sealed() {
        let line = r#"{"seq":0,"at":1.5,"event":"run-ended"}"#;
        let chain = Chain::START.after(line);
        let sealed = chain.seal(line);
        assert_eq!(Chain::unseal(&sealed), Some((line.to_owned(), chain.to_string().as_str())));
        assert_eq!(Chain::unseal(line), None);
        assert_eq!(Chain::unseal(&sealed[..sealed.len() - 1]), None);
    }
}
