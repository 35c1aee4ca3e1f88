//! A zone as Google Cloud DNS keeps it: record sets with plain values, or with one routing policy.
//!
//! It is a dialect of its own: nothing of it is made to look like Route 53's. Pure data and pure checks; what is
//! answered from it is not decided here. Source: the DNS API's `ResourceRecordSet` and `RRSetRoutingPolicy`.

use std::collections::BTreeSet;

use hickory_proto::rr::{Name, RecordType};

use crate::source::Position;

use super::{ZoneError, ZoneErrors, type_text};

/// A managed zone.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudDnsZone {
    /// The zone's own name, absolute and in lower case.
    pub apex: Name,
    /// Every record set, by name and type.
    pub record_sets: Vec<CloudDnsRecordSet>,
}

/// One `ResourceRecordSet`: all that there is for its name and type.
#[derive(Clone, Debug, PartialEq)]
pub struct CloudDnsRecordSet {
    /// The owner name, absolute and in lower case.
    pub name: Name,
    /// The record type.
    pub rtype: RecordType,
    /// Seconds.
    pub ttl: u32,
    /// What it answers with.
    pub data: CloudDnsData,
    /// The health check of external endpoints, if one is named.
    pub health_check: Option<String>,
    /// Where it stands in its file.
    pub at: Position,
}

/// What a record set answers with: plain values or one policy (GCD-GEN-1, GCD-GEN-2).
#[derive(Clone, Debug, PartialEq)]
pub enum CloudDnsData {
    /// Plain values, in presentation format.
    Plain(Vec<String>),
    /// `wrr`: an item is sampled by its weight.
    Weighted(Vec<WeightedItem>),
    /// `geo`: the nearest location answers.
    Geo(GeoPolicy),
    /// `primaryBackup`: the primaries, and a backup that is a geolocation policy itself (GCD-FO-3).
    PrimaryBackup {
        /// They answer while at least one is healthy (GCD-FO-1).
        primary: Vec<Target>,
        /// What answers when none of them is, and the trickle always.
        backup: GeoPolicy,
        /// The share of answers that the backup always gives, 0 to 1 (GCD-FO-4).
        trickle: f64,
    },
}

/// An item of a weighted policy.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedItem {
    /// 0 to 1000 (GCD-WRR-1).
    pub weight: f64,
    /// What it answers with.
    pub answers: Answers,
}

/// A geolocation policy.
#[derive(Clone, Debug, PartialEq)]
pub struct GeoPolicy {
    /// Whether a location that has nothing healthy keeps its clients (GCD-GEO-4, GCD-GEO-5).
    pub fenced: bool,
    /// One for each location.
    pub items: Vec<GeoItem>,
}

/// An item of a geolocation policy.
#[derive(Clone, Debug, PartialEq)]
pub struct GeoItem {
    /// A region of Google Cloud, as `us-east1`.
    pub location: String,
    /// What it answers with.
    pub answers: Answers,
}

/// What an item answers with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// Values that are never checked.
    pub values: Vec<String>,
    /// Targets that answer while they are healthy.
    pub checked: Vec<Target>,
}

/// A target whose health is checked.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// An address on the internet, or what stands for one that is not known yet.
    External(String),
    /// An internal load balancer.
    LoadBalancer(LoadBalancerTarget),
}

impl Target {
    /// The address that is answered, or what stands for one that is not known yet.
    #[must_use]
    pub fn address(&self) -> &str {
        match self {
            Self::External(address) => address,
            Self::LoadBalancer(balancer) => &balancer.address,
        }
    }
}

/// An internal load balancer, in the API's words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadBalancerTarget {
    /// `ipAddress`.
    pub address: String,
    /// `ipProtocol`: `tcp` or `udp`.
    pub protocol: Option<String>,
    /// `loadBalancerType`, as `regionalL4ilb`.
    pub kind: Option<String>,
    /// `networkUrl`.
    pub network: Option<String>,
    /// `port`.
    pub port: Option<String>,
    /// `project`.
    pub project: Option<String>,
    /// `region`.
    pub region: Option<String>,
}

/// Checks a zone as Cloud DNS would.
///
/// # Errors
/// All problems, in the order of the file.
pub fn validate(zone: &CloudDnsZone) -> Result<(), ZoneErrors> {
    let mut problems = Vec::new();
    let mut seen = BTreeSet::new();
    for set in &zone.record_sets {
        let title = format!("{} {}", set.name, type_text(set.rtype));
        let mut refuse = |problem: String| problems.push(ZoneError::Invalid { at: set.at.clone(), problem });
        if !zone.apex.zone_of(&set.name) {
            refuse(format!("{} lies outside the zone {}", set.name, zone.apex));
        }
        if !seen.insert((set.name.clone(), set.rtype)) {
            refuse(format!("a second record set for {title}; expected one, with several values or a policy"));
        }
        match &set.data {
            CloudDnsData::Plain(_) => {}
            CloudDnsData::Weighted(items) => {
                for item in items.iter().filter(|item| !(0.0..=1000.0).contains(&item.weight)) {
                    refuse(format!(
                        "weight {} of {title} is out of range; expected 0 to 1000 (GCD-WRR-1)",
                        item.weight
                    ));
                }
            }
            CloudDnsData::Geo(policy) => refuse_locations(policy, &title, &mut refuse),
            CloudDnsData::PrimaryBackup { primary, backup, trickle } => {
                refuse_locations(backup, &title, &mut refuse);
                if primary.is_empty() {
                    refuse(format!("{title} has no primary; expected at least one target (GCD-FO-1)"));
                }
                if !(0.0..=1.0).contains(trickle) {
                    refuse(format!("trickle {trickle} of {title} is out of range; expected 0 to 1 (GCD-FO-4)"));
                }
            }
        }
        let answers = answers(&set.data);
        if answers.is_empty() && !matches!(set.data, CloudDnsData::Plain(_)) {
            refuse(format!("a policy of {title} has no items; expected at least one"));
        }
        let primaries = match &set.data {
            CloudDnsData::PrimaryBackup { primary, .. } => Some(primary),
            CloudDnsData::Plain(_) | CloudDnsData::Weighted(_) | CloudDnsData::Geo(_) => None,
        };
        for targets in primaries.into_iter().chain(answers.iter().map(|answers| &answers.checked)) {
            refuse_targets(targets, set.rtype, &title, &mut refuse);
        }
        for answers in answers {
            if answers.values.is_empty() && answers.checked.is_empty() {
                refuse(format!("an item of {title} has nothing to answer with; expected `rrdatas` or targets"));
            }
        }
    }
    ZoneErrors::none_of(problems)
}

/// GCD-GEN-5; and health-checked targets are for addresses alone (`healthCheckedTargets`, the DNS API).
fn refuse_targets(targets: &[Target], rtype: RecordType, title: &str, refuse: &mut impl FnMut(String)) {
    let external = targets.iter().filter(|target| matches!(target, Target::External(_))).count();
    if external != 0 && external != targets.len() {
        refuse(format!(
            "targets of {title} are both load balancers and external endpoints; expected either (GCD-GEN-5)"
        ));
    }
    if !targets.is_empty() && !matches!(rtype, RecordType::A | RecordType::AAAA) {
        refuse(format!("{title} has targets that are health-checked; expected them for A and AAAA alone"));
    }
}

/// GCD-GEO-6.
fn refuse_locations(policy: &GeoPolicy, title: &str, refuse: &mut impl FnMut(String)) {
    let mut seen = BTreeSet::new();
    for item in policy.items.iter().filter(|item| !seen.insert(item.location.as_str())) {
        refuse(format!("a second item for location `{}` in {title}; expected one (GCD-GEO-6)", item.location));
    }
}

fn answers(data: &CloudDnsData) -> Vec<&Answers> {
    match data {
        CloudDnsData::Plain(_) => Vec::new(),
        CloudDnsData::Weighted(items) => items.iter().map(|item| &item.answers).collect(),
        CloudDnsData::Geo(policy) | CloudDnsData::PrimaryBackup { backup: policy, .. } => {
            policy.items.iter().map(|item| &item.answers).collect()
        }
    }
}

impl CloudDnsRecordSet {
    /// Everything that it can answer, values and addresses, in the order of the file.
    #[must_use]
    pub fn all_values(&self) -> Vec<&str> {
        let mut all: Vec<&str> = match &self.data {
            CloudDnsData::Plain(values) => values.iter().map(String::as_str).collect(),
            CloudDnsData::PrimaryBackup { primary, .. } => primary.iter().map(Target::address).collect(),
            CloudDnsData::Weighted(_) | CloudDnsData::Geo(_) => Vec::new(),
        };
        for one in answers(&self.data) {
            all.extend(one.values.iter().map(String::as_str).chain(one.checked.iter().map(Target::address)));
        }
        all
    }
}
