//! How long each stage may take, as it is computed before anything runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Bounds, Signal};

/// How long each stage takes, best and worst, both ways.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// From the fault on.
    pub failover: LegPrediction,
    /// From the heal on.
    pub failback: LegPrediction,
}

/// The stages of one leg.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LegPrediction {
    /// From the fault (or the heal) to the last health status that turns.
    pub detection: Bounds,
    /// Every status that is predicted to turn, from the fault (or the heal) on, in the order in which they turn.
    #[serde(default)]
    pub signals: Vec<SignalPrediction>,
    /// Why the leg is predicted not to come to rest, for people; then nothing after the detection is predicted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsettled: Option<String>,
    /// From the health status to the authoritative answer.
    pub authoritative: Bounds,
    /// From the authoritative answer to the resolver's, of every resolver whose clients' answer changes.
    pub resolvers: BTreeMap<String, Bounds>,
    /// From its resolver's answer to the client's requests, of every client whose answer changes.
    pub clients: BTreeMap<String, Bounds>,
    /// From the fault to the client's requests.
    pub totals: BTreeMap<String, Bounds>,
    /// What each client's answer is before and after: a cell's name, `nodata` or `nxdomain`. All clients. In a leg that
    /// does not come to rest both are what is answered while all is well.
    pub moves: BTreeMap<String, Move>,
    /// The same for every watched question, in the plan's order.
    pub answers: Vec<Move>,
}

/// A status that is predicted to turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignalPrediction {
    /// Whose.
    pub signal: Signal,
    /// To what.
    pub healthy: bool,
    /// From the fault (or the heal) to the turn.
    pub bounds: Bounds,
    /// Whether decisions use this status itself, rather than something computed from it.
    pub evidence: bool,
    /// What the bounds are made of, for people: `3 bad probes, each lasting its 4 s budget, 5 s apart`.
    pub why: String,
}

/// What an answer is before and after. Several cells: any of them (a weighted choice).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    /// Before the leg.
    pub from: Vec<String>,
    /// After it.
    pub to: Vec<String>,
}

impl Move {
    /// Whether anything changes.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.from != self.to
    }
}
