//! `muster node`: one process of a spread lab. It wires the container that it runs in, and serves its share.

use std::io::{self, Write};
use std::net::SocketAddr;

use clap::{Args, Subcommand};
use nix::sys::signal::Signal;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::LocalSet;

use crate::ground::{Wiring, WiringError, wire_container};
use crate::lab::Share;
use crate::lab::spread::{NoToken, SpreadError, TOKEN, run_hub, run_member};
use crate::toxiproxy;

/// Be one process of a spread lab
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "The Docker lab starts its containers so; nobody else needs to. `docker inspect` shows what each was \
    given.\n\nExamples:\n  muster node pod --wiring '{\"addresses\":[\"192.0.2.10\"],\"router\":\"100.126.0.2\"}'\n  \
    muster node toxiproxy --api 127.0.0.1:8474"
)]
pub struct NodeArgs {
    /// What to be
    #[command(subcommand)]
    pub role: Role,
}

/// What a process of a spread lab is.
#[derive(Clone, Debug, Subcommand)]
pub enum Role {
    /// The hub: the authoritative server, the checkers, the observers, and the router
    Hub(WiringArgs),
    /// A share of the lab, in a container that it wires
    Member(MemberArgs),
    /// A part of a cell, in the network of a container that is wired already
    Part(PartArgs),
    /// Nothing but a wired network, for a program that knows nothing of muster
    Pod(WiringArgs),
    /// A Toxiproxy: its HTTP API, and the proxies and toxics that it is told to make
    Toxiproxy(ToxiproxyArgs),
}

/// Where a Toxiproxy is told what to do.
#[derive(Clone, Copy, Debug, Args)]
pub struct ToxiproxyArgs {
    /// The address and the port of its HTTP API
    #[arg(long, default_value_t = SocketAddr::from(([127, 0, 0, 1], toxiproxy::API_PORT)))]
    pub api: SocketAddr,
}

/// How the container is wired.
#[derive(Clone, Debug, Args)]
pub struct WiringArgs {
    /// As JSON
    #[arg(long, value_parser = json::<Wiring>)]
    pub wiring: Wiring,
}

/// What a member serves.
#[derive(Clone, Debug, Args)]
pub struct MemberArgs {
    /// How its container is wired
    #[command(flatten)]
    pub wiring: WiringArgs,
    /// What it serves, and where the hub is
    #[command(flatten)]
    pub part: PartArgs,
}

/// What a part serves.
#[derive(Clone, Debug, Args)]
pub struct PartArgs {
    /// Its share of the lab, as JSON
    #[arg(long, value_parser = json::<Share>)]
    pub share: Share,
    /// The address and the port at which the hub gathers its members
    #[arg(long)]
    pub hub: SocketAddr,
}

fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Why a process of a spread lab ended.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// The system gives it no runtime.
    #[error("no runtime: {0}")]
    System(#[from] io::Error),
    /// Its container cannot be wired.
    #[error(transparent)]
    Wiring(#[from] WiringError),
    /// It was given no token by which it would know who leads.
    #[error(transparent)]
    NoToken(#[from] NoToken),
    /// It has ended before it was told to.
    #[error(transparent)]
    Spread(#[from] SpreadError),
}

/// Serves until it is told to end, or until SIGTERM.
///
/// # Errors
/// Why it ended before.
pub fn node(args: &NodeArgs) -> Result<(), NodeError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async {
        // The first process of a container ends on no signal that it does not ask for.
        let mut told_to_end = signal(SignalKind::from_raw(Signal::SIGTERM as i32))?;
        let mut interrupted = signal(SignalKind::interrupt())?;
        tokio::select! {
            ended = serve(&args.role) => ended,
            _ = told_to_end.recv() => Ok(()),
            _ = interrupted.recv() => Ok(()),
        }
    })
}

async fn serve(role: &Role) -> Result<(), NodeError> {
    match role {
        Role::Hub(WiringArgs { wiring }) => {
            let token = std::env::var(TOKEN).unwrap_or_default().parse()?;
            wire_container(wiring).await?;
            Ok(run_hub(wiring, &token, ready).await?)
        }
        Role::Member(MemberArgs { wiring: WiringArgs { wiring }, part: PartArgs { share, hub } }) => {
            wire_container(wiring).await?;
            Ok(run_member(share.clone(), *hub).await?)
        }
        Role::Part(PartArgs { share, hub }) => Ok(run_member(share.clone(), *hub).await?),
        Role::Pod(WiringArgs { wiring }) => {
            wire_container(wiring).await?;
            ready();
            std::future::pending().await
        }
        Role::Toxiproxy(ToxiproxyArgs { api }) => Ok(toxiproxy::serve(*api).await?),
    }
}

/// Says so on the standard output, for whoever starts containers.
fn ready() {
    let mut out = io::stdout();
    // Who started it may not listen; it serves all the same.
    let _ = writeln!(out, "ready").and_then(|()| out.flush());
}
