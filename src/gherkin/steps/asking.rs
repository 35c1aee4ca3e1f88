//! Questions, and who asks them.

use std::net::{IpAddr, Ipv4Addr};

use crate::gherkin::catalogue::{Needs, Theme, step};
use crate::gherkin::exchange::{Edns0, Question};
use crate::gherkin::parameters::{address, place};
use crate::gherkin::world::name_of;
use crate::gherkin::{Call, Explanation, World};
use crate::source::nearest;
use crate::zone::Visibility;

pub(super) const THEME: Theme = Theme {
    name: "asking",
    about: "questions, and who asks them; names stand below the zone, absolute with a dot at their end, or `@`",
    entries: &[
        step!(When "{clients} ask(s) for {type} {string}", Nothing, somewhere, "When a client asks for A \"www\""),
        step!(When "{clients} {vantage} ask(s) for {type} {string}", Inside, somebody,
            "When many clients in Brazil ask for A \"www\""),
        step!(When "a resolver {vantage} asks for {type} {string} on behalf of {subnet}", Nothing, on_behalf,
            "When a resolver at 198.51.100.53 asks for A \"www\" on behalf of 203.0.113.0/24"),
        step!(When "the question is asked again", Nothing, again, "When the question is asked again"),
    ],
};

/// As many answers as tell an answer that is given once in a hundred times, with a chance of 1 in 20000 to miss it.
const MANY: usize = 1000;

/// Somebody of whom nothing is known.
const NOBODY: IpAddr = IpAddr::V4(Ipv4Addr::new(100, 64, 0, 1));

/// How `{clients}` ask: with what EDNS, and how often.
pub(super) fn clients(call: &Call<'_>) -> Result<(Edns0, usize), Explanation> {
    Ok(match call.choice("clients", 0)?.choice {
        "many clients" => (Edns0::Plain, MANY),
        "a client without EDNS" => (Edns0::Without, 1),
        "a client that keeps to UDP" => (Edns0::UdpAlone, 1),
        _ => (Edns0::Plain, 1),
    })
}

fn ask(
    world: &mut World,
    call: &Call<'_>,
    (kind, name): (usize, usize),
    from: IpAddr,
    (edns, times): (Edns0, usize),
) -> Result<(), Explanation> {
    let asker = call.asker();
    let rtype = call.record_type(kind)?;
    let name = name_of(world, call.word(name)).map_err(|explanation| call.refuse(explanation.text))?;
    world.ask(Question { name, rtype, asker, source: from, edns }, times)
}

fn somewhere(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    ask(world, call, (1, 2), NOBODY, clients(call)?)
}

fn somebody(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let from = vantage(world, call, 1)?;
    ask(world, call, (2, 3), from, clients(call)?)
}

/// The resolver's own address is of no account to a public zone, so that any server can be asked so; where a place is,
/// only a subject that was told can know.
fn on_behalf(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let from = vantage(world, call, 0)?;
    ask(world, call, (1, 2), from, (Edns0::OnBehalfOf(call.subnet(3)?), 1))
}

/// The address of who asks from there.
fn vantage(world: &mut World, call: &Call<'_>, index: usize) -> Result<IpAddr, Explanation> {
    let vantage = call.choice("vantage", index)?;
    match vantage.choice {
        "at …" => return address(vantage.text).map_err(|problem| call.refuse(problem)),
        "in a VPC in …" => in_private_zone(world, call, vantage.text)?,
        _ => {}
    }
    world.offers(Needs::Inside)?;
    let viewpoint = place(vantage.text).map_err(|problem| call.refuse(problem))?;
    Ok(world.address_in(vantage.text, &viewpoint))
}

/// R53-211 to R53-213: in a private zone the VPC's Region decides.
fn in_private_zone(world: &World, call: &Call<'_>, region: &str) -> Result<(), Explanation> {
    if world.zone()?.zone.visibility != Visibility::Private {
        return Err(call.refuse("a VPC asks a private zone; expected `Given the private zone …` before"));
    }
    if crate::geography::region(region).is_some() {
        return Ok(());
    }
    let known = crate::geography::REGIONS.iter().map(|(name, ..)| *name);
    let meant = nearest(region, known).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    Err(call.refuse(format!("AWS Region `{region}` is not known{meant}")))
}

fn again(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let times = world.answers().map_err(|explanation| call.refuse(explanation.text))?.len();
    world.ask_again(times)
}
