//! What decisions know of health, told outright.

use std::collections::BTreeSet;

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::world::name_of;
use crate::gherkin::{Call, Explanation, World};
use crate::source::nearest;
use crate::zone::HealthCheckId;

pub(super) const THEME: Theme = Theme {
    name: "health",
    about: "what decisions know of health, told outright; whatever is not told is healthy",
    entries: &[
        step!(Given | When "the health check {string} is {health}", Inside, one_check,
            "Given the health check \"hc-p\" is unhealthy"),
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

fn one_check(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let id = known_check(world, call.word(0)).map_err(|problem| call.refuse(problem))?;
    world.set_health_check(id, call.is_healthy(1));
    Ok(())
}

fn several_checks(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    for row in call.rows(&["health check", "status"], &["health check", "status"])?.iter() {
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

/// A health check that a record set names, or that was created; another name is a slip of the pen.
fn known_check(world: &World, written: &str) -> Result<HealthCheckId, String> {
    let id = HealthCheckId(written.to_owned());
    let known: BTreeSet<HealthCheckId> =
        world.zone().map(|under_test| under_test.zone.health_check_ids()).unwrap_or_default();
    if known.contains(&id) || world.signals.written.has(written) {
        return Ok(id);
    }
    let meant = nearest(written, known.iter().map(|id| id.0.as_str()));
    let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
    Err(format!("no record set of the zone names the health check `{written}`{meant}"))
}
