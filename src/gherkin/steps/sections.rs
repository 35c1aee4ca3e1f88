//! What else a message says: response codes, sections, flags.

use std::collections::BTreeSet;

use hickory_proto::op::ResponseCode;
use hickory_proto::rr::{Name, RData, RecordType};

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::exchange::{Answer, data_text};
use crate::gherkin::{Call, Explanation, World};

pub(super) const THEME: Theme = Theme {
    name: "message",
    about: "what else the message says",
    entries: &[
        step!(Then "there is no data", Nothing, no_data, "Then there is no data"),
        step!(Then "the name does not exist", Nothing, no_name, "Then the name does not exist"),
        step!(Then "the query is refused", Nothing, refused, "Then the query is refused"),
        step!(Then "the answer is the CNAME {string}", Nothing, cname,
            "Then the answer is the CNAME \"www.example.net.\""),
        step!(Then "the response is truncated", Nothing, truncated, "Then the response is truncated"),
        step!(Then "the response is not truncated", Nothing, whole, "Then the response is not truncated"),
        step!(Then "the authority section names the zone's name servers", Nothing, name_servers,
            "Then the authority section names the zone's name servers"),
        step!(Then "the additional section holds {answers}", Nothing, along,
            "Then the additional section holds 192.0.2.25, 2001:db8::25"),
        step!(Then "the additional section holds no addresses", Nothing, nothing_along,
            "Then the additional section holds no addresses"),
        step!(Then "the answer stands under the name that was asked for", Nothing, own_name,
            "Then the answer stands under the name that was asked for"),
        step!(Then "the negative answer may be kept for {duration}", Nothing, negative_ttl,
            "Then the negative answer may be kept for 900 s"),
        step!(Then "the answer holds for the whole subnet", Nothing, scoped,
            "Then the answer holds for the whole subnet"),
        step!(Then "the answer does not depend on the client subnet", Nothing, unscoped,
            "Then the answer does not depend on the client subnet"),
    ],
};

fn every(world: &World, expected: &str, holds: impl Fn(&Answer) -> bool) -> Result<(), Explanation> {
    match world.answers()?.iter().find(|answer| !holds(answer)) {
        Some(other) => Err(world.wrong(expected, &world.told(other))),
        None => Ok(()),
    }
}

fn no_data(world: &mut World, _: &Call<'_>) -> Result<(), Explanation> {
    every(world, "no data: the name exists, and has nothing of this type", Answer::is_no_data)
}

fn no_name(world: &mut World, _: &Call<'_>) -> Result<(), Explanation> {
    every(world, "no such name", |answer| answer.code() == ResponseCode::NXDomain)
}

fn refused(world: &mut World, _: &Call<'_>) -> Result<(), Explanation> {
    every(world, "a refusal", |answer| answer.code() == ResponseCode::Refused)
}

fn cname(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let target = world.zone()?.name(call.word(0)).map_err(|problem| call.refuse(problem))?;
    every(world, &format!("the CNAME {target}, and nothing else"), |answer| {
        let [only] = answer.records() else { return false };
        only.record_type() == RecordType::CNAME && data_text(&only.data) == target.to_string()
    })
}

fn truncated(world: &mut World, _: &Call<'_>) -> Result<(), Explanation> {
    every(world, "an answer that was cut short", Answer::is_truncated)
}

fn whole(world: &mut World, _: &Call<'_>) -> Result<(), Explanation> {
    every(world, "a whole answer", |answer| !answer.is_truncated() && !answer.records().is_empty())
}

fn name_servers(world: &mut World, _: &Call<'_>) -> Result<(), Explanation> {
    let apex = world.zone()?.zone.apex.clone();
    every(world, &format!("the name servers of {apex} in the authority section"), |answer| {
        let mut servers = answer.authority().iter().filter(|record| record.record_type() == RecordType::NS).peekable();
        servers.peek().is_some() && servers.all(|record| record.name == apex)
    })
}

/// The addresses that come along, those of the zone's own name servers left out.
fn addresses_along(answer: &Answer) -> BTreeSet<String> {
    let servers: BTreeSet<Name> = answer
        .authority()
        .iter()
        .filter_map(|record| match &record.data {
            RData::NS(server) => Some(server.0.to_lowercase()),
            _ => None,
        })
        .collect();
    let along = answer.additional().iter().filter(|record| !servers.contains(&record.name.to_lowercase()));
    along.filter(|record| record.data.ip_addr().is_some()).map(|record| data_text(&record.data)).collect()
}

fn along(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let expected: BTreeSet<String> = call.items(0).into_iter().collect();
    let wanted = format!("{} in the additional section", call.word(0));
    every(world, &wanted, |answer| addresses_along(answer) == expected)
}

fn nothing_along(world: &mut World, _: &Call<'_>) -> Result<(), Explanation> {
    every(world, "no addresses in the additional section", |answer| addresses_along(answer).is_empty())
}

fn own_name(world: &mut World, _: &Call<'_>) -> Result<(), Explanation> {
    let name = world.question()?.name.clone();
    every(world, &format!("records of {name}, and only of it"), |answer| {
        !answer.records().is_empty() && answer.records().iter().all(|record| record.name == name)
    })
}

/// RFC 2308: the TTL of the SOA record in the authority section, and what the record says, whichever is less.
fn negative_ttl(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let expected = call.duration(0)?.as_secs();
    let kept = |answer: &Answer| {
        answer.authority().iter().find_map(|record| match &record.data {
            RData::SOA(soa) => Some(u64::from(record.ttl.min(soa.minimum))),
            _ => None,
        })
    };
    let negative = |answer: &Answer| answer.records().is_empty() && kept(answer) == Some(expected);
    every(world, &format!("a negative answer that may be kept for {expected} s"), negative)
}

/// RFC 7871: the scope is the prefix for which the answer holds.
fn scoped(world: &mut World, _: &Call<'_>) -> Result<(), Explanation> {
    every(world, "a scope, for the answer depends on the client subnet", |answer| {
        answer.scope().is_some_and(|prefix| prefix > 0)
    })
}

fn unscoped(world: &mut World, _: &Call<'_>) -> Result<(), Explanation> {
    every(world, "a scope of 0, for the answer does not depend on the client subnet", |answer| {
        answer.scope() == Some(0)
    })
}
