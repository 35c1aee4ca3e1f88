//! Routing controls: an operator's switches.

use std::collections::BTreeMap;

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::{Call, Explanation, World};
use crate::health::RoutingControls;

pub(super) const THEME: Theme = Theme {
    name: "routing controls",
    about: "an operator's switches",
    entries: &[
        step!(Given "the routing controls {names} are on, and at least {int} must stay on", Inside, controls,
            "Given the routing controls \"east\", \"west\" are on, and at least 1 must stay on"),
        step!(When "an operator turns {string} {turn}", Inside, turns, "When an operator turns \"east\" off"),
    ],
};

fn controls(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (names, least) = (call.items(0), call.count(1)?);
    let mut on = BTreeMap::new();
    for name in &names {
        if name.is_empty() {
            return Err(call.refuse("a routing control has a name; expected one between the quotes"));
        }
        if on.insert(name.clone(), true).is_some() {
            return Err(call.refuse(format!("routing control `{name}` stands twice; expected each once")));
        }
    }
    if least > on.len() {
        return Err(call.refuse(format!("{least} of {0} cannot stay on; expected {0} at most", on.len())));
    }
    world.signals.controls = RoutingControls::new(on, u32::try_from(least).unwrap_or(u32::MAX));
    Ok(())
}

fn turns(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let turned = world.signals.controls.set(call.word(0), call.is_on(1));
    world.submit(turned.map(|_| ()).map_err(|refused| refused.to_string()));
    world.settle()
}
