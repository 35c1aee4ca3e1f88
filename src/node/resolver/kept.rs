//! What a resolver keeps of an authoritative answer. Asks nobody.

use hickory_proto::op::{Message, ResponseCode};
use hickory_proto::rr::rdata::CNAME;
use hickory_proto::rr::rdata::opt::{EdnsCode, EdnsOption};
use hickory_proto::rr::{Name, RData, Record, RecordType};
use ipnet::IpNet;

use crate::cache::{Key, ResolverCache, negative_ttl};
use crate::clock::LabTime;

/// An answer, or that there is none.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kept {
    /// At least one record.
    Answer(Vec<Record>),
    /// No data, or no such name.
    Negative {
        /// `NoError` or `NXDomain`.
        code: ResponseCode,
        /// The zone's SOA record: how long this may be kept.
        soa: Box<Record>,
    },
}

impl Kept {
    /// Seconds, as the authoritative server gave them.
    pub(super) fn ttl(&self) -> u32 {
        match self {
            Self::Answer(records) => records.iter().map(|record| record.ttl).min().unwrap_or(0),
            Self::Negative { soa, .. } => soa_times(soa).map_or(0, |(ttl, minimum)| negative_ttl(ttl, minimum)),
        }
    }

    /// The name that a CNAME record sends a question of this type to.
    pub(super) fn next_name(&self, rtype: RecordType) -> Option<Name> {
        let Self::Answer(records) = self else { return None };
        if rtype == RecordType::CNAME || records.iter().any(|record| record.record_type() == rtype) {
            return None;
        }
        records.iter().find_map(|record| match &record.data {
            RData::CNAME(CNAME(target)) => Some(target.clone()),
            _ => None,
        })
    }

    /// Puts it into an answer, under the name as it was asked for, with the seconds that are left.
    ///
    /// Several addresses come in turn, by the query's ID, so that clients are spread over them (as Unbound does:
    /// unbound.conf, `rrset-roundrobin`).
    pub(super) fn put(self, answer: &mut Message, owner: &Name, remaining: u32) {
        match self {
            Self::Answer(mut records) => {
                if records.iter().all(|record| matches!(record.record_type(), RecordType::A | RecordType::AAAA)) {
                    let turn = usize::from(answer.metadata.id).checked_rem(records.len());
                    records.rotate_left(turn.unwrap_or_default());
                }
                for mut record in records {
                    record.ttl = remaining;
                    if record.name == *owner {
                        record.name = owner.clone();
                    }
                    answer.add_answer(record);
                }
            }
            Self::Negative { code, mut soa } => {
                soa.ttl = remaining;
                answer.metadata.response_code = code;
                answer.add_authority(*soa);
            }
        }
    }
}

/// Keeps an authoritative answer to a question that was asked with this client subnet; what was kept. `None` for what
/// is no answer: a refusal, a failure, a referral.
pub(super) fn keep(
    cache: &mut ResolverCache<Kept>,
    now: LabTime,
    key: Key,
    subnet: Option<IpNet>,
    message: &Message,
) -> Option<Kept> {
    let scope = subnet.and_then(|subnet| scope_of(message, subnet));
    if message.response_code == ResponseCode::NoError && !message.answers.is_empty() {
        let kept = Kept::Answer(message.answers.clone());
        cache.store(now, key, scope, kept.clone(), kept.ttl());
        return Some(kept);
    }
    if !matches!(message.response_code, ResponseCode::NoError | ResponseCode::NXDomain) {
        return None;
    }
    let soa = message.authorities.iter().find(|record| record.record_type() == RecordType::SOA)?;
    let kept = Kept::Negative { code: message.response_code, soa: Box::new(soa.clone()) };
    let (soa_ttl, soa_minimum) = soa_times(soa)?;
    cache.store_negative(now, key, scope, kept.clone(), soa_ttl, soa_minimum);
    Some(kept)
}

/// The network that the answer holds for: the subnet that was sent, cut to the scope that came back. Never narrower
/// than what was sent, which is all that is known of the client.
fn scope_of(message: &Message, subnet: IpNet) -> Option<IpNet> {
    match message.edns.as_ref()?.option(EdnsCode::Subnet)? {
        EdnsOption::Subnet(told) => {
            IpNet::new(subnet.addr(), told.scope_prefix().min(subnet.prefix_len())).ok().map(|net| net.trunc())
        }
        _ => None,
    }
}

/// The record's own TTL and the minimum that it carries.
fn soa_times(soa: &Record) -> Option<(u32, u32)> {
    match &soa.data {
        RData::SOA(data) => Some((soa.ttl, data.minimum)),
        _ => None,
    }
}
