//! Recursive resolvers between clients and the subject, and what is in their caches.

use hickory_proto::rr::RData;

use crate::cache::{Key, ResolverCache};
use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::exchange::{Answer, Edns0, Question};
use crate::gherkin::world::{Resolver, name_of};
use crate::gherkin::{Call, Explanation, World};

use super::asking::clients;

pub(super) const THEME: Theme = Theme {
    name: "caching",
    about: "recursive resolvers, each with a cache of its own that honours TTLs as they are",
    entries: &[
        step!(Given "a resolver {string} in {place}", Inside, resolver, "Given a resolver \"isp\" in Brazil"),
        step!(When "{clients} ask(s) the resolver {string} for {type} {string}", Inside, ask,
            "When many clients ask the resolver \"isp\" for A \"www\""),
        step!(Then "the resolver {cache}", Inside, had_its_answer, "Then the resolver answered from its cache"),
    ],
};

fn resolver(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let address = world.address_in(call.word(1), &call.place(1)?);
    world.resolvers.insert(call.word(0).to_owned(), Resolver { address, cache: ResolverCache::new() });
    Ok(())
}

fn ask(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (edns, times) = clients(call)?;
    if edns != Edns0::Plain {
        return Err(call.refuse("a resolver asks with an EDNS of its own; expected `a client` or `many clients`"));
    }
    let rtype = call.record_type(2)?;
    let name = name_of(world, call.word(3)).map_err(|explanation| call.refuse(explanation.text))?;
    let named = call.word(1);
    let mut resolver = world.resolvers.remove(named).ok_or_else(|| {
        call.refuse(format!("no resolver is called `{named}`; expected `Given a resolver \"{named}\" in …` before"))
    })?;
    let asker = format!("a client of the resolver {named}");
    let question = Question { name: name.clone(), rtype, asker, source: resolver.address, edns: Edns0::Plain };
    let mut answers = Vec::new();
    let mut upstream = false;
    for _ in 0..times {
        let key = Key { name: name.clone(), rtype };
        if let Some(hit) = resolver.cache.lookup(world.now, &key, None) {
            answers.push(hit.value.with_ttl(hit.remaining));
            continue;
        }
        upstream = true;
        world.ask(question.clone(), 1)?;
        let answer = world.answers()?.first().cloned().ok_or_else(|| call.refuse("no answer came"))?;
        keep(&mut resolver, world, key, &answer);
        answers.push(answer);
    }
    world.told_by_resolver(question, answers, upstream);
    world.resolvers.insert(named.to_owned(), resolver);
    Ok(())
}

fn keep(resolver: &mut Resolver, world: &World, key: Key, answer: &Answer) {
    if let Some(ttl) = answer.records().iter().map(|record| record.ttl).min() {
        resolver.cache.store(world.now, key, None, answer.clone(), ttl);
        return;
    }
    let soa = answer.authority().iter().find_map(|record| match &record.data {
        RData::SOA(soa) => Some((record.ttl, soa.minimum)),
        _ => None,
    });
    if let Some((ttl, minimum)) = soa {
        resolver.cache.store_negative(world.now, key, None, answer.clone(), ttl, minimum);
    }
}

fn had_its_answer(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let expected = call.choice("cache", 0)?.choice;
    let asked =
        world.resolver_asked.ok_or_else(|| call.refuse("no resolver was asked yet; expected a step that asks one"))?;
    if asked == (expected == "asked anew") {
        return Ok(());
    }
    let found = if asked { "it asked anew" } else { "it answered from its cache" };
    Err(world.wrong(&format!("that the resolver {expected}"), found))
}
