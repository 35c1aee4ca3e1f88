//! A client's pool of connections: when it resolves again, and when it tries again.
//!
//! As long as a connection lives, no lookup is made, and no DNS failover moves the client. The pool decides; it opens
//! nothing and sends nothing. One request is under way at a time.

use std::fmt;
use std::time::Duration;

use crate::clock::LabTime;

/// How many times the recycling pool tries a request.
const RECYCLING_ATTEMPTS: u32 = 3;
/// The longest that the recycling pool waits between two attempts.
const LONGEST_BACKOFF: Duration = Duration::from_secs(8);

/// How a client holds on to its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolPolicy {
    /// Each request has a connection of its own. No second attempt.
    Fresh,
    /// A connection lives until it breaks, whatever the answers on it say. No second attempt.
    KeepAlive,
    /// The pool of a wrapper like this, which many services write around their HTTP client: it is replaced before an
    /// attempt when it is older than `max_age`, and after 502, 503, 504, a connect error, a read timeout or a
    /// protocol error. Then there is another attempt, at most three in all, after 1 s, 2 s, and so on up to 8 s.
    ///
    /// Two ends are not among those that it handles, as in a wrapper that lists its exceptions: a connect *timeout*
    /// and a connection that is reset while the answer is read. They end the request at once.
    Recycling {
        /// A pool that is older than this is replaced before it is used again.
        max_age: Duration,
    },
    /// A pool that is replaced before an attempt when it is older than `max_age`, and for no other reason. No second
    /// attempt.
    Ageing {
        /// A pool that is older than this is replaced before it is used again.
        max_age: Duration,
    },
}

/// How one attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptEnd {
    /// An answer came, with this status.
    Status(u16),
    /// No connection: refused, or no route.
    ConnectError,
    /// No connection in time.
    ConnectTimeout,
    /// Connected, but no whole answer in time.
    ReadTimeout,
    /// The connection was reset while the answer was read.
    ReadError,
    /// The peer closed without an answer, or answered with what is no HTTP.
    ProtocolError,
}

/// Why a connection was given up, so that the next attempt resolves again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// It was this old.
    Age(Duration),
    /// The last attempt on it ended like this.
    Attempt(AttemptEnd),
}

/// What to do before an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeforeRequest {
    /// The pool was just given up for this.
    pub dropped: Option<DropReason>,
    /// The attempt needs a new connection: resolve the name and connect.
    pub connect: bool,
}

/// What to do after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AfterAttempt {
    /// Whether to go on.
    pub next: Next,
    /// The pool was just given up for this. Never set for [`PoolPolicy::Fresh`], which has no pool.
    pub dropped: Option<DropReason>,
}

/// How a request goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// There is an answer for the caller, whatever its status.
    Done,
    /// Another attempt after this. Ask [`Pool::before_request`] again then.
    RetryAfter(Duration),
    /// The request failed.
    GiveUp,
}

/// The pool of one client.
#[derive(Clone, Debug)]
pub struct Pool {
    policy: PoolPolicy,
    open_since: Option<LabTime>,
}

impl Pool {
    /// A pool without a connection.
    #[must_use]
    pub const fn new(policy: PoolPolicy) -> Self {
        Self { policy, open_since: None }
    }

    /// Ask before each attempt. When it says to connect, the connection's age counts from `now`.
    pub fn before_request(&mut self, now: LabTime) -> BeforeRequest {
        let age = self.open_since.map(|since| now.since(since));
        let dropped = match self.policy {
            PoolPolicy::Recycling { max_age } | PoolPolicy::Ageing { max_age } => {
                age.filter(|&age| age > max_age).map(DropReason::Age)
            }
            PoolPolicy::Fresh | PoolPolicy::KeepAlive => None,
        };
        let connect = age.is_none() || dropped.is_some() || self.policy == PoolPolicy::Fresh;
        if connect {
            self.open_since = Some(now);
        }
        BeforeRequest { dropped, connect }
    }

    /// Tell after each attempt; `attempt` counts from 0 within a request.
    pub fn after_attempt(&mut self, attempt: u32, end: AttemptEnd) -> AfterAttempt {
        let dropped = (!self.keeps_connection_after(end)).then_some(DropReason::Attempt(end));
        if dropped.is_some() {
            self.open_since = None;
        }
        AfterAttempt { next: self.next(attempt, end), dropped: dropped.filter(|_| self.policy != PoolPolicy::Fresh) }
    }

    /// A connection that timed out or broke is of no more use to anybody: what comes on it next may be the answer to
    /// the request before. So only an answer keeps it.
    fn keeps_connection_after(&self, end: AttemptEnd) -> bool {
        let answered = matches!(end, AttemptEnd::Status(_));
        match self.policy {
            PoolPolicy::Fresh => false,
            PoolPolicy::KeepAlive | PoolPolicy::Ageing { .. } => answered,
            PoolPolicy::Recycling { .. } => answered && !end.is_gateway_error(),
        }
    }

    fn next(&self, attempt: u32, end: AttemptEnd) -> Next {
        let handled = end.is_gateway_error()
            || matches!(end, AttemptEnd::ConnectError | AttemptEnd::ReadTimeout | AttemptEnd::ProtocolError);
        if matches!(self.policy, PoolPolicy::Recycling { .. }) && handled {
            let is_last = attempt + 1 >= RECYCLING_ATTEMPTS;
            return if is_last { Next::GiveUp } else { Next::RetryAfter(backoff(attempt)) };
        }
        if matches!(end, AttemptEnd::Status(_)) { Next::Done } else { Next::GiveUp }
    }
}

impl AttemptEnd {
    const fn is_gateway_error(self) -> bool {
        matches!(self, Self::Status(502..=504))
    }
}

/// 1 s after the first attempt (which is 0), doubled each time, at most 8 s.
fn backoff(attempt: u32) -> Duration {
    Duration::from_secs(1).saturating_mul(2_u32.saturating_pow(attempt)).min(LONGEST_BACKOFF)
}

impl fmt::Display for AttemptEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(status) => write!(f, "status {status}"),
            Self::ConnectError => f.write_str("no connection"),
            Self::ConnectTimeout => f.write_str("no connection in time"),
            Self::ReadTimeout => f.write_str("no answer in time"),
            Self::ReadError => f.write_str("the connection was reset"),
            Self::ProtocolError => f.write_str("the peer broke off without an answer"),
        }
    }
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Age(age) => write!(f, "{:.3} s old", age.as_secs_f64()),
            Self::Attempt(end) => end.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);
    const RECYCLING: PoolPolicy = PoolPolicy::Recycling { max_age: MINUTE };
    const BROKEN: [AttemptEnd; 5] = [
        AttemptEnd::ConnectError,
        AttemptEnd::ConnectTimeout,
        AttemptEnd::ReadTimeout,
        AttemptEnd::ReadError,
        AttemptEnd::ProtocolError,
    ];
    const CONNECT: BeforeRequest = BeforeRequest { dropped: None, connect: true };
    const REUSE: BeforeRequest = BeforeRequest { dropped: None, connect: false };

    fn open(policy: PoolPolicy) -> Pool {
        let mut pool = Pool::new(policy);
        assert_eq!(pool.before_request(LabTime::START), CONNECT, "the first request connects");
        pool
    }

    #[test]
    fn a_recycling_pool_is_replaced_when_it_is_older_than_its_limit_and_not_at_the_limit() {
        let mut pool = open(RECYCLING);
        pool.after_attempt(0, AttemptEnd::Status(200));
        assert_eq!(pool.before_request(LabTime::at(MINUTE)), REUSE);
        pool.after_attempt(0, AttemptEnd::Status(200));
        let age = MINUTE + Duration::from_nanos(1);
        let replaced = BeforeRequest { dropped: Some(DropReason::Age(age)), connect: true };
        assert_eq!(pool.before_request(LabTime::at(age)), replaced);
        pool.after_attempt(0, AttemptEnd::Status(200));
        assert_eq!(pool.before_request(LabTime::secs(120)), REUSE, "the age counts anew");
    }

    #[test]
    fn a_recycling_pool_is_dropped_on_gateway_errors_and_tries_three_times() {
        for status in [502, 503, 504] {
            let mut pool = open(RECYCLING);
            let end = AttemptEnd::Status(status);
            let nexts: Vec<_> = (0..3)
                .map(|attempt| {
                    let after = pool.after_attempt(attempt, end);
                    assert_eq!(after.dropped, Some(DropReason::Attempt(end)));
                    assert_eq!(pool.before_request(LabTime::secs(5)), CONNECT);
                    after.next
                })
                .collect();
            let secs = |seconds| Next::RetryAfter(Duration::from_secs(seconds));
            assert_eq!(nexts, [secs(1), secs(2), Next::GiveUp], "{status}");
        }
    }

    #[test]
    fn a_recycling_pool_keeps_its_connection_on_any_other_status() {
        for status in [200, 404, 500, 501, 505] {
            let mut pool = open(RECYCLING);
            let after = pool.after_attempt(0, AttemptEnd::Status(status));
            assert_eq!(after, AfterAttempt { next: Next::Done, dropped: None }, "{status}");
            assert_eq!(pool.before_request(LabTime::secs(1)), REUSE);
        }
    }

    #[test]
    fn a_recycling_pool_tries_again_only_after_the_ends_that_it_handles() {
        for end in BROKEN {
            let after = open(RECYCLING).after_attempt(0, end);
            let handled = !matches!(end, AttemptEnd::ConnectTimeout | AttemptEnd::ReadError);
            let expected = if handled { Next::RetryAfter(Duration::from_secs(1)) } else { Next::GiveUp };
            assert_eq!(after, AfterAttempt { next: expected, dropped: Some(DropReason::Attempt(end)) });
        }
    }

    #[test]
    fn a_keep_alive_pool_stays_for_ever_on_a_cell_that_answers_with_errors() {
        let mut pool = open(PoolPolicy::KeepAlive);
        for minute in 0..1000 {
            let after = pool.after_attempt(0, AttemptEnd::Status(503));
            assert_eq!(after, AfterAttempt { next: Next::Done, dropped: None });
            assert_eq!(pool.before_request(LabTime::secs(60 * minute)), REUSE);
        }
    }

    #[test]
    fn a_keep_alive_pool_resolves_again_after_its_connection_broke_but_tries_once_only() {
        for end in BROKEN {
            let mut pool = open(PoolPolicy::KeepAlive);
            let after = pool.after_attempt(0, end);
            assert_eq!(after, AfterAttempt { next: Next::GiveUp, dropped: Some(DropReason::Attempt(end)) });
            assert_eq!(pool.before_request(LabTime::secs(1)), CONNECT);
        }
    }

    #[test]
    fn a_fresh_client_connects_for_each_request_and_has_no_pool_to_drop() {
        let mut pool = open(PoolPolicy::Fresh);
        let after = pool.after_attempt(0, AttemptEnd::Status(200));
        assert_eq!(after, AfterAttempt { next: Next::Done, dropped: None });
        assert_eq!(pool.before_request(LabTime::secs(1)), CONNECT);
        assert_eq!(pool.before_request(LabTime::secs(2)), CONNECT);
        let after = pool.after_attempt(0, AttemptEnd::ConnectError);
        assert_eq!(after, AfterAttempt { next: Next::GiveUp, dropped: None });
    }

    #[test]
    fn the_backoff_doubles_up_to_8_s() {
        let seconds: Vec<_> = (0..6).map(|attempt| backoff(attempt).as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 8, 8]);
        assert_eq!(backoff(u32::MAX), LONGEST_BACKOFF);
    }
}
