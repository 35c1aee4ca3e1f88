//! What else a message says: response codes, sections, flags.

use std::collections::BTreeSet;

use hickory_proto::op::ResponseCode;
use hickory_proto::rr::{Name, RData, RecordType};

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::exchange::{Answer, data_text};
use crate::gherkin::parameters::{address, items};
use crate::gherkin::{Call, Explanation, World};

use super::answers::{every, every_response};

pub(super) const THEME: Theme = Theme {
    name: "message",
    about: "what else the message says",
    entries: &[
        step!(Then "the response is {response}", Nothing, response, "Then the response is NODATA"),
        step!(Then "the {section} section holds {contents}", Nothing, holds,
            "Then the additional section holds the addresses 192.0.2.25, 2001:db8::25"),
        step!(Then "the answer holds for {scope}", Nothing, scope, "Then the answer holds for the whole subnet"),
    ],
};

fn response(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    match call.choice("response", 0)?.choice {
        "NODATA" => every_response(world, "no data: the name exists, and has nothing of this type", Answer::is_no_data),
        "NXDOMAIN" => every_response(world, "no such name", |answer| answer.code() == ResponseCode::NXDomain),
        "REFUSED" => every_response(world, "a refusal", |answer| answer.code() == ResponseCode::Refused),
        "truncated" => every_response(world, "an answer that was cut short", Answer::is_truncated),
        _ => every_response(world, "a whole answer", |answer| !answer.is_truncated() && !answer.records().is_empty()),
    }
}

fn holds(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let contents = call.choice("contents", 1)?;
    let section = match contents.choice {
        "only the name that was asked for" | "the CNAME \"…\"" => "answer",
        "the zone's name servers" => "authority",
        _ => "additional",
    };
    if call.choice("section", 0)?.choice != section {
        let what = contents.choice;
        let problem = format!("`{what}` has no place in this section; expected `the {section} section holds {what}`");
        return Err(call.refuse(problem));
    }
    match contents.choice {
        "only the name that was asked for" => asked_name(world),
        "the CNAME \"…\"" => cname(world, call, contents.text),
        "the zone's name servers" => name_servers(world),
        "the addresses …" => addresses(world, call, contents.text),
        _ => every(world, "no addresses in the additional section", |answer| addresses_along(answer).is_empty()),
    }
}

fn cname(world: &World, call: &Call<'_>, written: &str) -> Result<(), Explanation> {
    let target = world.zone()?.name(written).map_err(|problem| call.refuse(problem))?;
    every(world, &format!("the CNAME {target}, and nothing else"), |answer| {
        let [only] = answer.records() else { return false };
        only.record_type() == RecordType::CNAME && data_text(&only.data) == target.to_string()
    })
}

fn asked_name(world: &World) -> Result<(), Explanation> {
    let name = world.question()?.name.clone();
    every(world, &format!("records of {name}, and only of it"), |answer| {
        !answer.records().is_empty() && answer.records().iter().all(|record| record.name == name)
    })
}

fn name_servers(world: &World) -> Result<(), Explanation> {
    let apex = world.zone()?.zone.apex.clone();
    every(world, &format!("the name servers of {apex} in the authority section"), |answer| {
        let mut servers = answer.authority().iter().filter(|record| record.record_type() == RecordType::NS).peekable();
        servers.peek().is_some() && servers.all(|record| record.name == apex)
    })
}

fn addresses(world: &World, call: &Call<'_>, written: &str) -> Result<(), Explanation> {
    let read = |item: &String| address(item).map(|address| address.to_string());
    let expected: Result<BTreeSet<String>, String> = items(written).iter().map(read).collect();
    let expected = expected.map_err(|problem| call.refuse(problem))?;
    every(world, &format!("{written} in the additional section"), |answer| addresses_along(answer) == expected)
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

/// RFC 7871: the scope is the prefix for which the answer holds.
fn scope(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    if call.choice("scope", 0)?.choice == "every client" {
        return every(world, "a scope of 0, for the answer does not depend on the client subnet", |answer| {
            answer.scope() == Some(0)
        });
    }
    every(world, "a scope, for the answer depends on the client subnet", |answer| {
        answer.scope().is_some_and(|prefix| prefix > 0)
    })
}
