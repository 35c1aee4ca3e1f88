//! What is answered, in the words of the drill: which cells.

use std::collections::BTreeSet;
use std::net::IpAddr;

use hickory_proto::rr::{Name, RecordType};

use crate::cache::negative_ttl;
use crate::decide::{Admissible, Content, Evidence, Outcome, Question, Switches, Viewpoint, decide};
use crate::plan::{Family, Plan};
use crate::zone::{RecordData, Zone};

/// A chain of CNAMEs is followed so far, as resolvers do.
const LONGEST_CHAIN: usize = 8;

/// TTL and last field of the SOA record that Route 53 creates, seconds (page "NS and SOA records that Amazon Route 53
/// creates for a public hosted zone"). A zone file need not have one.
const CREATED_SOA: (u32, u32) = (900, 86_400);

/// Asks as resolvers do.
#[derive(Clone, Copy)]
pub(super) struct Asker<'a> {
    pub(super) plan: &'a Plan,
    pub(super) zone: &'a Zone,
}

/// What may be answered.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answered {
    /// Cells, or zones of them, `nodata`, `nxdomain`, or values that are no cell's; sorted, each once.
    pub(super) labels: Vec<String>,
    /// The longest TTL of them, seconds.
    pub(super) ttl: u32,
}

impl Asker<'_> {
    pub(super) fn ask(self, name: &Name, family: Family, viewpoint: &Viewpoint, evidence: &dyn Evidence) -> Answered {
        let mut labels = BTreeSet::new();
        let mut ttl = 0;
        let mut open = vec![(name.clone(), 0)];
        while let Some((name, length)) = open.pop() {
            let question = Question { name, rtype: family.into(), viewpoint: viewpoint.clone() };
            let (label, negative) = match decide(self.zone, &question, evidence, Switches::default()).outcome {
                Outcome::Answers(admissible) => {
                    for Admissible { answer, .. } in admissible {
                        ttl = ttl.max(answer.ttl);
                        match answer.content {
                            Content::Values { values, .. } if answer.rtype == RecordType::CNAME => {
                                let ends = values.iter().filter_map(|value| Name::from_ascii(value).ok());
                                open.extend(ends.filter(|_| length < LONGEST_CHAIN).map(|end| (end, length + 1)));
                            }
                            content => labels.extend(self.label(&content, evidence)),
                        }
                    }
                    continue;
                }
                Outcome::NoData => ("nodata".to_owned(), self.negative_ttl()),
                Outcome::NxDomain => ("nxdomain".to_owned(), self.negative_ttl()),
                Outcome::Referral { cut, ttl, .. } => (format!("referral to {cut}"), ttl),
                Outcome::NotInZone => ("not in the zone".to_owned(), 0),
            };
            labels.insert(label);
            ttl = ttl.max(negative);
        }
        Answered { labels: labels.into_iter().collect(), ttl }
    }

    /// How long resolvers keep that there is no such thing, seconds.
    fn negative_ttl(self) -> u32 {
        let written = self.zone.group(&self.zone.apex, RecordType::SOA).and_then(|group| group.records.first());
        let (ttl, minimum) = match written.map(|record| &record.data) {
            Some(RecordData::Values { ttl, values }) => {
                let last = values.first().and_then(|value| value.split_whitespace().last());
                (*ttl, last.and_then(|minimum| minimum.parse().ok()).unwrap_or(*ttl))
            }
            _ => CREATED_SOA,
        };
        negative_ttl(ttl, minimum)
    }

    fn label(self, content: &Content, evidence: &dyn Evidence) -> Vec<String> {
        match content {
            Content::Resource(target) => {
                let text = target.to_lowercase().to_string();
                let stands = self.plan.cells.iter().find(|(_, cell)| cell.alias_target.as_ref() == Some(&text));
                let Some((name, cell)) = stands else { return vec![text] };
                let zones = cell.zones(name).into_iter().map(|zone| zone.name);
                zones.filter(|zone| evidence.zone_is_answered(target, zone)).collect()
            }
            Content::Values { values, .. } if values.is_empty() => vec!["nodata".to_owned()],
            Content::Values { values, .. } => values.iter().map(|value| self.of_value(value)).collect(),
        }
    }

    fn of_value(self, value: &str) -> String {
        let stands = value.parse::<IpAddr>().ok().and_then(|address| self.plan.zone_at(address));
        stands.unwrap_or(value).to_owned()
    }
}
