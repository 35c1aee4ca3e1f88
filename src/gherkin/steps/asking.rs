//! Questions, and who asks them.

use std::net::{IpAddr, Ipv4Addr};

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::exchange::{Edns0, Question};
use crate::gherkin::world::name_of;
use crate::gherkin::{Call, Explanation, World};
use crate::zone::Visibility;

pub(super) const THEME: Theme = Theme {
    name: "asking",
    about: "questions, and who asks them; names stand below the zone, absolute with a dot at their end, or `@`",
    entries: &[
        step!(When "a client asks for {type} {string}", Nothing, somebody, "When a client asks for A \"www\""),
        step!(When "a client in {place} asks for {type} {string}", Inside, in_place,
            "When a client in Brazil asks for A \"www\""),
        step!(When "a client at {address} asks for {type} {string}", Inside, at_address,
            "When a client at 198.51.100.7 asks for A \"www\""),
        step!(When "a client without EDNS asks for {type} {string}", Nothing, without_edns,
            "When a client without EDNS asks for TXT \"many\""),
        step!(When "a client that keeps to UDP asks for {type} {string}", Nothing, udp_alone,
            "When a client that keeps to UDP asks for TXT \"many\""),
        step!(When "a resolver at {address} asks for {type} {string} on behalf of {subnet}", Nothing, on_behalf,
            "When a resolver at 198.51.100.53 asks for A \"www\" on behalf of 203.0.113.0/24"),
        step!(When "a resolver in {place} asks for {type} {string} on behalf of {subnet}", Inside, in_place_on_behalf,
            "When a resolver in Germany asks for A \"www\" on behalf of 203.0.113.0/24"),
        step!(When "many clients ask for {type} {string}", Nothing, many, "When many clients ask for A \"www\""),
        step!(When "many clients in {place} ask for {type} {string}", Inside, many_in_place,
            "When many clients in Brazil ask for A \"www\""),
        step!(When "a VPC in {word} asks for {type} {string}", Inside, in_vpc,
            "When a VPC in sa-east-1 asks for A \"db\""),
        step!(When "the question is asked again", Nothing, again, "When the question is asked again"),
    ],
};

/// As many answers as tell an answer that is given once in a hundred times, with a chance of 1 in 20000 to miss it.
const MANY: usize = 1000;

/// Somebody of whom nothing is known.
const NOBODY: IpAddr = IpAddr::V4(Ipv4Addr::new(100, 64, 0, 1));

fn ask(
    world: &mut World,
    call: &Call<'_>,
    (kind, name): (usize, usize),
    from: IpAddr,
    edns: Edns0,
    times: usize,
) -> Result<(), Explanation> {
    let asker = call.asker();
    let rtype = call.record_type(kind)?;
    let name = name_of(world, call.word(name)).map_err(|explanation| call.refuse(explanation.text))?;
    world.ask(Question { name, rtype, asker, source: from, edns }, times)
}

fn somebody(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    ask(world, call, (0, 1), NOBODY, Edns0::Plain, 1)
}

fn many(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    ask(world, call, (0, 1), NOBODY, Edns0::Plain, MANY)
}

fn without_edns(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    ask(world, call, (0, 1), NOBODY, Edns0::Without, 1)
}

fn udp_alone(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    ask(world, call, (0, 1), NOBODY, Edns0::UdpAlone, 1)
}

fn in_place(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let from = world.address_in(call.word(0), &call.place(0)?);
    ask(world, call, (1, 2), from, Edns0::Plain, 1)
}

fn many_in_place(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let from = world.address_in(call.word(0), &call.place(0)?);
    ask(world, call, (1, 2), from, Edns0::Plain, MANY)
}

fn at_address(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    ask(world, call, (1, 2), call.address(0)?, Edns0::Plain, 1)
}

fn on_behalf(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    ask(world, call, (1, 2), call.address(0)?, Edns0::OnBehalfOf(call.subnet(3)?), 1)
}

fn in_place_on_behalf(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let from = world.address_in(call.word(0), &call.place(0)?);
    ask(world, call, (1, 2), from, Edns0::OnBehalfOf(call.subnet(3)?), 1)
}

/// R53-211 to R53-213: in a private zone the VPC's Region decides.
fn in_vpc(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    if world.zone()?.zone.visibility != Visibility::Private {
        return Err(call.refuse("a VPC asks a private zone; expected `Given the private zone …` before"));
    }
    let region = call.word(0);
    if crate::geography::region(region).is_none() {
        let known = crate::geography::REGIONS.iter().map(|(name, ..)| *name);
        let meant = crate::source::nearest(region, known);
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        return Err(call.refuse(format!("AWS Region `{region}` is not known{meant}")));
    }
    in_place(world, call)
}

fn again(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let times = world.answers().map_err(|explanation| call.refuse(explanation.text))?.len();
    world.ask_again(times)
}
