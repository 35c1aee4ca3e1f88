//! What the processes of a spread lab say to each other, one JSON document a line.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::{LabTime, seconds};
use crate::conduct::Command;
use crate::health::ResourceEvidence;
use crate::journal::event::Stamped;
use crate::plan::{Family, Plan};
use crate::zone::Zone;

use crate::lab::Share;

/// What who leads the lab says to the hub.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToHub {
    /// Give this number back, so that the way there and back can be timed and the clock be read.
    Ping(u32),
    /// Build the lab. The first message but pings.
    Open(Box<Opening>),
    /// Do this.
    Command(Command),
    /// End; what is still to be said comes first.
    Stop,
    /// Go on without whoever leads.
    Stay,
}

/// What the hub needs to know to begin.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Opening {
    /// The plan.
    pub plan: Plan,
    /// The zone that is answered from.
    pub zone: Zone,
    /// Lab time 0 on the hub's monotonic clock, wall time: it does not matter how long this is under way.
    #[serde(with = "seconds")]
    pub started: Duration,
    /// The members that will come. The lab is ready when all of them are.
    pub members: Vec<Share>,
}

/// What the hub says to who leads the lab.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FromHub {
    /// What a ping is answered with.
    Pong {
        /// The ping's number.
        number: u32,
        /// What the monotonic clock of the hub's machine shows, wall time.
        #[serde(with = "seconds")]
        monotonic: Duration,
        /// What the lab's clock shows; missing before the lab is opened.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shown: Option<LabTime>,
    },
    /// Everything serves.
    Ready {
        /// How many lab addresses there are.
        hosts: usize,
        /// Families that answers are connected to.
        families: Vec<Family>,
    },
    /// Something happened.
    Event(Stamped),
    /// It was told to stop, and this is its last word.
    Closed,
}

/// What a member says to the hub.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FromMember {
    /// Who it is. The first message.
    Hello(Share),
    /// Its share serves.
    Ready,
    /// Something happened.
    Event(Stamped),
    /// News of an AWS resource.
    Evidence(ResourceEvidence),
    /// Its share cannot be built, or broke.
    Broke(String),
}

/// What the hub says to a member.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ToMember {
    /// What to build. The first message.
    Welcome(Box<Welcome>),
    /// Do this.
    Command(Command),
}

/// What a member needs to know to begin.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Welcome {
    /// The plan.
    pub(super) plan: Plan,
    /// Lab time 0 on the kernel's monotonic clock, which all containers of a machine share.
    pub(super) started: Duration,
}
