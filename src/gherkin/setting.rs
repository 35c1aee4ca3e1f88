//! What a run gives to each of its scenarios.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use crate::source::nearest;
use crate::subject::mutants::{self, Mutant, UnknownMutant};
use crate::subject::{Deviation, Machines, Reference};
use crate::zone::Zone;

use super::drill_runs::DrillRuns;
use super::embedded_lab::EmbeddedLab;
use super::explanation::Explanation;
use super::lab::{Lab, VirtualLab};
use super::server_lab::ServerLab;
use super::source::FeatureText;
use super::stop::Stop;

/// Who is held against the rules.
#[derive(Clone, Copy, Debug)]
pub enum SubjectChoice {
    /// muster's own authoritative server.
    Muster,
    /// It, broken on purpose.
    Mutant(&'static Mutant),
    /// A server that is already serving.
    Server(SocketAddr),
}

/// A subject that there is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubjectError {
    /// There is no such mutant.
    #[error(transparent)]
    Mutant(#[from] UnknownMutant),
    /// No server can be there.
    #[error("no server can be at {0}; expected the address and the port of one, as in 192.0.2.1:53")]
    Nobody(SocketAddr),
    /// Nothing that a subject can be.
    #[error("`{found}` is no subject; expected muster, mutant:<name>, or <address>:<port> as in 192.0.2.1:53{}",
        .meant.as_ref().map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default())]
    Unknown {
        /// As it was written.
        found: String,
        /// What was most likely meant, if anything is near.
        meant: Option<String>,
    },
}

impl FromStr for SubjectChoice {
    type Err = SubjectError;

    fn from_str(text: &str) -> Result<Self, SubjectError> {
        if text == "muster" {
            return Ok(Self::Muster);
        }
        if let Some(name) = text.strip_prefix("mutant:") {
            return Ok(Self::Mutant(mutants::find(name)?));
        }
        let server: Option<SocketAddr> = text.parse().ok();
        match server {
            Some(server) if nobody(server) => Err(SubjectError::Nobody(server)),
            Some(server) => Ok(Self::Server(server)),
            None => Err(SubjectError::Unknown { found: text.to_owned(), meant: meant(text) }),
        }
    }
}

/// Where no server can be.
fn nobody(server: SocketAddr) -> bool {
    let address = server.ip();
    let broadcast = matches!(address, IpAddr::V4(address) if address.is_broadcast());
    server.port() == 0 || address.is_multicast() || address.is_unspecified() || broadcast
}

/// An address without its port, a mutant without its prefix, or a word that is misspelt.
fn meant(text: &str) -> Option<String> {
    if let Ok(address) = text.trim_matches(['[', ']']).parse::<IpAddr>() {
        return Some(SocketAddr::new(address, 53).to_string());
    }
    let name = text.split_once(':').map_or(text, |(_, name)| name);
    let mutants = mutants::mutants().iter().map(|mutant| mutant.name);
    match nearest(text, ["muster"]) {
        Some(known) => Some(known.to_owned()),
        None => nearest(name, mutants).map(|name| format!("mutant:{name}")),
    }
}

impl fmt::Display for SubjectChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Muster => f.write_str("muster"),
            Self::Mutant(mutant) => write!(f, "mutant:{}", mutant.name),
            Self::Server(address) => write!(f, "{address}"),
        }
    }
}

/// Where a subject is that runs in this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LabChoice {
    /// No sockets: it is handed bytes.
    #[default]
    Virtual,
    /// Behind real sockets on this machine.
    Embedded,
    /// Drills in containers; what is no drill, behind real sockets on this machine.
    Docker,
}

impl fmt::Display for LabChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Virtual => "virtual",
            Self::Embedded => "embedded",
            Self::Docker => "docker",
        })
    }
}

/// What a run gives to each of its scenarios.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The texts of the feature files.
    pub texts: Arc<BTreeMap<PathBuf, Arc<FeatureText>>>,
    /// Who is held against the rules.
    pub subject: SubjectChoice,
    /// Where it is, unless it is already serving.
    pub lab: LabChoice,
    /// The zone of `--zone`.
    pub zone: Option<Arc<Zone>>,
    /// What every random choice comes from.
    pub seed: u64,
    /// Whether the run is to end before its time.
    pub stop: Stop,
    /// The drills that were run; those that equal one another are run once.
    pub drills: Arc<DrillRuns>,
}

impl Setting {
    /// A lab for one scenario.
    #[must_use]
    pub fn lab(&self) -> Box<dyn Lab> {
        match (self.subject, self.lab) {
            (SubjectChoice::Server(address), _) => Box::new(ServerLab::new(address, self.stop.clone())),
            (_, LabChoice::Virtual) => Box::new(VirtualLab::new(self.deviation())),
            (_, LabChoice::Embedded | LabChoice::Docker) => Box::new(EmbeddedLab::new(self.deviation())),
        }
    }

    /// Whether a drill can be run.
    ///
    /// # Errors
    /// Why not.
    pub fn runs_drills(&self) -> Result<(), Explanation> {
        match self.subject {
            SubjectChoice::Muster if self.drills.are_run() => Ok(()),
            SubjectChoice::Muster => Err(Explanation::not_applicable(
                "not run: over real sockets a drill takes some 15 s, and all of them some minutes; `muster conform --lab \
                 embedded --drills` runs them",
            )),
            SubjectChoice::Mutant(_) | SubjectChoice::Server(_) => Err(Explanation::not_applicable(
                "a drill's server is muster's own; no other subject can take its place",
            )),
        }
    }

    /// The health machines of the subject, for scenarios of evidence.
    #[must_use]
    pub fn machines(&self) -> Machines {
        Machines::of(self.deviation())
    }

    /// How the subject differs from the reference, as far as its inside is known.
    #[must_use]
    pub fn deviation(&self) -> &'static dyn Deviation {
        match self.subject {
            SubjectChoice::Mutant(mutant) => mutant.deviation,
            SubjectChoice::Muster | SubjectChoice::Server(_) => &Reference,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_muster_a_mutant_or_an_address() {
        for text in ["muster", "192.0.2.1:53", "[2001:db8::1]:5353"] {
            assert_eq!(text.parse::<SubjectChoice>().unwrap().to_string(), text);
        }
        let first = mutants::mutants()[0].name;
        assert!(matches!(format!("mutant:{first}").parse(), Ok(SubjectChoice::Mutant(_))));
        for (text, meant) in [
            ("bind9", "expected muster"),
            ("mster", "did you mean `muster`?"),
            ("192.0.2.1", "did you mean `192.0.2.1:53`?"),
            ("2001:db8::1", "did you mean `[2001:db8::1]:53`?"),
            ("client-subnet-ignored", "did you mean `mutant:client-subnet-ignored`?"),
            ("mutants:client-subnet-ignord", "did you mean `mutant:client-subnet-ignored`?"),
            ("mutant:client-subnet-ignord", "did you mean `client-subnet-ignored`"),
            ("mutant:subnet", "`client-subnet-ignored`"),
            ("mutant:no-such-thing-at-all", "expected one of"),
        ] {
            let told = text.parse::<SubjectChoice>().unwrap_err().to_string();
            assert!(told.contains(meant), "{meant}: {told}");
        }
    }
}
