//! A process that builds one share of a lab and does what the hub tells it.

use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::ground::{GroundKind, Recorder, WallClock};
use crate::lab::building::{Building, Order};
use crate::node::resource_board::ResourceBoard;
use crate::plan::Plan;

use super::SpreadError;
use super::clocks::monotonic;
use super::link::{Link, connect};
use super::message::{FromMember, ToMember};
use crate::lab::Share;

/// How long a member waits for its hub, and for its hub's first word, wall time: longer than a lab may take to come up, so
/// that who leads it is the one to give up.
const PATIENCE: Duration = Duration::from_secs(120);
/// How long a pod may take to give itself its addresses, and from one look to the next. Wall time.
const WIRED_WITHIN: Duration = Duration::from_secs(20);
const AGAIN: Duration = Duration::from_millis(10);

/// Serves a share until the hub is gone. To be called inside a `LocalSet`, in a container that is wired.
///
/// # Errors
/// When the hub is not there, or the share cannot be built.
pub async fn run_member(share: Share, hub: SocketAddr) -> Result<(), SpreadError> {
    let link: Link<FromMember, ToMember> = Link::over(connect(hub, PATIENCE).await?);
    let Link { say, mut heard, running: _running } = link;
    let _ = say.send(FromMember::Hello(share.clone()));
    let silent = || SpreadError::Silent { who: "the hub", expected: "what to build" };
    let first = tokio::time::timeout(PATIENCE, heard.recv()).await.map_err(|_| silent())?;
    let Some(ToMember::Welcome(welcome)) = first else { return Err(silent()) };

    wired(&welcome.plan, &share).await;
    let clock = WallClock::started(monotonic().saturating_sub(welcome.started), welcome.plan.speed);
    let (sink, mut events) = mpsc::unbounded_channel();
    let (news, mut told) = mpsc::unbounded_channel();
    let order = Order {
        plan: &welcome.plan,
        zone: None,
        share,
        ground: GroundKind::Container,
        control_socket: None,
        clock: clock.into(),
        recorder: &Recorder::new(clock, sink),
        resources: Some(ResourceBoard::elsewhere(news)),
    };
    let building = match Building::build(order).await {
        Ok(building) => building,
        Err(reason) => return Err(broke(reason, say, heard).await),
    };
    let _ = say.send(FromMember::Ready);
    let (orders, to_obey) = mpsc::unbounded_channel();
    let obeying = building.obey(to_obey);
    let mut obeying = std::pin::pin!(obeying);
    let ended = loop {
        tokio::select! {
            Some(stamped) = events.recv() => drop(say.send(FromMember::Event(stamped))),
            Some(news) = told.recv() => drop(say.send(FromMember::Evidence(news))),
            message = heard.recv() => match message {
                Some(ToMember::Command(command)) => drop(orders.send(command)),
                Some(ToMember::Welcome(_)) => {}
                None => return Ok(()),
            },
            ended = &mut obeying => break ended,
        }
    };
    match ended {
        Ok(_) => Ok(()),
        Err(reason) => Err(broke(reason, say, heard).await),
    }
}

/// Waits until the network that a part shares with its pod has the cell's addresses: the pod gives itself those, and both
/// start at about the same time. What is still missing then is told by who binds it.
async fn wired(plan: &Plan, share: &Share) {
    let Share::Part { cell, .. } = share else { return };
    let addresses = plan.cells.get(cell).map(|cell| cell.kind.inside()).unwrap_or_default();
    let until = Instant::now() + WIRED_WITHIN;
    while !addresses.iter().all(|address| UdpSocket::bind((*address, 0)).is_ok()) && Instant::now() < until {
        tokio::time::sleep(AGAIN).await;
    }
}

/// Tells the hub why, and waits until it has read it: what is only sent goes with the process.
async fn broke(
    reason: String,
    say: mpsc::UnboundedSender<FromMember>,
    mut heard: mpsc::UnboundedReceiver<ToMember>,
) -> SpreadError {
    let _ = say.send(FromMember::Broke(reason.clone()));
    drop(say);
    while heard.recv().await.is_some() {}
    SpreadError::Broke(reason)
}
