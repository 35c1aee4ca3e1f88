//! Why a name server answers what it answers: a decision retold for people, with the rules that it rests on.
//!
//! Zone, question and health in, an account out. It decides nothing: [`crate::decide`] does, and here is said which rule
//! of the rulebook stands behind each of its steps, and which other answer another reading of the rules would give.
//! Nothing here knows a file, a socket or a clock.

mod because;
mod health;
mod readings;
mod sender;

use std::collections::BTreeSet;

use hickory_proto::rr::{Name, RecordType};
use serde::Serialize;

use crate::decide::{
    Answer, Considered, Content, Decision, Evidence, Outcome, Question, Reason, RecordRef, Step, StepEnd, Switches,
    decide,
};
use crate::rulebook::{Evidence as Resting, Rulebook};
use crate::zone::{RecordData, RecordSet, Zone, type_text};

pub use health::{Health, HealthError, Status};
pub use readings::Reading;
pub(crate) use readings::percent;
pub use sender::{SenderError, sender};

use because::RuleNumber;

/// A decision, retold. Key names are stable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The query name, with its trailing dot.
    pub name: String,
    /// The query type.
    #[serde(rename = "type")]
    pub rtype: String,
    /// Where the query comes from, as it was written; none was given: nowhere that is known.
    pub from: Vec<String>,
    /// What counts as unhealthy: health checks and AWS resources, sorted.
    pub down: Vec<String>,
    /// `answers`, `nodata`, `nxdomain`, `referral` or `not-in-zone`.
    pub outcome: &'static str,
    /// Each admissible answer, the most probable first; of a referral the name servers.
    pub answers: Vec<ToldAnswer>,
    /// Every group on the way, each before those that its aliases lead to.
    pub groups: Vec<ToldGroup>,
    /// Every rule that was used, in the order of their numbers.
    pub rules: Vec<ToldRule>,
    /// Which other outcome another reading of an inferred rule gives; empty: the answer rests on none.
    pub readings: Vec<Reading>,
}

/// An admissible answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToldAnswer {
    /// Above 0, at most 1.
    pub probability: f64,
    /// The values, in presentation format; of an alias to an AWS resource its name, for whose addresses it stands. Empty:
    /// no data, with that probability.
    pub values: Vec<String>,
    /// Whether the values are an AWS resource's name.
    pub resource: bool,
    /// A random choice of so many of the values; none: all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_most: Option<usize>,
    /// Seconds.
    pub ttl: u32,
    /// Where the TTL is from, for people.
    pub ttl_from: String,
    /// The record sets passed on the way, outermost first.
    pub via: Vec<RecordRef>,
    /// No record was healthy in some group on the way, and all were treated as healthy (R53-10).
    pub last_resort: bool,
}

/// A group on the way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToldGroup {
    /// Owner name, with its trailing dot.
    pub name: String,
    /// Its routing policy.
    pub policy: String,
    /// The record whose alias leads here; none: the question does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub under: Option<RecordRef>,
    /// How deep below the question's own group, which is 0.
    pub depth: usize,
    /// What became of each record.
    pub records: Vec<ToldRecord>,
    /// How the group was left.
    pub end: StepEnd,
    /// The rules that say so.
    pub rules: Vec<String>,
}

/// What became of a record.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ToldRecord {
    /// The record.
    pub record: RecordRef,
    /// What its policy says of it: `PRIMARY`, `weight 10`, `country BR`. Empty for a simple record.
    pub chosen_by: String,
    /// Its values; or what its alias points at, and whether it evaluates the target's health (ETH).
    pub holds: String,
    /// Why it is in or out.
    pub reason: Reason,
    /// The same, for people.
    pub because: String,
    /// The rules that say so.
    pub rules: Vec<String>,
}

/// A rule that was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToldRule {
    /// For example `R53-25`.
    pub id: String,
    /// The rule in one line.
    pub title: String,
    /// The letters of what it rests on: `D` a guide, `A` the API reference, `M` measured by others, `L` listed, `C` the
    /// community, `I` inferred.
    pub evidence: String,
    /// Nobody but muster says it in words: the service itself does not.
    pub inferred: bool,
    /// The titles of the pages it is read from.
    pub sources: Vec<String>,
}

/// Explains the answer to a question. `from` is how its sender was written, for people.
#[must_use]
pub fn explain(zone: &Zone, question: &Question, from: &[String], health: &Health, switches: Switches) -> Explanation {
    let board = health.board();
    let decision = decide(zone, question, board, switches);
    let groups = groups(zone, question.rtype, &decision.path, board);
    let answers = answers(zone, &decision);
    let rules = rules(&groups, &answers, &decision);
    Explanation {
        name: absolute(&question.name),
        rtype: type_text(question.rtype),
        from: from.to_vec(),
        down: health.down(),
        outcome: outcome(&decision.outcome),
        readings: readings::other(zone, question, board, switches, &decision),
        answers,
        groups,
        rules,
    }
}

/// A name with its trailing dot, in lower case.
fn absolute(name: &Name) -> String {
    let mut name = name.to_lowercase();
    name.set_fqdn(true);
    name.to_string()
}

const fn outcome(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Answers(_) => "answers",
        Outcome::NoData => "nodata",
        Outcome::NxDomain => "nxdomain",
        Outcome::Referral { .. } => "referral",
        Outcome::NotInZone => "not-in-zone",
    }
}

fn groups(zone: &Zone, rtype: RecordType, path: &[Step], evidence: &dyn Evidence) -> Vec<ToldGroup> {
    // Of the last step of each depth, the records that lead on.
    let mut above: Vec<&Step> = Vec::new();
    let mut told = Vec::new();
    for step in path {
        above.truncate(step.depth);
        let under = above.last().and_then(|parent| leading_to(zone, rtype, parent, &step.group));
        let records = step.considered.iter().map(|one| record(zone, rtype, step, one, evidence)).collect();
        told.push(ToldGroup {
            name: step.group.clone(),
            policy: step.policy.clone(),
            under,
            depth: step.depth,
            records,
            end: step.end,
            rules: ids(because::of_group(step)),
        });
        above.push(step);
    }
    told
}

/// The record of a step whose alias points at this group.
fn leading_to(zone: &Zone, rtype: RecordType, step: &Step, group: &str) -> Option<RecordRef> {
    let leads = |one: &&Considered| {
        let found = found(zone, rtype, &one.record);
        found.is_some_and(|record| matches!(&record.data, RecordData::Alias(alias) if absolute(&alias.target) == group))
    };
    step.considered.iter().find(leads).map(|one| one.record.clone())
}

/// The record set of a zone that is named so.
fn found<'z>(zone: &'z Zone, rtype: RecordType, record: &RecordRef) -> Option<&'z RecordSet> {
    // The group of another type answers where a name has a CNAME.
    let of = |rtype| zone.group(&Name::from_ascii(&record.name).ok()?, rtype);
    let group = of(rtype).filter(|_| type_text(rtype) == record.rtype).or_else(|| of(RecordType::CNAME))?;
    group.records.iter().find(|one| one.set_identifier == record.set_identifier)
}

fn record(zone: &Zone, rtype: RecordType, step: &Step, one: &Considered, evidence: &dyn Evidence) -> ToldRecord {
    let Some(set) = found(zone, rtype, &one.record) else {
        let (chosen_by, holds, because) = (String::new(), String::new(), String::new());
        return ToldRecord { record: one.record.clone(), chosen_by, holds, reason: one.reason, because, rules: vec![] };
    };
    let (because, rules) = because::of_record(zone, step, set, one.reason, evidence);
    ToldRecord {
        record: one.record.clone(),
        chosen_by: because::chosen_by(&set.policy),
        holds: holds(set),
        reason: one.reason,
        because,
        rules: ids(rules),
    }
}

fn holds(record: &RecordSet) -> String {
    match &record.data {
        RecordData::Values { values, .. } => values.join(", "),
        RecordData::Alias(alias) => {
            let evaluates = if alias.evaluate_target_health { "ETH" } else { "no ETH" };
            format!("→ {} ({evaluates})", alias.target)
        }
    }
}

fn answers(zone: &Zone, decision: &Decision) -> Vec<ToldAnswer> {
    let mut told: Vec<ToldAnswer> = match &decision.outcome {
        Outcome::Answers(all) => all
            .iter()
            .map(|one| {
                let (values, resource, at_most) = match &one.answer.content {
                    Content::Values { values, at_most } => (values.clone(), false, *at_most),
                    Content::Resource(name) => (vec![name.to_string()], true, None),
                };
                ToldAnswer {
                    probability: one.probability,
                    values,
                    resource,
                    at_most,
                    ttl: one.answer.ttl,
                    ttl_from: ttl_from(zone, &one.answer),
                    via: one.answer.via.clone(),
                    last_resort: one.last_resort,
                }
            })
            .collect(),
        Outcome::Referral { cut, servers, ttl } => vec![ToldAnswer {
            probability: 1.0,
            values: servers.clone(),
            resource: false,
            at_most: None,
            ttl: *ttl,
            ttl_from: format!("the delegation of {cut}"),
            via: Vec::new(),
            last_resort: false,
        }],
        Outcome::NoData | Outcome::NxDomain | Outcome::NotInZone => Vec::new(),
    };
    told.sort_by(|one, other| other.probability.total_cmp(&one.probability));
    told
}

/// Where the TTL of an answer is from (R53-172; R53-169 to R53-171).
fn ttl_from(zone: &Zone, answer: &Answer) -> String {
    let Some(last) = answer.via.last() else { return String::new() };
    match &answer.content {
        Content::Resource(_) => "the AWS resource".to_owned(),
        Content::Values { values, .. } if values.is_empty() => "nothing: there is no data".to_owned(),
        Content::Values { .. } => {
            let own = found(zone, answer.rtype, last).and_then(|record| match record.data {
                RecordData::Values { ttl, .. } => Some(ttl),
                RecordData::Alias(_) => None,
            });
            let cut = own.filter(|own| *own > answer.ttl).map(|own| format!(", whose own {own} s is cut"));
            format!("{}{}", name_of(last), cut.unwrap_or_default())
        }
    }
}

/// A record as people name it: by its set identifier, if it has one.
#[must_use]
pub fn name_of(record: &RecordRef) -> String {
    record.set_identifier.as_ref().map_or_else(|| record.name.clone(), |id| format!("{} `{id}`", record.name))
}

fn ids(rules: Vec<RuleNumber>) -> Vec<String> {
    let sorted: BTreeSet<RuleNumber> = rules.into_iter().collect();
    sorted.into_iter().map(|number| format!("R53-{number}")).collect()
}

fn rules(groups: &[ToldGroup], answers: &[ToldAnswer], decision: &Decision) -> Vec<ToldRule> {
    let mut used: BTreeSet<String> = BTreeSet::new();
    for group in groups {
        used.extend(group.rules.iter().cloned());
        used.extend(group.records.iter().flat_map(|record| record.rules.iter().cloned()));
    }
    used.extend(ids(because::of_outcome(&decision.outcome)));
    if answers.iter().any(|answer| answer.resource) {
        used.insert("R53-169".to_owned());
    }
    if answers.iter().any(|answer| !answer.resource && answer.via.len() > 1) {
        used.insert("R53-172".to_owned());
    }
    let book = Rulebook::route53();
    // In the order of the book, which is that of the numbers.
    book.rules()
        .filter(|rule| used.contains(&rule.id.to_string()))
        .map(|rule| ToldRule {
            id: rule.id.to_string(),
            title: rule.title.clone(),
            evidence: rule.evidence.iter().map(|evidence| evidence.letter()).collect(),
            inferred: rule.evidence.contains(&Resting::Inferred) && !rule.evidence.iter().any(|one| one.is_firm()),
            sources: book.source_titles(rule),
        })
        .collect()
}

#[cfg(test)]
pub(crate) mod tests;
