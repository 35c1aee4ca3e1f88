//! Messages that are not what the decision was (R53-14, R53-173 to R53-186).

use hickory_proto::op::Message;
use hickory_proto::rr::{RData, RecordType};

use crate::clock::LabTime;
use crate::dns_message::Transport;
use crate::subject::{Case, Deviation};
use crate::zone::{Policy, RecordData, Zone};

use super::Mutant;
use super::edited::each;
use super::seams::{Answering, OverZone};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "values-in-fixed-order",
        what: "gives the values of an answer always in the same order",
        rules: &["R53-14"],
        deviation: &Answering(fixed_order),
    },
    Mutant {
        name: "simple-record-one-value",
        what: "gives only the first value of a simple record",
        rules: &["R53-14"],
        deviation: &OverZone(one_value),
    },
    Mutant {
        name: "authoritative-ttl-decremented",
        what: "counts the TTL of an answer down, as a cache does",
        rules: &["R53-172"],
        deviation: &Answering(counted_down),
    },
    Mutant {
        name: "negative-ttl-of-soa-minimum",
        what: "lets negative answers be kept for the SOA's minimum, though its TTL is less",
        rules: &["R53-178"],
        deviation: &Answering(minimum_alone),
    },
    Mutant {
        name: "negative-answer-without-soa",
        what: "gives negative answers without the SOA record",
        rules: &["R53-184"],
        deviation: &Answering(without_soa),
    },
    Mutant {
        name: "no-name-servers-in-authority",
        what: "does not append the zone's NS records to a positive answer",
        rules: &["R53-186"],
        deviation: &Answering(without_name_servers),
    },
    Mutant {
        name: "no-addresses-come-along",
        what: "does not append the addresses of an answer's target",
        rules: &["R53-180"],
        deviation: &Answering(without_addresses),
    },
    Mutant {
        name: "never-truncates",
        what: "sends more than 512 bytes over UDP to who speaks no EDNS",
        rules: &["R53-185"],
        deviation: &NeverTruncates,
    },
];

fn fixed_order(_: &Case<'_>, _: LabTime, answer: &mut Message) {
    answer.answers.sort_by_cached_key(|record| record.data.to_string());
}

fn one_value(zone: Zone) -> Zone {
    each(zone, |record| {
        if let (Policy::Simple, RecordData::Values { values, .. }) = (&record.policy, &mut record.data) {
            values.truncate(1);
        }
    })
}

fn counted_down(_: &Case<'_>, now: LabTime, answer: &mut Message) {
    for record in &mut answer.answers {
        let passed = now.since_start().as_secs() % u64::from(record.ttl.max(1));
        record.ttl = record.ttl.saturating_sub(u32::try_from(passed).unwrap_or(u32::MAX));
    }
}

fn minimum_alone(_: &Case<'_>, _: LabTime, answer: &mut Message) {
    if !answer.answers.is_empty() {
        return;
    }
    for record in &mut answer.authorities {
        if let RData::SOA(soa) = &record.data {
            record.ttl = soa.minimum;
        }
    }
}

fn without_soa(_: &Case<'_>, _: LabTime, answer: &mut Message) {
    answer.authorities.retain(|record| record.record_type() != RecordType::SOA);
}

fn without_name_servers(_: &Case<'_>, _: LabTime, answer: &mut Message) {
    if !answer.answers.is_empty() {
        answer.authorities.clear();
    }
}

fn without_addresses(_: &Case<'_>, _: LabTime, answer: &mut Message) {
    answer.additionals.clear();
}

#[derive(Debug)]
struct NeverTruncates;

impl Deviation for NeverTruncates {
    fn transport(&self, _: Transport) -> Transport {
        Transport::Tcp
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::{Scene, leaf, of_type, values};
    use super::*;

    fn simple(addresses: &[&str]) -> Scene {
        Scene::of([values("www", "", Policy::Simple, addresses)])
    }

    fn data(message: &Message) -> Vec<String> {
        message.answers.iter().map(|record| record.data.to_string()).collect()
    }

    #[test]
    fn r53_14_values_come_in_a_fixed_order() {
        let many: Vec<String> = (1..=9).map(|n| format!("192.0.2.{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(simple(&many).differs_in("values-in-fixed-order", data).is_sorted());
        simple(&["192.0.2.1"]).agrees("values-in-fixed-order");
    }

    #[test]
    fn r53_14_one_value_of_several_is_given() {
        assert_eq!(simple(&["192.0.2.1", "192.0.2.2"]).differs_in("simple-record-one-value", |m| m.answers.len()), 1);
        simple(&["192.0.2.1"]).agrees("simple-record-one-value");
    }

    #[test]
    fn r53_172_a_ttl_is_counted_down() {
        let one = simple(&["192.0.2.1"]);
        let ttl = |message: &Message| message.answers[0].ttl;
        assert_eq!(one.clone().at(LabTime::secs(80)).differs_in("authoritative-ttl-decremented", ttl), 40);
        one.at(LabTime::secs(120)).agrees("authoritative-ttl-decremented");
    }

    #[test]
    fn r53_178_a_negative_answer_lives_for_the_minimum() {
        let absent = Scene::of([leaf("www", "", Policy::Simple)]).asking("none", RecordType::A);
        let ttl = |message: &Message| message.authorities[0].ttl;
        assert_eq!(absent.differs_in("negative-ttl-of-soa-minimum", ttl), 86_400);
        absent.asking("www", RecordType::A).agrees("negative-ttl-of-soa-minimum");
    }

    #[test]
    fn r53_184_a_negative_answer_has_no_soa() {
        let absent = Scene::of([leaf("www", "", Policy::Simple)]).asking("none", RecordType::A);
        assert_eq!(absent.differs_in("negative-answer-without-soa", |m| m.authorities.len()), 0);
        absent.asking("www", RecordType::A).agrees("negative-answer-without-soa");
    }

    #[test]
    fn r53_186_a_positive_answer_has_no_name_servers() {
        let one = simple(&["192.0.2.1"]);
        assert_eq!(one.differs_in("no-name-servers-in-authority", |m| m.authorities.len()), 0);
        one.asking("none", RecordType::A).agrees("no-name-servers-in-authority");
    }

    #[test]
    fn r53_180_no_address_comes_along() {
        let exchanger = of_type(RecordType::MX, values("www", "", Policy::Simple, &["10 mail.example.com."]));
        let both = Scene::of([exchanger, leaf("mail", "", Policy::Simple)]);
        assert_eq!(both.differs_in("no-addresses-come-along", |m| m.additionals.len()), 0);
        both.asking("mail", RecordType::A).agrees("no-addresses-come-along");
    }

    #[test]
    fn r53_185_a_large_answer_is_not_truncated() {
        let many: Vec<String> = (1..=60).map(|n| format!("192.0.2.{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(!simple(&many).differs_in("never-truncates", |message| message.metadata.truncation));
        simple(&many[..3]).agrees("never-truncates");
    }
}
