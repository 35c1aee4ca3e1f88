//! Inference engines that are probed in the background.

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::signals::{Engine, ProbedEngine};
use crate::gherkin::{Call, Explanation, World};
use crate::zone::HealthCheckId;

use super::checks::not_created;
use super::endpoint::endpoint_of;

pub(super) const THEME: Theme = Theme {
    name: "prober",
    about: "inference engines that are probed in the background, behind endpoints that tell the cached verdict",
    entries: &[step!(When "the engine behind {string} {engine}", Inside, engine,
        "When the engine behind \"hc-llm\" is wedged")],
};

fn engine(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let chosen = call.choice("engine", 1)?;
    let endpoint = endpoint_of(world, call, 0)?;
    let probed = endpoint.engine.as_mut().ok_or_else(|| call.refuse(NO_VERDICT))?;
    match chosen.choice {
        "refuses connections" => probed.set_engine(Engine::Refuses),
        "is wedged" => probed.set_engine(Engine::Wedged),
        "answers again" => probed.set_engine(Engine::Answers),
        "is drained by hand" => probed.set_drain(true),
        "is no longer drained" => probed.set_drain(false),
        _ => probed.lose_prober(),
    }
    Ok(())
}

/// The engine behind the endpoint of a health check.
pub(super) fn probed<'w>(world: &'w World, call: &Call<'_>, index: usize) -> Result<&'w ProbedEngine, Explanation> {
    let id = HealthCheckId(call.word(index).to_owned());
    let endpoint = world.signals.endpoint(&id).ok_or_else(|| call.refuse(not_created(&id)))?;
    endpoint.engine.as_ref().ok_or_else(|| call.refuse(NO_VERDICT))
}

const NO_VERDICT: &str =
    "this endpoint tells no verdict; expected `Given the endpoint of … tells the verdict on an engine`";
