//! Which rules stand behind each step of a decision, and how to say it.

use crate::decide::{Evidence, Outcome, Reason, Step, StepEnd};
use crate::zone::{FailoverRole, GeoLocation, GeoproximityOrigin, Policy, RecordData, RecordSet, Zone};

/// The number of a rule of Route 53's rulebook: 1 to 246.
pub(super) type RuleNumber = u16;

/// What a policy says of a record; empty for a simple one.
pub(super) fn chosen_by(policy: &Policy) -> String {
    match policy {
        Policy::Simple | Policy::Multivalue => String::new(),
        Policy::Failover(FailoverRole::Primary) => "PRIMARY".to_owned(),
        Policy::Failover(FailoverRole::Secondary) => "SECONDARY".to_owned(),
        Policy::Weighted(weight) => format!("weight {weight}"),
        Policy::Latency(region) => format!("Region {region}"),
        Policy::Geolocation(GeoLocation::Default) => "default location".to_owned(),
        Policy::Geolocation(GeoLocation::Continent(code)) => format!("continent {code}"),
        Policy::Geolocation(GeoLocation::Country(code)) => format!("country {code}"),
        Policy::Geolocation(GeoLocation::Subdivision { country, subdivision }) => format!("{country}/{subdivision}"),
        Policy::Geoproximity { origin, bias } => {
            let origin = match origin {
                GeoproximityOrigin::Region(region) => format!("Region {region}"),
                GeoproximityOrigin::LocalZoneGroup(group) => format!("Local Zone group {group}"),
                GeoproximityOrigin::Coordinates { latitude, longitude } => format!("{latitude}, {longitude}"),
            };
            if *bias == 0 { origin } else { format!("{origin}, bias {bias}") }
        }
        Policy::IpBased { location, .. } if location == "*" => "default location".to_owned(),
        Policy::IpBased { collection, location } => format!("location {location} of {collection}"),
    }
}

/// Why a record is in or out, for people, and the rules that say so.
pub(super) fn of_record(
    zone: &Zone,
    step: &Step,
    record: &RecordSet,
    reason: Reason,
    evidence: &dyn Evidence,
) -> (String, Vec<RuleNumber>) {
    let check = record.health_check.as_ref();
    let alias = match &record.data {
        RecordData::Alias(alias) => Some(alias),
        RecordData::Values { .. } => None,
    };
    let evaluates = alias.is_some_and(|alias| alias.evaluate_target_health);
    let below = step.depth > 0;
    match reason {
        Reason::Unchecked => match alias {
            None if below && record.policy == Policy::Simple => {
                ("a simple record has nothing that could make it unhealthy".to_owned(), vec![3, 19])
            }
            None => ("it has no health check: always healthy".to_owned(), vec![3]),
            Some(_) if below && record.policy == Policy::Simple => {
                ("it does not evaluate its target: always healthy".to_owned(), vec![5, 18])
            }
            Some(_) => ("it has no health check and does not evaluate its target: always healthy".to_owned(), vec![5]),
        },
        Reason::Healthy => {
            let mut rules = if alias.is_some() && !evaluates { vec![1, 6] } else { vec![1] };
            let checked = check.map(|id| format!("health check {id} is healthy"));
            let target = evaluates.then(|| {
                rules.extend(of_target(zone, record));
                "its target is healthy".to_owned()
            });
            if check.is_none() {
                rules.retain(|rule| *rule != 1);
            }
            if checked.is_some() && target.is_some() {
                rules.push(4);
            }
            (said([checked, target]), rules)
        }
        Reason::HealthCheckUnhealthy => {
            let id = check.map(|id| format!("health check {id} is unhealthy"));
            let rules = match alias {
                None => vec![1],
                Some(_) if evaluates => vec![1, 4, 89],
                Some(_) => vec![1, 6],
            };
            (said([id, None]), rules)
        }
        Reason::TargetUnhealthy => {
            let target = alias.map(|alias| {
                let is = if zone.is_resource(&alias.target) && !evidence.resource_is_healthy(&alias.target) {
                    "is unhealthy"
                } else {
                    "has no healthy record for this query"
                };
                format!("its target {is}")
            });
            let mut rules = of_target(zone, record);
            if check.is_some() {
                rules.push(4);
            }
            (said([target, None]), rules)
        }
        Reason::NotReached => {
            ("a better one is healthy, so it is not asked for".to_owned(), not_reached(&record.policy))
        }
        Reason::NotApplicable => ("it does not apply to this query".to_owned(), not_applicable(&record.policy)),
        Reason::LastResort => {
            ("nothing here is healthy: taken as if it were".to_owned(), last_resort(&record.policy).to_vec())
        }
    }
}

fn said(parts: [Option<String>; 2]) -> String {
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The rules by which an alias that evaluates its target's health sees it.
fn of_target(zone: &Zone, record: &RecordSet) -> Vec<RuleNumber> {
    let RecordData::Alias(alias) = &record.data else { return Vec::new() };
    if zone.is_resource(&alias.target) {
        return if crate::decide::has_health(&alias.target) { vec![96] } else { vec![97, 98] };
    }
    let mut rules = vec![7];
    if let Some(target) = zone.group(&alias.target, record.rtype) {
        let policy = target.records.first().map(|first| &first.policy);
        match policy {
            Some(Policy::Simple) if matches!(target.records[0].data, RecordData::Alias(_)) => rules.push(17),
            Some(Policy::Geolocation(_) | Policy::IpBased { .. }) => rules.push(93),
            _ => {}
        }
    }
    rules
}

fn not_reached(policy: &Policy) -> Vec<RuleNumber> {
    match policy {
        Policy::Failover(_) => vec![22],
        Policy::Weighted(_) => vec![40],
        Policy::Latency(_) => vec![48],
        Policy::Geolocation(_) => vec![53],
        Policy::Geoproximity { .. } => vec![63],
        Policy::IpBased { .. } => vec![68],
        Policy::Simple | Policy::Multivalue => Vec::new(),
    }
}

fn not_applicable(policy: &Policy) -> Vec<RuleNumber> {
    match policy {
        Policy::Geolocation(_) => vec![53, 59],
        Policy::IpBased { .. } => vec![68, 70],
        _ => Vec::new(),
    }
}

const fn last_resort(policy: &Policy) -> &'static [RuleNumber] {
    match policy {
        Policy::Failover(FailoverRole::Primary) => &[10, 25],
        Policy::Weighted(_) => &[10, 44],
        Policy::Geolocation(_) => &[10, 58],
        Policy::IpBased { .. } => &[10, 73],
        Policy::Multivalue => &[10, 77],
        Policy::Simple | Policy::Failover(_) | Policy::Latency(_) | Policy::Geoproximity { .. } => &[10],
    }
}

/// The rules by which a group was left.
pub(super) fn of_group(step: &Step) -> Vec<RuleNumber> {
    match step.end {
        StepEnd::Used => used(step),
        StepEnd::BackedOut => vec![86, 90],
        StepEnd::LastResort if step.depth > 0 => vec![10, 91],
        StepEnd::LastResort => vec![10],
        StepEnd::NothingApplies => vec![55],
    }
}

fn used(step: &Step) -> Vec<RuleNumber> {
    let left_out =
        step.considered.iter().any(|one| matches!(one.reason, Reason::HealthCheckUnhealthy | Reason::TargetUnhealthy));
    let (plain, when_left_out): (RuleNumber, RuleNumber) = match step.policy.as_str() {
        "simple" => (14, 14),
        "failover" => (22, 24),
        "weighted" => (37, 39),
        "latency" => (48, 9),
        "geolocation" => (53, 57),
        "geoproximity" => (63, 67),
        "IP-based" => (68, 73),
        "multivalue" => (74, 75),
        _ => (9, 9),
    };
    if left_out { vec![9, when_left_out] } else { vec![plain] }
}

/// The rules that an outcome without records rests on.
pub(super) fn of_outcome(outcome: &Outcome) -> Vec<RuleNumber> {
    match outcome {
        Outcome::NoData => vec![55, 184],
        Outcome::NxDomain => vec![184],
        Outcome::Answers(_) | Outcome::Referral { .. } | Outcome::NotInZone => Vec::new(),
    }
}
