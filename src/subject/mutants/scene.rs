//! A small input, asked of a mutant and of the reference.

use std::cell::RefCell;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;

use hickory_proto::op::{Edns, Message, Query};
use hickory_proto::rr::rdata::opt::{ClientSubnet, EdnsOption};
use hickory_proto::rr::{Name, RecordType};
use ipnet::IpNet;

use crate::authoritative::{AuthoritativeSettings, CellNames, Location, LocationMap, NameServer};
use crate::clock::LabTime;
use crate::decide::{Content, Decision, Outcome, Switches, Viewpoint};
use crate::dns_message::Transport;
use crate::health::EvidenceBoard;
use crate::source::Position;
use crate::subject::{Answered, Deviation, Machines, Reference, Subject};
use crate::zone::{Alias, HealthCheckId, Policy, RecordData, RecordSet, Zone};

use super::find;

const APEX: &str = "example.com.";

fn name(text: &str) -> Name {
    Name::from_ascii(text).unwrap()
}

/// `www` is `www.example.com.`, what ends in a dot is itself.
pub(super) fn owner(label: &str) -> Name {
    if label.ends_with('.') { name(label) } else { name(&format!("{label}.{APEX}")) }
}

pub(super) fn record(label: &str, id: &str, policy: Policy, data: RecordData) -> RecordSet {
    let set_identifier = (policy != Policy::Simple).then(|| id.to_owned());
    let at = Position::default();
    RecordSet { name: owner(label), rtype: RecordType::A, set_identifier, policy, health_check: None, data, at }
}

pub(super) fn values(label: &str, id: &str, policy: Policy, values: &[&str]) -> RecordSet {
    let values = values.iter().map(|&value| value.to_owned()).collect();
    record(label, id, policy, RecordData::Values { ttl: 60, values })
}

/// A record with one address, made of its id, so that no two have the same.
pub(super) fn leaf(label: &str, id: &str, policy: Policy) -> RecordSet {
    let [a, b] = id.bytes().fold(7_u16, |hash, byte| hash.wrapping_mul(31).wrapping_add(u16::from(byte))).to_be_bytes();
    values(label, id, policy, &[&format!("198.18.{a}.{b}")])
}

/// An alias with ETH; a target that ends in a dot is an AWS resource.
pub(super) fn alias(label: &str, id: &str, policy: Policy, target: &str) -> RecordSet {
    let target = owner(target);
    record(
        label,
        id,
        policy,
        RecordData::Alias(Alias { target, hosted_zone_id: "Z".into(), evaluate_target_health: true }),
    )
}

pub(super) fn without_eth(mut record: RecordSet) -> RecordSet {
    if let RecordData::Alias(alias) = &mut record.data {
        alias.evaluate_target_health = false;
    }
    record
}

/// The record with a health check that is called like its set identifier.
pub(super) fn checked(mut record: RecordSet) -> RecordSet {
    record.health_check = record.set_identifier.clone().map(HealthCheckId);
    record
}

pub(super) fn of_type(rtype: RecordType, record: RecordSet) -> RecordSet {
    RecordSet { rtype, ..record }
}

/// The health machines of a mutant.
pub(super) fn machines(mutant: &str) -> Machines {
    Machines::of(find(mutant).unwrap().deviation)
}

/// The health machines of the reference.
pub(super) fn reference() -> Machines {
    Machines::of(&Reference)
}

/// A zone, its health, and one question: by default for the first record's name and type.
#[derive(Clone)]
pub(super) struct Scene {
    zone: Zone,
    board: EvidenceBoard,
    viewpoint: Viewpoint,
    source: IpAddr,
    subnet: Option<(IpNet, Viewpoint)>,
    asked: (Name, RecordType),
    now: LabTime,
}

impl Scene {
    pub(super) fn of(records: impl IntoIterator<Item = RecordSet>) -> Self {
        let records: Vec<RecordSet> = records.into_iter().collect();
        Self {
            asked: (records[0].name.clone(), records[0].rtype),
            zone: Zone::of(name(APEX), records),
            board: EvidenceBoard::default(),
            viewpoint: Viewpoint::default(),
            source: "203.0.113.9".parse().unwrap(),
            subnet: None,
            now: LabTime::START,
        }
    }

    /// These health checks are unhealthy, and these resources (with a dot).
    pub(super) fn down(mut self, ids: &[&str]) -> Self {
        for id in ids {
            if id.ends_with('.') {
                self.board.set_resource(name(id), false);
            } else {
                self.board.set_health_check(HealthCheckId((*id).to_owned()), false);
            }
        }
        self
    }

    pub(super) fn asking(self, label: &str, rtype: RecordType) -> Self {
        Self { asked: (owner(label), rtype), ..self }
    }

    pub(super) fn seen_from(self, viewpoint: Viewpoint) -> Self {
        Self { viewpoint, ..self }
    }

    pub(super) fn in_place(self, place: &str) -> Self {
        self.seen_from(Viewpoint::of_place(place).unwrap())
    }

    pub(super) fn asked_by(self, source: &str) -> Self {
        Self { source: source.parse().unwrap(), ..self }
    }

    /// The query carries a client subnet, which lies elsewhere.
    pub(super) fn on_behalf_of(self, subnet: &str, place: &str) -> Self {
        Self { subnet: Some((subnet.parse().unwrap(), Viewpoint::of_place(place).unwrap())), ..self }
    }

    pub(super) fn at(self, now: LabTime) -> Self {
        Self { now, ..self }
    }

    pub(super) fn with_collection(mut self, id: &str, blocks: &[(&str, &[&str])]) -> Self {
        let location = |(name, blocks): &(&str, &[&str])| {
            ((*name).to_owned(), blocks.iter().map(|block| block.parse().unwrap()).collect())
        };
        self.zone.cidr_collections.insert(id.to_owned(), blocks.iter().map(location).collect());
        self
    }

    /// The mutant answers `expected`, and the reference does not.
    #[track_caller]
    pub(super) fn differs(&self, mutant: &str, expected: &str) {
        assert_eq!(self.told(find(mutant).unwrap().deviation), expected);
        assert_ne!(self.told(&Reference), expected, "the reference does the same");
    }

    /// The mutant's answer differs from the reference's in what `seen` looks at.
    #[track_caller]
    pub(super) fn differs_in<T: PartialEq + std::fmt::Debug>(&self, mutant: &str, seen: impl Fn(&Message) -> T) -> T {
        let of_mutant = seen(&self.message(find(mutant).unwrap().deviation));
        assert_ne!(of_mutant, seen(&self.message(&Reference)), "the reference does the same");
        of_mutant
    }

    /// The mutant answers as the reference does, byte for byte.
    #[track_caller]
    pub(super) fn agrees(&self, mutant: &str) {
        let deviation = find(mutant).unwrap().deviation;
        assert_eq!(self.told(deviation), self.told(&Reference));
        assert_eq!(self.message(deviation).to_string(), self.message(&Reference).to_string());
    }

    fn message(&self, deviation: &'static dyn Deviation) -> Message {
        Message::from_vec(&self.ask(deviation).bytes).unwrap()
    }

    /// The set identifiers that may be answered, the owner's name of a simple record; with shares unless it is one.
    fn told(&self, deviation: &'static dyn Deviation) -> String {
        let decision = self.ask(deviation).decision.unwrap();
        match &decision.outcome {
            Outcome::NoData => "no data".to_owned(),
            Outcome::NxDomain => "no such name".to_owned(),
            Outcome::Answers(_) => shares(&decision),
            other => format!("{other:?}"),
        }
    }

    fn ask(&self, deviation: &'static dyn Deviation) -> Answered {
        let board = Rc::new(RefCell::new(self.board.clone()));
        let mut subject = Subject::new(self.settings(), board, deviation).unwrap();
        let mut query = Message::query();
        query.add_query(Query::query(self.asked.0.clone(), self.asked.1));
        if let Some((subnet, _)) = self.subnet {
            let mut edns = Edns::new();
            edns.set_max_payload(4096);
            edns.options_mut().insert(EdnsOption::Subnet(ClientSubnet::new(subnet.addr(), subnet.prefix_len(), 0)));
            query.set_edns(edns);
        }
        query.metadata.id = 1;
        subject.ask(&query.to_vec().unwrap(), self.source, Transport::Udp, self.now).unwrap()
    }

    fn settings(&self) -> AuthoritativeSettings {
        let located = |network: IpNet, viewpoint: &Viewpoint| Location {
            network,
            place: network.to_string(),
            viewpoint: viewpoint.clone(),
        };
        let elsewhere = self.subnet.iter().map(|(subnet, viewpoint)| located(*subnet, viewpoint));
        let everywhere = located("0.0.0.0/0".parse().unwrap(), &self.viewpoint);
        AuthoritativeSettings {
            zone: Arc::new(self.zone.clone()),
            resources: [(name("alb.example.net."), [("alb".to_owned(), vec!["192.0.2.77".parse().unwrap()])].into())]
                .into(),
            name_servers: vec![NameServer { name: name("ns-1.example.net."), addresses: Vec::new() }],
            locations: LocationMap::new(elsewhere.chain([everywhere]).collect()),
            cells: CellNames::default(),
            switches: Switches::default(),
            seed: 7,
        }
    }
}

fn shares(decision: &Decision) -> String {
    let Outcome::Answers(answers) = &decision.outcome else { return String::new() };
    let mut told: Vec<(String, f64)> = answers
        .iter()
        .map(|one| match &one.answer.content {
            Content::Values { values, .. } if values.is_empty() => ("no data".to_owned(), one.probability),
            content => {
                let last = one.answer.via.last().unwrap();
                let first_of_many = one.answer.via.iter().filter(|record| record.name == last.name);
                let ids = first_of_many.map(|record| record.set_identifier.as_ref().unwrap_or(&record.name).as_str());
                let resource = matches!(content, Content::Resource(_));
                (ids.collect::<Vec<_>>().join("+") + if resource { " (resource)" } else { "" }, one.probability)
            }
        })
        .collect();
    told.sort_by(|one, other| one.0.cmp(&other.0));
    match told.as_slice() {
        [(one, _)] => one.clone(),
        many => many.iter().map(|(one, share)| format!("{one} {share:.2}")).collect::<Vec<_>>().join(", "),
    }
}
