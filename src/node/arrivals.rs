//! What a cell sees of its clients. A client is known by its address alone, so that any black box can be one.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;

use crate::clock::LabTime;
use crate::ground::Recorder;
use crate::journal::event::Event;

use super::http_server::Peer;

/// The status of a request whose client, or whose cell, was gone before there was an answer: an ALB logs it as 460 (ALB
/// guide, "Troubleshoot your Application Load Balancers").
pub const GONE_BEFORE_ANSWER: u16 = 460;

/// The clients of a lab by their lab addresses.
pub type Roster = Arc<BTreeMap<IpAddr, String>>;

/// Writes down which client's request arrived at a cell.
#[derive(Clone, Debug)]
pub struct Arrivals {
    cell: String,
    zone: Option<String>,
    roster: Roster,
    recorder: Recorder,
}

impl Arrivals {
    /// The arrivals at `cell`.
    #[must_use]
    pub const fn new(cell: String, roster: Roster, recorder: Recorder) -> Self {
        Self { cell, zone: None, roster, recorder }
    }

    /// The same at the load balancer's node in a zone; a zone of the cell's own name is the cell.
    #[must_use]
    pub fn in_zone(mut self, zone: String) -> Self {
        self.zone = Some(zone).filter(|zone| *zone != self.cell);
        self
    }

    /// The cell.
    #[must_use]
    pub fn cell(&self) -> &str {
        &self.cell
    }

    /// A request of `peer` has arrived. It is written down when what is returned is answered or dropped. Who is not on
    /// the roster (a checker) is no client.
    #[must_use]
    pub fn begin(&self, peer: Peer) -> Arrival {
        let client = self.roster.get(&peer.0).cloned();
        let recorder = self.recorder.clone();
        let zone = self.zone.clone();
        Arrival { cell: self.cell.clone(), zone, client, status: GONE_BEFORE_ANSWER, at: recorder.now(), recorder }
    }

    /// A request from this address was given this status, and had arrived this long before now, lab time; somebody else
    /// served it and has told. Who is not on the roster is no client.
    pub fn told(&self, from: IpAddr, status: u16, held: Duration) {
        if let Some(client) = self.roster.get(&from).cloned() {
            let (cell, zone) = (self.cell.clone(), self.zone.clone());
            self.recorder.record(Event::RequestArrived { cell, zone, client, status, held });
        }
    }
}

/// A request that has arrived at a cell.
#[derive(Debug)]
pub struct Arrival {
    cell: String,
    zone: Option<String>,
    client: Option<String>,
    status: u16,
    at: LabTime,
    recorder: Recorder,
}

impl Arrival {
    /// The request was answered with this.
    pub fn answered(mut self, status: StatusCode) {
        self.begins(status);
    }

    /// The request is being answered with this; it is not answered to the end yet.
    pub fn begins(&mut self, status: StatusCode) {
        self.status = status.as_u16();
    }

    /// The answer goes on: so many tokens were sent by now.
    pub fn goes_on(&self, tokens: u64) {
        if let Some(client) = self.client.clone() {
            self.recorder.record(Event::StreamAlive { cell: self.cell.clone(), client, tokens });
        }
    }
}

impl Drop for Arrival {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let (cell, zone) = (std::mem::take(&mut self.cell), self.zone.take());
            let held = self.recorder.now().since(self.at);
            self.recorder.record(Event::RequestArrived { cell, zone, client, status: self.status, held });
        }
    }
}
