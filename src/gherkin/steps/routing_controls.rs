//! Routing controls: an operator's switches.

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
    let at_least_on = u32::try_from(call.count(1)?).unwrap_or(u32::MAX);
    let on = call.items(0).into_iter().map(|name| (name, true)).collect();
    world.signals.controls = RoutingControls::new(on, at_least_on);
    Ok(())
}

fn turns(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let turned = world.signals.controls.set(call.word(0), call.is_on(1));
    world.submitted = Some(turned.map(|_| ()).map_err(|refused| refused.to_string()));
    world.settle()
}
