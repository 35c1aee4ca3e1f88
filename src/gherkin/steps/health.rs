//! What decisions know of health, told outright.

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::world::name_of;
use crate::gherkin::{Call, Explanation, World};
use crate::source::nearest;

use super::checks::known_check;

pub(super) const THEME: Theme = Theme {
    name: "health",
    about: "what decisions know of health, told outright; whatever is not told is healthy",
    entries: &[
        step!(Given | When "the health checks are:", Inside, several_checks,
            "Given the health checks are:\n  \
             | health check | status    |\n  \
             | hc-p         | unhealthy |"),
        step!(Given | When "every health check is {health}", Inside, every_check,
            "Given every health check is unhealthy"),
        step!(Given | When "the resource {string} is {health}", Inside, resource,
            "When the resource \"lb-1.sa-east-1.elb.amazonaws.com.\" is unhealthy"),
    ],
};

fn several_checks(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let rows = call.rows(&["health check", "status"], &["health check", "status"])?;
    rows.each_once(&["health check"])?;
    for row in rows.iter() {
        let id = row.need_as("health check", |written| known_check(world, written))?;
        let healthy = row.need_as("status", |written| match written {
            "healthy" => Ok(true),
            "unhealthy" => Ok(false),
            other => Err(format!("`{other}` is no status; expected healthy or unhealthy")),
        })?;
        world.set_health_check(id, healthy);
    }
    Ok(())
}

fn every_check(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    for id in world.zone()?.zone.health_check_ids() {
        world.set_health_check(id, call.is_healthy(0));
    }
    Ok(())
}

fn resource(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let target = name_of(world, call.word(0))?;
    let known = world.zone()?.zone.aliases_to_resources();
    if !known.contains(&target) {
        let names: Vec<String> = known.iter().map(ToString::to_string).collect();
        let meant = nearest(call.word(0), names.iter().map(String::as_str));
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        return Err(call.refuse(format!("no alias of the zone points at the resource `{target}`{meant}")));
    }
    world.set_resource(target, call.is_healthy(1));
    Ok(())
}
