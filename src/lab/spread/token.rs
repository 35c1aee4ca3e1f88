//! What tells who leads a lab from everybody else who reaches the ports that its engine publishes.

use std::fmt;
use std::io;
use std::str::FromStr;
use std::time::Duration;

use rand::RngExt;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// The environment variable in which a hub is given its token: whoever shares its machine reads a command line, but not
/// the environment of another's process.
pub const TOKEN: &str = "MUSTER_LAB_TOKEN";

/// Hexadecimal digits of a token: 128 bits.
const DIGITS: usize = 32;
/// How long somebody who comes may take to say it, wall time.
const SAID_WITHIN: Duration = Duration::from_secs(5);

/// A word of chance that a run shares with its hub. Whoever comes to a published port says it first.
///
/// It goes over the network as it is. It keeps out who can reach the port, not who can read what passes between muster and
/// the engine's machine.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; DIGITS]);

/// What is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{TOKEN} holds no token; expected {DIGITS} hexadecimal digits, which the Docker lab gives its hub")]
pub struct NoToken;

impl Token {
    /// One that nobody can guess.
    #[must_use]
    pub fn of_chance() -> Self {
        let mut chance = rand::rng();
        Self(std::array::from_fn(|_| b"0123456789abcdef"[usize::from(chance.random::<u8>() % 16)]))
    }

    /// Says it to whoever is at the other end.
    ///
    /// # Errors
    /// When the connection has ended.
    pub async fn say(&self, stream: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        stream.write_all(&self.line()).await
    }

    /// Whether whoever came says it, at once and first of all. Nothing after it is read.
    pub async fn is_said(&self, stream: &mut (impl AsyncRead + Unpin)) -> bool {
        let mut said = [0; DIGITS + 1];
        let read = tokio::time::timeout(SAID_WITHIN, stream.read_exact(&mut said)).await;
        // Each byte is compared, whatever those before it were: how long it takes tells nothing.
        let differs = said.iter().zip(self.line()).fold(0, |differs, (said, due)| differs | (said ^ due));
        matches!(read, Ok(Ok(_))) && differs == 0
    }

    fn line(&self) -> [u8; DIGITS + 1] {
        std::array::from_fn(|place| self.0.get(place).copied().unwrap_or(b'\n'))
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// Not itself: what is logged must not let anybody in.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl FromStr for Token {
    type Err = NoToken;
    fn from_str(text: &str) -> Result<Self, NoToken> {
        let digits: [u8; DIGITS] = text.as_bytes().try_into().map_err(|_| NoToken)?;
        if digits.iter().all(u8::is_ascii_hexdigit) { Ok(Self(digits)) } else { Err(NoToken) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_let_in(said: &[u8]) -> bool {
        let token: Token = "0123456789abcdef0123456789abcdef".parse().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (mut one, mut other) = tokio::io::duplex(64);
            one.write_all(said).await.unwrap();
            drop(one);
            token.is_said(&mut other).await
        })
    }

    #[test]
    fn only_who_says_it_whole_is_let_in() {
        assert!(is_let_in(b"0123456789abcdef0123456789abcdef\n"));
        assert!(is_let_in(b"0123456789abcdef0123456789abcdef\n{\"ping\":1}\n"));
        for other in
            ["0123456789abcdef0123456789abcdee\n", "0123456789abcdef\n", "", "GET / HTTP/1.1\r\nHost: hub\r\n\r\n"]
        {
            assert!(!is_let_in(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn each_is_another_is_read_back_and_is_not_shown() {
        let token = Token::of_chance();
        assert_ne!(token, Token::of_chance());
        assert_eq!(token.to_string().parse(), Ok(token.clone()));
        assert!(!format!("{token:?}").contains(&token.to_string()));
        assert_eq!("7".parse::<Token>(), Err(NoToken));
    }
}
