//! What `HAProxy` tells of the requests that arrive at it: a line of its log for each, as a datagram.
//!
//! So its arrivals are written down as those of muster's own load balancer are, by who is not `HAProxy`. A line is written
//! when a request has ended, and says when that was and how long the request took, by the machine's own clock; both are
//! counted in whole milliseconds of wall time or finer, and so is the moment of arrival that follows from them. A
//! datagram that the kernel drops is an arrival that is not seen; it keeps two hundred of them, and they are read at once.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use futures_util::FutureExt;
use tokio::net::UdpSocket;

use crate::ground::Environment;
use crate::journal::event::Event;

use super::process::Serving;
use super::{Arrivals, GONE_BEFORE_ANSWER};

/// Where `HAProxy` sends its log, in the network that it shares with who reads it.
pub const HEARD_AT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 5140);

/// The first word of a line that tells of a request; `HAProxy` has others to say as well. The words are those of
/// `log-format` in `docker/haproxy/haproxy.cfg.in`.
const OF_A_REQUEST: &str = "arrival";

/// The longest line that `HAProxy` writes.
const LONGEST: usize = 1024;

/// Wall time within which a line is read. One that seems older was written before the machine's clock was set.
const READ_WITHIN: Duration = Duration::from_secs(1);

/// A line that tells of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    client: IpAddr,
    /// Since the epoch.
    ended: Duration,
    /// From the request's first byte to its end; zero when `HAProxy` does not know.
    took: Duration,
    /// -1: `HAProxy` gave none.
    status: i32,
    /// Who ended the session, and what was waited for then (`HAProxy` Configuration Manual, "Session state at
    /// disconnection").
    state: [char; 2],
}

/// Why a line cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `{OF_A_REQUEST} <address> <microseconds> <milliseconds> <status> <state> <backend>/<server>`")]
struct Unreadable;

impl FromStr for Line {
    type Err = Unreadable;

    fn from_str(text: &str) -> Result<Self, Unreadable> {
        let words: Vec<&str> = text.split(' ').collect();
        let [OF_A_REQUEST, client, ended, took, status, state, server] = words[..] else { return Err(Unreadable) };
        let mut state = state.chars();
        let (Some(by), Some(waiting), None) = (state.next(), state.next(), state.next()) else {
            return Err(Unreadable);
        };
        // A line that was cut short would end before it.
        if !server.contains('/') {
            return Err(Unreadable);
        }
        let millis: i64 = took.parse().map_err(|_| Unreadable)?;
        Ok(Self {
            client: client.parse::<IpAddr>().map_err(|_| Unreadable)?.to_canonical(),
            ended: Duration::from_micros(ended.parse().map_err(|_| Unreadable)?),
            took: Duration::from_millis(u64::try_from(millis).unwrap_or_default()),
            status: status.parse().map_err(|_| Unreadable)?,
            state: [by, waiting],
        })
    }
}

impl Line {
    /// Whether a whole request had come: before that it is none.
    const fn has_arrived(&self) -> bool {
        self.state[1] != 'R'
    }

    /// The status that the client was given. What `HAProxy` notes of a client that was gone before there was an answer, or
    /// of an answer that it never got, nobody was given.
    fn given(&self) -> u16 {
        let gone = matches!(self.state, ['C' | 'c', 'Q' | 'C' | 'H']);
        let status = u16::try_from(self.status).ok().filter(|status| (100..600).contains(status) && !gone);
        status.unwrap_or(GONE_BEFORE_ANSWER)
    }

    /// From the request's arrival to this moment since the epoch.
    fn held(&self, now: Duration) -> Duration {
        self.took + now.saturating_sub(self.ended).min(READ_WITHIN)
    }
}

/// Listens for `HAProxy`'s log, and writes down the arrivals that it tells. Bound when this returns.
///
/// # Errors
/// When the address cannot be bound.
pub fn bind(at: SocketAddr, arrivals: Arrivals, environment: Environment) -> io::Result<Serving> {
    let socket = std::net::UdpSocket::bind(at)?;
    socket.set_nonblocking(true)?;
    let socket = UdpSocket::from_std(socket)?;
    Ok(async move {
        let mut datagram = [0; LONGEST];
        loop {
            // An error here is of a datagram that was not sent to it.
            let Ok(length) = socket.recv(&mut datagram).await else {
                tokio::task::yield_now().await;
                continue;
            };
            hear(&String::from_utf8_lossy(&datagram[..length]), &arrivals, &environment);
        }
    }
    .boxed_local())
}

/// Takes in one datagram. A line of a request that cannot be read is evidence that is lost, and the lab's own trouble.
fn hear(datagram: &str, arrivals: &Arrivals, environment: &Environment) {
    let text = datagram.trim_end_matches(['\0', '\n']);
    if text.split(' ').next() != Some(OF_A_REQUEST) {
        return;
    }
    match text.parse::<Line>() {
        Ok(line) if line.has_arrived() => {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
            arrivals.told(line.client, line.given(), environment.clock.speed().to_lab(line.held(now)));
        }
        Ok(_) => {}
        Err(expected) => {
            let reason = format!("HAProxy of {} logged `{}`; {expected}", arrivals.cell(), text.escape_debug());
            environment.recorder.record(Event::LabBroke { reason });
        }
    }
}

#[cfg(test)]
mod tests;
