//! Where a process that serves nobody can be seen to live: its port accepts connections for as long as it runs.

use std::future::Future;
use std::io;
use std::net::SocketAddr;

use futures_util::FutureExt;

use crate::ground::Ground;

use super::connections::accept;
use super::process::Serving;

/// Works at `work` for as long as the port `here` accepts; both end together. The port is bound when this returns.
///
/// # Errors
/// When the port cannot be bound.
pub(super) fn while_working(
    ground: &Ground,
    here: SocketAddr,
    work: impl Future<Output = ()> + 'static,
) -> io::Result<Serving> {
    let accepting = accept(ground, here)?;
    Ok(async move {
        futures_util::future::join(accepting, work).await;
    }
    .boxed_local())
}
