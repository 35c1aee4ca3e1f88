//! From a query's bytes to an answer's.

use std::collections::BTreeSet;
use std::net::IpAddr;

use hickory_proto::op::{Message, Query, ResponseCode};
use hickory_proto::rr::rdata::opt::{ClientSubnet, EdnsOption};
use hickory_proto::rr::rdata::{CNAME, HINFO, MX, SRV};
use hickory_proto::rr::{DNSClass, Name, RData, Record, RecordType};
use ipnet::IpNet;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::decide::pick::{PickedContent, pick};
use crate::decide::{Decision, Evidence, Outcome, Question, decide};
use crate::dns_message::{Asked, Transport};
use crate::zone::Visibility;

use super::{Authoritative, Reply};

/// The policies that choose by location (R53-80), as decisions name them.
const BY_LOCATION: [&str; 4] = ["latency", "geolocation", "geoproximity", "IP-based"];
/// A question for any type is answered with one record that says so (RFC 8482, section 4.2).
const ANY_TTL: u32 = 3789;

/// A question that the zone can be asked, and where its sender is.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// The place's name; the sender's address where no place is known.
    pub place: String,
    /// What is to be decided. Where any type is asked for, no group may decide: the type is HINFO, which Route 53 does
    /// not have.
    pub question: Question,
}

impl Authoritative {
    /// Answers a query that came from a lab address. `None` for what must not be answered: less than a header, or an
    /// answer.
    pub fn respond(
        &mut self,
        query: &[u8],
        source: IpAddr,
        transport: Transport,
        evidence: &dyn Evidence,
    ) -> Option<Reply> {
        let asked = match Asked::read(query)? {
            Ok(asked) => asked,
            Err(refusal) => return Some(Reply { bytes: refusal, changed: None }),
        };
        let Some(placed) = self.place(&asked, source) else {
            return Some(Reply { bytes: asked.written(&refused(&asked), transport)?, changed: None });
        };
        let decision = self.remembered.decide(&placed.question, evidence, |evidence| {
            decide(&self.zone, &placed.question, evidence, self.switches)
        });
        let changed = self.note(&asked, &placed, &decision, evidence);
        let answer = self.answer(&asked, &placed.question, source, evidence, &decision);
        Some(Reply { bytes: asked.written(&answer, transport)?, changed })
    }

    /// What is to be decided for a query, and for whom; `None` for what is to be [`refused`].
    #[must_use]
    pub fn place(&self, asked: &Asked, source: IpAddr) -> Option<Placed> {
        let (name, rtype) = (asked.query.name.to_lowercase(), asked.query.query_type);
        let is_transfer = matches!(rtype, RecordType::AXFR | RecordType::IXFR);
        if is_transfer || asked.query.query_class != DNSClass::IN || !self.zone.apex.zone_of(&name) {
            return None;
        }
        let sender = self.subnet(asked).unwrap_or_else(|| IpNet::from(source));
        let (place, viewpoint) = self.locations.locate(sender);
        let place = place.map_or_else(|| sender_name(sender), str::to_owned);
        let rtype = if rtype == RecordType::ANY { RecordType::HINFO } else { rtype };
        Some(Placed { place, question: Question { name, rtype, viewpoint } })
    }

    /// R53-83: a private zone knows the asking VPC only.
    fn subnet(&self, asked: &Asked) -> Option<IpNet> {
        asked.subnet.filter(|_| self.zone.visibility == Visibility::Public)
    }

    fn note(
        &mut self,
        asked: &Asked,
        placed: &Placed,
        decision: &Decision,
        evidence: &dyn Evidence,
    ) -> Option<super::AnswerChange> {
        let led_to = |target: &Name| self.answered_zones(target, evidence).map(|(zone, _)| zone.to_owned()).collect();
        let answers = self.cells.weigh(&decision.outcome, led_to)?;
        self.last.note(&placed.question.name, asked.query.query_type, &placed.place, decision, answers)
    }

    /// The answer that this query gets, out of what the decision admits.
    pub fn answer(
        &mut self,
        asked: &Asked,
        question: &Question,
        source: IpAddr,
        evidence: &dyn Evidence,
        decision: &Decision,
    ) -> Message {
        let mut answer = asked.response();
        if let (Some(subnet), Some(edns)) = (self.subnet(asked), answer.edns.as_mut()) {
            let by_location = decision.path.iter().any(|step| BY_LOCATION.contains(&step.policy.as_str()));
            edns.options_mut().insert(EdnsOption::Subnet(scoped(subnet, by_location)));
        }
        let chance = self.chances.next(source, &asked.query.name.to_lowercase(), asked.query.query_type);
        self.fill(&mut answer, &asked.query, decision, evidence, &chance);
        let along = self.addresses_of_targets(&answer.answers, question, evidence, &chance);
        answer.add_additionals(along);
        answer
    }

    fn fill(
        &self,
        answer: &mut Message,
        query: &Query,
        decision: &Decision,
        evidence: &dyn Evidence,
        chance: &ChaCha8Rng,
    ) {
        answer.metadata.authoritative = true;
        match &decision.outcome {
            Outcome::NotInZone => {
                answer.metadata.authoritative = false;
                answer.metadata.response_code = ResponseCode::Refused;
            }
            Outcome::NxDomain => {
                answer.metadata.response_code = ResponseCode::NXDomain;
                answer.add_authority(self.records.negative_soa());
            }
            Outcome::Referral { cut, servers, ttl } => {
                answer.metadata.authoritative = false;
                let servers: Vec<Record> = servers
                    .iter()
                    .filter_map(|server| self.records.rdata(RecordType::NS, server))
                    .map(|rdata| Record::from_rdata(cut.clone(), *ttl, rdata.clone()))
                    .collect();
                answer.add_additionals(self.records.glue(&servers).cloned().collect::<Vec<_>>());
                answer.add_authorities(servers);
            }
            Outcome::Answers(_) | Outcome::NoData => {
                let records = match self.picked_records(&query.name, decision, evidence, chance) {
                    picked if picked.is_empty() => self.created_records(query),
                    picked => picked,
                };
                if records.is_empty() {
                    answer.add_authority(self.records.negative_soa());
                    return;
                }
                answer.add_answers(records);
                if query.query_type != RecordType::NS {
                    answer.add_authorities(self.records.ns.iter().cloned());
                }
                answer.add_additionals(self.records.glue(&self.records.ns).cloned().collect::<Vec<_>>());
            }
        }
    }

    /// The answer that this query gets, under the name as it was asked for.
    fn picked_records(
        &self,
        owner: &Name,
        decision: &Decision,
        evidence: &dyn Evidence,
        chance: &ChaCha8Rng,
    ) -> Vec<Record> {
        let mut chance = chance.clone();
        let Some(picked) = pick(decision, &mut chance) else { return Vec::new() };
        let record = |rdata| Record::from_rdata(owner.clone(), picked.ttl, rdata);
        match picked.content {
            PickedContent::Values(values) => {
                values.iter().filter_map(|value| self.records.rdata(picked.rtype, value).cloned()).map(record).collect()
            }
            PickedContent::Resource(target) => {
                let addresses = self.answered_zones(&target, evidence).flat_map(|(_, addresses)| addresses);
                let of_type = |address: &&IpAddr| address.is_ipv4() == (picked.rtype == RecordType::A);
                let mut addresses: Vec<IpAddr> = addresses.filter(of_type).copied().collect();
                addresses.shuffle(&mut chance);
                addresses.into_iter().map(|address| record(RData::from(address))).collect()
            }
        }
    }

    /// The addresses of the names in this zone that the answers point at (R53-180); name servers have glue.
    fn addresses_of_targets(
        &self,
        answers: &[Record],
        asked: &Question,
        evidence: &dyn Evidence,
        chance: &ChaCha8Rng,
    ) -> Vec<Record> {
        let targets: BTreeSet<Name> = answers.iter().filter_map(|record| target_of(&record.data)).collect();
        let questions = targets.iter().flat_map(|target| {
            [RecordType::A, RecordType::AAAA].map(|rtype| Question { name: target.clone(), rtype, ..asked.clone() })
        });
        questions
            .flat_map(|question| {
                let decision = decide(&self.zone, &question, evidence, self.switches);
                let mut records = self.picked_records(&question.name, &decision, evidence, chance);
                records.retain(|record| record.record_type() == question.rtype);
                records
            })
            .collect()
    }

    /// What every hosted zone has at its apex, whether its file says so or not; and the answer to any type.
    fn created_records(&self, query: &Query) -> Vec<Record> {
        let at_apex = query.name.to_lowercase() == self.zone.apex;
        match query.query_type {
            RecordType::SOA if at_apex => vec![self.records.soa.clone()],
            RecordType::NS if at_apex => self.records.ns.clone(),
            RecordType::ANY => {
                let nothing_more = RData::HINFO(HINFO::new("RFC8482".to_owned(), String::new()));
                vec![Record::from_rdata(query.name.clone(), ANY_TTL, nothing_more)]
            }
            _ => Vec::new(),
        }
    }
}

/// The answer to what this server is not there for.
#[must_use]
pub fn refused(asked: &Asked) -> Message {
    let mut answer = asked.response();
    answer.metadata.response_code = ResponseCode::Refused;
    answer
}

/// The name that a record sends its reader on to.
fn target_of(rdata: &RData) -> Option<Name> {
    match rdata {
        RData::CNAME(CNAME(target)) | RData::MX(MX { exchange: target, .. }) | RData::SRV(SRV { target, .. }) => {
            Some(target.clone())
        }
        _ => None,
    }
}

/// An address alone is named without its prefix.
fn sender_name(sender: IpNet) -> String {
    if sender.prefix_len() == sender.max_prefix_len() { sender.addr().to_string() } else { sender.to_string() }
}

/// The option as the answer carries it: the scope is the subnet's own prefix where location was used, else 0. AWS does
/// not publish the scope it returns.
fn scoped(subnet: IpNet, by_location: bool) -> ClientSubnet {
    let prefix = subnet.prefix_len();
    ClientSubnet::new(subnet.network(), prefix, if by_location { prefix } else { 0 })
}

#[cfg(test)]
mod tests;
