//! Inference engines that are probed in the background, and the verdict that their endpoints tell.

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::signals::{Engine, ProbedEngine};
use crate::gherkin::{Call, Explanation, World};
use crate::zone::HealthCheckId;

use super::checks::not_created;

pub(super) const THEME: Theme = Theme {
    name: "prober",
    about: "inference engines that are probed in the background, and the cached verdict that their endpoints tell",
    entries: &[
        step!(Given "the endpoint of {string} tells the verdict on an engine", Inside, tells_verdict,
            "Given the endpoint of \"hc-llm\" tells the verdict on an engine"),
        step!(When "the engine behind {string} {engine}", Inside, engine, "When the engine behind \"hc-llm\" is wedged"),
        step!(Then "the verdict behind {string} is {health}", Inside, verdict,
            "Then the verdict behind \"hc-llm\" is unhealthy"),
    ],
};

fn tells_verdict(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (machines, now, id) = (world.machines()?, world.now, call.word(0));
    let endpoint = world.signals.endpoint_mut(id);
    let endpoint = endpoint.ok_or_else(|| call.refuse(not_created(&HealthCheckId(id.to_owned()))))?;
    endpoint.engine = Some(ProbedEngine::new(machines, now));
    Ok(())
}

fn engine(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let probed = probed(world, call)?;
    match call.word(1) {
        "refuses connections" => probed.set_engine(Engine::Refuses),
        "is wedged" => probed.set_engine(Engine::Wedged),
        "answers again" => probed.set_engine(Engine::Answers),
        "is drained by hand" => probed.set_drain(true),
        "is no longer drained" => probed.set_drain(false),
        _ => probed.lose_prober(),
    }
    Ok(())
}

fn verdict(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let now = world.now;
    let found = if probed(world, call)?.is_healthy(now) { "healthy" } else { "unhealthy" };
    let expected = call.word(1);
    if found == expected {
        return Ok(());
    }
    Err(Explanation::wrong(format!("verdict behind {}\nexpected: {expected}\nfound:    {found} at {now}", call.word(0))))
}

fn probed<'w>(world: &'w mut World, call: &Call<'_>) -> Result<&'w mut ProbedEngine, Explanation> {
    let id = call.word(0);
    let endpoint = world.signals.endpoint_mut(id);
    let endpoint = endpoint.ok_or_else(|| call.refuse(not_created(&HealthCheckId(id.to_owned()))))?;
    let problem = "this endpoint tells no verdict; expected `Given the endpoint of … tells the verdict on an engine`";
    endpoint.engine.as_mut().ok_or_else(|| call.refuse(problem))
}
