//! HTTP clients that leave nothing to the machine they run on: no proxy, no redirects, no connection kept.

use std::error::Error;
use std::net::IpAddr;

/// A client with a connection of its own for each request, sent from an address of this machine if one is given.
///
/// # Errors
/// When it cannot be built.
pub(super) fn fresh(from: Option<IpAddr>) -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .pool_max_idle_per_host(0)
        .local_address(from)
        .build()
}

/// What an error comes down to: the layers above only say that a request failed.
#[must_use]
pub(super) fn innermost<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let mut innermost = error;
    while let Some(deeper) = innermost.source() {
        innermost = deeper;
    }
    innermost
}
