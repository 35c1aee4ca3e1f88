//! What health checks, load balancers and verdicts say, and when it turns.

use crate::decide::Evidence;
use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::{Call, Explanation, World};
use crate::zone::HealthCheckId;

use super::checks::not_created;
use super::load_balancers::balancer;
use super::prober::probed;

pub(super) const THEME: Theme = Theme {
    name: "signals",
    about: "what health checks, load balancers and verdicts on engines say, and when it turns",
    entries: &[
        step!(Then "the {signal} {string} is {health}", Inside, is, "Then the health check \"hc-east\" is unhealthy"),
        step!(Then "the {signal} {string} turns {health} between {duration} and {duration} later", Inside, turns,
            "Then the health check \"hc-east\" turns unhealthy between 20 s and 30 s later"),
    ],
};

fn is(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    if is_healthy(world, call)? == call.is_healthy(2) {
        return Ok(());
    }
    Err(wrong(world, call, &format!("{} at {}", call.word(2), world.now)))
}

/// Time goes on until the status turns.
fn turns(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (healthy, soonest, latest, start) = (call.is_healthy(2), call.duration(3)?, call.duration(4)?, world.now);
    let (health, least, most) = (call.word(2), soonest.as_secs_f64(), latest.as_secs_f64());
    let expected = format!("turns {health} {least} s to {most} s after {start}");
    if is_healthy(world, call)? == healthy {
        return Err(wrong(world, call, &expected));
    }
    while is_healthy(world, call)? != healthy && world.go_on(start + latest)? {}
    if is_healthy(world, call)? == healthy && world.now.since(start) >= soonest {
        return Ok(());
    }
    Err(wrong(world, call, &expected))
}

fn is_healthy(world: &World, call: &Call<'_>) -> Result<bool, Explanation> {
    match call.word(0) {
        "health check" => Ok(world.evidence.borrow().health_check_is_healthy(&known_check(world, call)?)),
        "load balancer" => Ok(balancer(world, call, 1)?.is_healthy(world.machines()?)),
        _ => Ok(probed(world, call, 1)?.is_healthy(world.now)),
    }
}

/// A health check that was created, or that a record set names.
fn known_check(world: &World, call: &Call<'_>) -> Result<HealthCheckId, Explanation> {
    let id = HealthCheckId(call.word(1).to_owned());
    let named = world.zone().is_ok_and(|under_test| under_test.zone.health_check_ids().contains(&id));
    if named || world.signals.written.has(&id.0) { Ok(id) } else { Err(call.refuse(not_created(&id))) }
}

fn wrong(world: &World, call: &Call<'_>, expected: &str) -> Explanation {
    let found = match is_healthy(world, call) {
        Ok(true) => "healthy",
        Ok(false) => "unhealthy",
        Err(trouble) => return trouble,
    };
    let check = world.signals.checks.get(&HealthCheckId(call.word(1).to_owned()));
    let why = match (call.word(0), check) {
        ("health check", Some(check)) => check.said().to_owned(),
        ("load balancer", _) => balancer(world, call, 1).map_or_else(|_| String::new(), |found| format!("{found:?}")),
        _ => String::new(),
    };
    let (what, name, now) = (call.word(0), call.word(1), world.now);
    Explanation::wrong(format!("{what} {name}\nexpected: {expected}\nfound:    {found} at {now}\nwhy:      {why}"))
}
