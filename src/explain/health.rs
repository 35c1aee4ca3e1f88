//! What is healthy and what is not, as people say it: by the ids of health checks and the names of AWS resources, or by
//! any part of them that means one of them alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::decide::Evidence as _;
use crate::health::{DefinedKind, EvidenceBoard, HealthCheckDefinition};
use crate::source::nearest;
use crate::zone::{HealthCheckId, Zone};

/// How many names an error lists.
const LISTED: usize = 8;

/// A status, as people write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It counts as healthy.
    Healthy,
    /// It counts as unhealthy.
    Unhealthy,
}

/// A name that means nothing, or too much.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HealthError {
    /// There is no such health check, and no such resource.
    #[error(
        "`{written}` is no health check of this zone and no AWS resource that an alias of it points at{}; there are {known}",
        nearest.as_ref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
    )]
    Unknown {
        /// As it was written.
        written: String,
        /// The nearest known name.
        nearest: Option<String>,
        /// Those there are, for people.
        known: String,
    },
    /// It follows others.
    #[error("health check `{name}` is calculated from others; say of its children how they are")]
    Calculated {
        /// Its id.
        name: String,
    },
    /// It is part of several names.
    #[error("`{written}` is part of several names: {meant}; write more of the one that is meant")]
    Several {
        /// As it was written.
        written: String,
        /// Those it is part of, for people.
        meant: String,
    },
}

/// The health of everything that a zone's answers depend on. What nothing was said of is healthy (R53-103).
#[derive(Clone, Debug)]
pub struct Health {
    board: EvidenceBoard,
    /// Every name that something can be said of, and what it is.
    known: BTreeMap<String, Subject>,
}

#[derive(Clone, Debug)]
enum Subject {
    Check(HealthCheckId),
    /// Follows its children; nothing can be said of it.
    Calculated(HealthCheckId),
    Resource(hickory_proto::rr::Name),
}

impl Health {
    /// Everything that a zone's answers depend on, while all that these health checks look at is well: what is inverted is
    /// unhealthy then, and calculated checks follow their children (R53-104 to R53-106, R53-128).
    #[must_use]
    pub fn of(zone: &Zone, defined: &BTreeMap<HealthCheckId, HealthCheckDefinition>) -> Self {
        let mut calculated = BTreeMap::new();
        let mut down = BTreeSet::new();
        for (id, definition) in defined {
            match &definition.kind {
                DefinedKind::Calculated(check) => {
                    calculated.insert(id.clone(), (check.clone(), definition.status));
                }
                _ if !definition.status.apply(true) => {
                    down.insert(id.clone());
                }
                _ => {}
            }
        }
        let checks = zone.health_check_ids().into_iter().chain(defined.keys().cloned());
        let checks = checks.map(|id| {
            let name = id.0.clone();
            (name, if calculated.contains_key(&id) { Subject::Calculated(id) } else { Subject::Check(id) })
        });
        let resources = zone.aliases_to_resources().into_iter().map(|name| (name.to_string(), Subject::Resource(name)));
        let known = resources.chain(checks).collect();
        let mut board = EvidenceBoard::with_calculated(calculated);
        for id in &down {
            drop(board.set_health_check(id.clone(), false));
        }
        Self { board, known }
    }

    /// Says of something how it is.
    ///
    /// # Errors
    /// When the name is that of nothing, or part of several, or of a calculated health check.
    pub fn say(&mut self, written: &str, status: Status) -> Result<(), HealthError> {
        let name = self.meant(written)?;
        let healthy = status == Status::Healthy;
        match self.known.get(&name) {
            Some(Subject::Check(id)) => drop(self.board.set_health_check(id.clone(), healthy)),
            Some(Subject::Resource(target)) => drop(self.board.set_resource(target.clone(), healthy)),
            Some(Subject::Calculated(_)) => return Err(HealthError::Calculated { name }),
            None => {}
        }
        Ok(())
    }

    /// The whole name that a part of it means.
    fn meant(&self, written: &str) -> Result<String, HealthError> {
        let wanted = written.to_ascii_lowercase();
        let is = |name: &&String| name.trim_end_matches('.').eq_ignore_ascii_case(wanted.trim_end_matches('.'));
        if let Some(name) = self.known.keys().find(is) {
            return Ok(name.clone());
        }
        let holds = |name: &&String| !wanted.is_empty() && name.to_ascii_lowercase().contains(&wanted);
        let meant: Vec<&String> = self.known.keys().filter(holds).collect();
        match meant[..] {
            [one] => Ok(one.clone()),
            [] => Err(HealthError::Unknown {
                written: written.to_owned(),
                nearest: nearest(written, self.known.keys().map(String::as_str)).map(str::to_owned),
                known: if self.known.is_empty() { "none".to_owned() } else { listed(self.known.keys()) },
            }),
            _ => Err(HealthError::Several { written: written.to_owned(), meant: listed(meant.into_iter()) }),
        }
    }

    /// What counts as unhealthy, sorted.
    #[must_use]
    pub fn down(&self) -> Vec<String> {
        let is_down = |subject: &Subject| match subject {
            Subject::Check(id) | Subject::Calculated(id) => !self.board.health_check_is_healthy(id),
            Subject::Resource(target) => !self.board.resource_is_healthy(target),
        };
        self.known.iter().filter(|(_, subject)| is_down(subject)).map(|(name, _)| name.clone()).collect()
    }

    pub(super) const fn board(&self) -> &EvidenceBoard {
        &self.board
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a String>) -> String {
    let names: Vec<&String> = names.collect();
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(LISTED);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::tests::multi_region;

    #[test]
    fn a_part_of_a_name_means_the_only_name_that_it_is_in() {
        let mut health = Health::of(&multi_region(), &BTreeMap::new());
        health.say("alb-sa-east-1", Status::Unhealthy).unwrap();
        let [down] = &health.down()[..] else { panic!("{:?}", health.down()) };
        assert!(down.starts_with("dualstack.alb-sa-east-1-"), "{down}");
        let name = hickory_proto::rr::Name::from_ascii(down).unwrap();
        assert!(!health.board().resource_is_healthy(&name));
        health.say(&down.clone(), Status::Healthy).unwrap();
        assert!(health.down().is_empty() && health.board().resource_is_healthy(&name));
    }

    #[test]
    fn a_name_that_is_none_is_told_with_those_there_are_and_one_that_is_many_with_those_it_may_mean() {
        let mut health = Health::of(&multi_region(), &BTreeMap::new());
        insta::assert_snapshot!(health.say("alb-sa-est-1", Status::Unhealthy).unwrap_err());
        insta::assert_snapshot!(health.say("alb", Status::Unhealthy).unwrap_err());
        assert!(matches!(health.say("", Status::Unhealthy), Err(HealthError::Unknown { .. })));
        assert!(health.down().is_empty());
    }

    #[test]
    fn r53_104_to_106_what_is_inverted_is_down_while_all_is_well_and_calculated_checks_follow_their_children() {
        let text = include_str!("../../tests/cases/19-hc-mixed.json");
        let read = crate::formats::read(std::path::Path::new("hc.json"), text, &crate::formats::Options::default());
        let mut health = Health::of(&multi_region(), &read.unwrap().health_checks);
        insta::assert_debug_snapshot!(health.down());
        let calculated = health.known.iter().find(|(_, subject)| matches!(subject, Subject::Calculated(_))).unwrap();
        let name = calculated.0.clone();
        assert_eq!(health.say(&name, Status::Unhealthy), Err(HealthError::Calculated { name }));
    }
}
