//! From a drill to one drill for each resolver: the base's zone, cells and fault, with the resolvers and the clients of the
//! matrix in place of its own. Texts in, texts out.

use std::time::Duration;

use serde_yaml::{Mapping, Value};

use crate::mistakes::quoted;
use crate::plan::{Family, Plan};

use super::entrants::{Client, Resolver};

/// The drill that is run when no other is named.
pub const BUILT_IN: &str = include_str!("../../drills/matrix.yaml");
/// Its zone.
pub const BUILT_IN_ZONE: &str = include_str!("../../drills/zones/matrix.route53.json");
/// Where its zone lies, seen from it.
pub const BUILT_IN_ZONE_AT: &str = "zones/matrix.route53.json";

/// What is added to the predicted answer, lab time: observers look once a second, and then the machine is busy.
const MARGIN: Duration = Duration::from_secs(10);

/// What is of the base's own and has no place in a matrix: it speaks of the clients and resolvers that are replaced, or
/// of how long these take.
const OWN_TO_THE_BASE: [&str; 5] = ["clients", "estimate", "hazard", "hold", "recover"];

/// A drill that a matrix can be made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    file: Mapping,
    title: String,
    /// Where the clients stand, and where the resolver.
    place: String,
    resolver_place: String,
    /// To which cell they are moved, and within which time the authoritative answer is.
    to: String,
    answered_within: Duration,
    /// The resolvers that its probes ask.
    probed: Vec<String>,
}

/// Why a drill is nothing to make a matrix of.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BaseError {
    /// It is no mapping of keys.
    #[error("{drill} cannot be read as keys and values: {problem}; give a drill file")]
    NoKeys {
        /// The drill.
        drill: String,
        /// What is wrong.
        problem: String,
    },
    /// Nobody in it moves.
    #[error(
        "no client of {drill} that asks for A records is predicted to move, so a matrix of it would show nothing; give a \
         drill in which one does, as drills/matrix.yaml"
    )]
    NobodyMoves {
        /// The drill.
        drill: String,
    },
    /// Clients are moved to more than one cell, or to none.
    #[error(
        "in {drill} the client {client} is moved to {}; expected one cell, so that a move can be told; give a drill with \
         one secondary, as drills/matrix.yaml",
        quoted(to)
    )]
    NotToOneCell {
        /// The drill.
        drill: String,
        /// The client.
        client: String,
        /// To what.
        to: Vec<String>,
    },
    /// Nobody can say when its answer changes.
    #[error(
        "when the answer changes in {drill} is not bounded, so nothing of a matrix could be told; give a drill whose \
         detection is, as drills/matrix.yaml"
    )]
    NotBounded {
        /// The drill.
        drill: String,
    },
}

impl Base {
    /// Reads a drill's text, of which this plan was made. The first client that is predicted to move says where those of
    /// the matrix stand.
    ///
    /// # Errors
    /// When no client moves, or not to one cell, or nobody can say when.
    pub fn of(text: &str, plan: &Plan) -> Result<Self, BaseError> {
        let drill = || plan.drill.clone();
        let file = serde_yaml::from_str(text);
        let file = file.map_err(|problem| BaseError::NoKeys { drill: drill(), problem: problem.to_string() })?;
        let leg = &plan.prediction.failover;
        let moved = plan.clients.iter().find_map(|(name, client)| {
            let step = leg.moves.get(name).filter(|step| client.family == Family::A && step.changes())?;
            Some((name, client, &step.to))
        });
        let (name, client, to) = moved.ok_or_else(|| BaseError::NobodyMoves { drill: drill() })?;
        let to = match to.as_slice() {
            [cell] if plan.cells.contains_key(cell) => cell.clone(),
            to => return Err(BaseError::NotToOneCell { drill: drill(), client: name.clone(), to: to.to_vec() }),
        };
        let answered = leg.detection.then(leg.authoritative).worst;
        let resolver = plan.resolvers.get(&client.resolver);
        Ok(Self {
            file,
            title: plan.title.clone(),
            place: client.place.clone(),
            resolver_place: resolver.map_or_else(|| client.place.clone(), |resolver| resolver.place.clone()),
            to,
            answered_within: answered.ok_or_else(|| BaseError::NotBounded { drill: drill() })?,
            probed: plan.probes.values().map(|probe| probe.resolver.clone()).collect(),
        })
    }

    /// Its zone's file, relative to its own.
    #[must_use]
    pub fn zone(&self) -> &str {
        self.file.get("zone").and_then(Value::as_str).unwrap_or_default()
    }

    /// The drill of one resolver and these clients, whose zone lies at `zone`; the text of its file.
    ///
    /// It expects the authoritative answer to change, and nothing of its clients: what these do is told by the matrix. So
    /// as a control it fails.
    ///
    /// # Errors
    /// When it cannot be written as YAML, which is a defect of muster.
    pub fn with(&self, resolver: &Resolver, clients: &[&Client], zone: &str) -> Result<String, serde_yaml::Error> {
        let mut file = self.file.clone();
        for key in OWN_TO_THE_BASE {
            file.remove(key);
        }
        set(&mut file, "drill", name(resolver));
        set(&mut file, "title", format!("{} ({})", self.title, resolver.name));
        set(&mut file, "zone", zone);
        let mut resolvers = match file.remove("resolvers") {
            Some(Value::Mapping(own)) => own,
            _ => Mapping::new(),
        };
        resolvers.retain(|own, _| own.as_str().is_some_and(|own| self.probed.iter().any(|probed| probed == own)));
        let mut written = Mapping::new();
        set(&mut written, "place", self.resolver_place.as_str());
        set(&mut written, "software", resolver.software.name());
        if let Some(floor) = resolver.ttl_floor {
            set(&mut written, "ttl-floor", floor);
        }
        set(&mut resolvers, resolver.name, written);
        set(&mut file, "resolvers", resolvers);
        let mut asking = Mapping::new();
        for client in clients {
            let mut written = Mapping::new();
            set(&mut written, "place", self.place.as_str());
            set(&mut written, "resolver", resolver.name);
            set(&mut written, "software", client.software.name());
            for (key, value) in client.settings {
                set(&mut written, key, *value);
            }
            set(&mut asking, client.name, written);
        }
        set(&mut file, "clients", asking);
        let mut answer = Mapping::new();
        set(&mut answer, "from", self.resolver_place.as_str());
        set(&mut answer, "is", self.to.as_str());
        let within = self.answered_within.saturating_add(MARGIN);
        set(&mut answer, "within", humantime::format_duration(within).to_string());
        let mut expectation = Mapping::new();
        set(&mut expectation, "answer", answer);
        set(&mut file, "expect", vec![Value::Mapping(expectation)]);
        serde_yaml::to_string(&file)
    }
}

/// What the drill of a resolver is called.
#[must_use]
pub fn name(resolver: &Resolver) -> String {
    format!("matrix-{}", resolver.name)
}

fn set(mapping: &mut Mapping, key: &str, value: impl Into<Value>) {
    mapping.insert(key.into(), value.into());
}
