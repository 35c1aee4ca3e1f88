//! Recursive resolvers between clients and the subject, and what is in their caches.

use hickory_proto::rr::RData;

use crate::cache::{Key, ResolverCache};
use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::exchange::{Answer, Edns0, Question};
use crate::gherkin::world::{Resolver, name_of};
use crate::gherkin::{Call, Explanation, World};

pub(super) const THEME: Theme = Theme {
    name: "caching",
    about: "recursive resolvers, each with a cache of its own that honours TTLs as they are",
    entries: &[
        step!(Given "a resolver {string} in {place}", Inside, resolver, "Given a resolver \"isp\" in Brazil"),
        step!(When "a client asks the resolver {string} for {type} {string}", Inside, one_client,
            "When a client asks the resolver \"isp\" for A \"www\""),
        step!(When "many clients ask the resolver {string} for {type} {string}", Inside, many_clients,
            "When many clients ask the resolver \"isp\" for A \"www\""),
        step!(Then "the resolver answered from its cache", Inside, from_cache,
            "Then the resolver answered from its cache"),
        step!(Then "the resolver asked anew", Inside, anew, "Then the resolver asked anew"),
    ],
};

const MANY: usize = 1000;

fn resolver(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let address = world.address_in(call.word(1), &call.place(1)?);
    world.resolvers.insert(call.word(0).to_owned(), Resolver { address, cache: ResolverCache::new() });
    Ok(())
}

fn one_client(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    ask(world, call, 1)
}

fn many_clients(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    ask(world, call, MANY)
}

fn ask(world: &mut World, call: &Call<'_>, times: usize) -> Result<(), Explanation> {
    let rtype = call.record_type(1)?;
    let name = name_of(world, call.word(2)).map_err(|explanation| call.refuse(explanation.text))?;
    let named = call.word(0);
    let mut resolver = world.resolvers.remove(named).ok_or_else(|| {
        call.refuse(format!("no resolver is called `{named}`; expected `Given a resolver \"{named}\" in …` before"))
    })?;
    let asker = format!("a client of the resolver {named}");
    let question = Question { name: name.clone(), rtype, asker, source: resolver.address, edns: Edns0::Plain };
    let mut answers = Vec::new();
    let mut asked = false;
    for _ in 0..times {
        let key = Key { name: name.clone(), rtype };
        let answer = match resolver.cache.lookup(world.now, &key, None) {
            Some(hit) => hit.value.with_ttl(hit.remaining),
            None => {
                asked = true;
                world.ask(question.clone(), 1)?;
                let answer = world.answers()?.first().cloned().ok_or_else(|| call.refuse("no answer came"))?;
                keep(&mut resolver, world, key, &answer);
                answer
            }
        };
        answers.push(answer);
    }
    world.told_by_resolver(question, answers, asked);
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

fn from_cache(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    match world.resolver_asked {
        Some(false) => Ok(()),
        Some(true) => Err(world.wrong("an answer from the resolver's cache", "the resolver asked anew")),
        None => Err(call.refuse("no resolver was asked yet; expected a step that asks one")),
    }
}

fn anew(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    match world.resolver_asked {
        Some(true) => Ok(()),
        Some(false) => Err(world.wrong("that the resolver asks anew", "an answer from the resolver's cache")),
        None => Err(call.refuse("no resolver was asked yet; expected a step that asks one")),
    }
}
