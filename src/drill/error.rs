//! What can be wrong with a drill file, and what to do about it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::decide::PlaceError;
use crate::mistakes::{Mistakes, quoted};
use crate::source::{Position, SourceError, nearest};
use crate::zone::ZoneError;

/// One mistake of a drill.
#[derive(Debug, thiserror::Error)]
pub enum DrillError {
    /// A mistake in the drill file, or in how it goes with its zone.
    #[error("{at}: {problem}; {}", problem.next_step())]
    Drill {
        /// Where.
        at: Position,
        /// What.
        problem: Problem,
    },
    /// A file that is no YAML.
    #[error(transparent)]
    NotYaml(#[from] SourceError),
    /// A mistake in the zone file.
    #[error(transparent)]
    Zone(#[from] ZoneError),
}

impl DrillError {
    /// Where the mistake stands.
    #[must_use]
    pub const fn position(&self) -> &Position {
        match self {
            Self::Drill { at, .. } => at,
            Self::NotYaml(error) => &error.at,
            Self::Zone(error) => error.at(),
        }
    }

    /// What to do about it, where it is a mistake of the drill.
    #[must_use]
    pub fn next_step(&self) -> Option<String> {
        match self {
            Self::Drill { problem, .. } => Some(problem.next_step()),
            Self::NotYaml(_) | Self::Zone(_) => None,
        }
    }
}

/// All mistakes of a drill, in the order of its files.
pub type DrillErrors = Mistakes<DrillError>;

/// The mistakes in the order of their files.
pub(super) fn in_file_order(mut errors: Vec<DrillError>, texts: BTreeMap<PathBuf, Arc<str>>) -> DrillErrors {
    errors.sort_by(|a, b| {
        let place = |error: &DrillError| {
            let at = error.position();
            (Arc::clone(&at.file), at.line, at.column)
        };
        place(a).cmp(&place(b))
    });
    Mistakes::new(errors, texts)
}

/// What a name in a drill file is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noun {
    /// A cell of the drill.
    Cell,
    /// A cell of the drill with a queue.
    CellWithQueue,
    /// A cell of the drill whose queue has a dead-letter queue.
    CellWithDeadLetters,
    /// A synthetic probe of the drill.
    Probe,
    /// A routing control of the drill.
    RoutingControl,
    /// A health check of the drill.
    HealthCheck,
    /// A resolver of the drill.
    Resolver,
    /// A client of the drill.
    Client,
    /// Whatever has a health status.
    HasHealth,
    /// A zone of a cell.
    Zone,
    /// `on` or `off`, of load balancing across zones.
    CrossZone,
    /// The id of a health check, as the zone's record sets name it.
    HealthCheckId,
    /// A name that has an A or AAAA record in the zone.
    RecordName,
    /// An address that the zone answers.
    Address,
    /// An AWS resource that an alias of the zone points at.
    AliasTarget,
    /// A client profile.
    Profile,
    /// A program that a resolver can be.
    ResolverSoftware,
    /// A program that a client can be.
    ClientSoftware,
    /// A program that a load balancer can be.
    LoadBalancerSoftware,
    /// What a client asks for.
    Asks,
    /// A statistic of a metric.
    Statistic,
    /// A comparison with a threshold.
    Comparison,
    /// How an alarm treats missing data.
    MissingData,
    /// What a health check makes of insufficient data.
    InsufficientData,
    /// `on` or `off`.
    OnOrOff,
    /// An address family.
    Family,
    /// A stage.
    Stage,
    /// A leg of the run.
    Leg,
    /// `always` or `never`.
    Holds,
    /// `healthy` or `unhealthy`.
    Status,
    /// A health check on an alarm.
    HealthCheckOnAlarm,
    /// `missing` or `present`.
    Presence,
    /// `ok`, `alarm` or `insufficient-data`.
    AlarmState,
}

impl fmt::Display for Noun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cell => "cell",
            Self::CellWithQueue => "cell with a queue",
            Self::CellWithDeadLetters => "cell whose queue has `dead-letter-after`",
            Self::Probe => "synthetic probe",
            Self::RoutingControl => "routing control",
            Self::HealthCheck => "health check",
            Self::Resolver => "resolver",
            Self::Client => "client",
            Self::HasHealth => "cell, zone, health check or probe",
            Self::Zone => "zone",
            Self::CrossZone => "word for `cross-zone`",
            Self::HealthCheckId => "health check id of the zone",
            Self::RecordName => "record name",
            Self::Address => "address of the zone",
            Self::AliasTarget => "alias target of the zone",
            Self::Profile => "client profile",
            Self::ResolverSoftware => "resolver software",
            Self::ClientSoftware => "client software",
            Self::LoadBalancerSoftware => "load balancer",
            Self::Asks => "word for `asks`",
            Self::Statistic => "statistic",
            Self::Comparison => "comparison",
            Self::MissingData => "treatment of missing data",
            Self::InsufficientData => "status for insufficient data",
            Self::OnOrOff => "state of a routing control",
            Self::Family => "record type",
            Self::Stage => "stage",
            Self::Leg => "leg",
            Self::Holds => "word for `holds`",
            Self::Status => "health status",
            Self::HealthCheckOnAlarm => "health check on an alarm",
            Self::Presence => "word for `is`",
            Self::AlarmState => "alarm state",
        })
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// The file cannot be read from the disk.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The file is no text.
    #[error("not readable: {0}")]
    NoText(String),
    /// A key that the schema does not have.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// What was found.
        key: String,
        /// What could stand there.
        known: Vec<String>,
    },
    /// A key that is missing, or a value of the wrong shape.
    #[error("{path} does not fit: {problem}")]
    Shape {
        /// The keys that lead there, or `the drill`.
        path: String,
        /// What was found and expected.
        problem: String,
    },
    /// A place that is not on the map.
    #[error("unknown place `{}`", .0.found)]
    UnknownPlace(PlaceError),
    /// A name that names nothing.
    #[error("unknown {noun} `{name}`")]
    Unknown {
        /// What it should name.
        noun: Noun,
        /// What was found.
        name: String,
        /// What could stand there.
        known: Vec<String>,
    },
    /// Keys of which exactly one may stand.
    #[error("{} of {} stands here, expected exactly one", if *found == 0 { "none" } else { "more than one" }, quoted(keys))]
    NotExactlyOne {
        /// The keys.
        keys: &'static [&'static str],
        /// How many were found.
        found: usize,
    },
    /// A key that means nothing here.
    #[error("`{key}` does nothing for {what}")]
    DoesNotApply {
        /// The key.
        key: &'static str,
        /// What it was set for.
        what: String,
    },
    /// A list or a mapping without anything in it.
    #[error("`{what}` is empty")]
    Empty {
        /// The key.
        what: &'static str,
    },
    /// A number where a duration must stand.
    #[error("`{number}` has no unit")]
    NoUnit {
        /// What was found.
        number: String,
    },
    /// A text that is no duration.
    #[error("`{text}` is no duration: {problem}")]
    NotADuration {
        /// What was found.
        text: String,
        /// What the parser says.
        problem: String,
    },
    /// A duration of no time.
    #[error("`{text}` is no time at all")]
    ZeroDuration {
        /// What was found.
        text: String,
    },
    /// A value beyond its bounds.
    #[error("`{key}` is {found}, expected {expected}")]
    OutOfRange {
        /// The key.
        key: &'static str,
        /// What was found.
        found: String,
        /// The bounds.
        expected: String,
    },
    /// Settings that AWS would refuse.
    #[error("{0}")]
    Refused(String),
    /// More of something than a lab has room for.
    #[error("{found} {what}, but a lab has room for {most}")]
    TooMany {
        /// Of what.
        what: String,
        /// How many were found.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A text that is no name.
    #[error("`{text}` cannot be used as {what}: {problem}")]
    NotAName {
        /// What it should be.
        what: &'static str,
        /// What was found.
        text: String,
        /// Why not.
        problem: String,
    },
    /// A text that is no IP address.
    #[error("`{text}` is no IP address")]
    NotAnAddress {
        /// What was found.
        text: String,
    },
    /// An address that the lab keeps for itself.
    #[error("{address} belongs to the lab itself")]
    ReservedAddress {
        /// What was found.
        address: String,
    },
    /// Two cells that stand for the same thing.
    #[error("cell `{second}` stands for {what}, and so does cell `{first}`")]
    StandsTwice {
        /// The address, or the alias target.
        what: String,
        /// The cell that was first.
        first: String,
        /// The cell that came then.
        second: String,
    },
    /// A cell that stands for nothing.
    #[error("cell `{cell}` stands for nothing: it has neither `alias` nor `address`")]
    StandsForNothing {
        /// The cell.
        cell: String,
    },
    /// An AWS resource that the zone can answer and no cell stands for.
    #[error("{record} can answer the AWS resource {target}, and no cell stands for it")]
    NoCellForTarget {
        /// The record set.
        record: String,
        /// The alias target.
        target: String,
    },
    /// An address that the zone can answer and no cell stands for.
    #[error("{record} can answer {address}, and no cell stands for it")]
    NoCellForAddress {
        /// The record set.
        record: String,
        /// The address.
        address: String,
    },
    /// A CNAME whose end the lab cannot give.
    #[error("{record} leads to {target}, which is not in the zone")]
    LeavesZone {
        /// The record set.
        record: String,
        /// Where it leads.
        target: String,
    },
    /// A health check that a record set names and the drill does not describe.
    #[error("{record} names the health check `{id}`, and the drill does not say what that looks at")]
    MissingHealthCheck {
        /// The record set.
        record: String,
        /// The id.
        id: String,
    },
    /// A key that must stand here.
    #[error("{what} needs `{key}`")]
    Missing {
        /// What needs it.
        what: &'static str,
        /// The key.
        key: &'static str,
        /// What it could be.
        example: &'static str,
    },
    /// Something that cannot be, each part of it being right by itself.
    #[error("{why}")]
    Impossible {
        /// Why not.
        why: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// A fault that this cell cannot have.
    #[error("`{fault}` cannot break cell `{cell}`, which is {kind}")]
    WrongKindOfCell {
        /// The fault's key.
        fault: &'static str,
        /// The cell.
        cell: String,
        /// What the cell is.
        kind: &'static str,
        /// What the fault can be done to.
        needs: &'static str,
    },
    /// Two faults for one thing.
    #[error("{what} is broken twice")]
    BrokenTwice {
        /// The cell, the health check or the routing control.
        what: String,
    },
    /// A deadline that the run does not live to see.
    #[error("`within` is {within}, but the fault is held only {hold}")]
    HoldTooShort {
        /// The deadline.
        within: String,
        /// How long the fault is held.
        hold: String,
    },
    /// A deadline after the heal that the run does not live to see.
    #[error("`within` is {within} after the heal, but the steady state must be back within {recover}")]
    RecoverTooShort {
        /// The deadline.
        within: String,
        /// How long the way back may take.
        recover: String,
    },
}

impl Problem {
    /// What to do about it.
    #[must_use]
    pub fn next_step(&self) -> String {
        match self {
            Self::Unreadable(_) => "check the path and its permissions".to_owned(),
            Self::NoText(_) => "save it as UTF-8".to_owned(),
            Self::UnknownKey { key, known } => suggest(key, known),
            Self::Shape { .. } => "see the ready drills for how it is written".to_owned(),
            Self::Unknown { name, known, .. } => suggest(name, known),
            Self::UnknownPlace(PlaceError { nearest, .. }) => {
                let meant = nearest.as_ref().map_or_else(String::new, |name| format!("did you mean `{name}`? "));
                format!("{meant}Write a country (`Brazil`, `BR`) or a state of the US (`US/CA`)")
            }
            Self::NotExactlyOne { keys, found: 0 } => format!("write one of {}", quoted(keys)),
            Self::NotExactlyOne { .. } => "keep one of them".to_owned(),
            Self::DoesNotApply { key, .. } => format!("remove `{key}`"),
            Self::Empty { what } => match *what {
                "expect" => "say what must be seen: a drill that expects nothing cannot fail".to_owned(),
                "loss" => "set `failed-at-most`, `slow-at-most` or `stale-at-most`".to_owned(),
                "budget" | "turns" | "swings" => "set `at-least` or `at-most`".to_owned(),
                "title" => "say in one line what happens".to_owned(),
                "hazard" | "by" => "say it in one line, or remove the key".to_owned(),
                _ => format!("write at least one entry below `{what}`"),
            },
            Self::NoUnit { number } => format!("write `{number}s` for seconds"),
            Self::NotADuration { .. } => "write for example `15s` or `1m 30s`".to_owned(),
            Self::ZeroDuration { .. } => "write a duration above zero, or remove the key for its default".to_owned(),
            Self::OutOfRange { .. } | Self::Refused(_) => "write a value within the bounds".to_owned(),
            Self::TooMany { .. } => "split the drill".to_owned(),
            Self::NotAName { .. } => "write another one".to_owned(),
            Self::NotAnAddress { .. } => "write for example 203.0.113.10 or 2001:db8::10".to_owned(),
            Self::ReservedAddress { .. } => {
                "use another address, for example one of 203.0.113.0/24 or 2001:db8::/48".to_owned()
            }
            Self::StandsTwice { .. } => "let each address and each AWS resource belong to one cell".to_owned(),
            Self::StandsForNothing { .. } => {
                "add `alias:` with the AWS resource that the zone points at, or `address:` with the address that it writes"
                    .to_owned()
            }
            Self::NoCellForTarget { target, .. } => {
                format!("add a cell with `alias: {target}` to the drill")
            }
            Self::NoCellForAddress { address, .. } => format!("add a cell with `address: {address}` to the drill"),
            Self::LeavesZone { .. } => "ask for a name that this zone can answer by itself".to_owned(),
            Self::MissingHealthCheck { id, .. } => {
                format!("add `{id}: {{ cell: <cell>, http: /health }}` to `health-checks` of the drill")
            }
            Self::Missing { key, example, .. } => format!("write for example `{key}: {example}`"),
            Self::Impossible { instead, .. } => (*instead).to_owned(),
            Self::WrongKindOfCell { needs, .. } => format!("name {needs}, or use another fault"),
            Self::BrokenTwice { .. } => "keep one fault for each".to_owned(),
            Self::RecoverTooShort { .. } => {
                "allow more time for `recover`, or remove it and let muster work it out".to_owned()
            }
            Self::HoldTooShort { .. } => "hold the fault longer, or remove `hold` and let muster work it out".to_owned(),
        }
    }
}

fn suggest(found: &str, known: &[String]) -> String {
    if known.is_empty() {
        return "nothing is known here".to_owned();
    }
    let list = quoted(known);
    match nearest(found, known.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`? Known here: {list}"),
        None => format!("known here: {list}"),
    }
}
