//! The scenario's clock.

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::{Call, Explanation, World};

pub(super) const THEME: Theme = Theme {
    name: "time",
    about: "the scenario's own clock; nobody waits for it",
    entries: &[step!(Given | When "{duration} passes/pass", Inside, passes, "When 60 s pass")],
};

fn passes(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    world.advance(call.duration(0)?)
}
