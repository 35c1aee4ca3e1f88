//! What health checks, alarms, load balancers and verdicts say, and when it turns.

use crate::decide::Evidence;
use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::signals::Balancer;
use crate::gherkin::{Call, Explanation, World};
use crate::health::AlarmState;
use crate::zone::HealthCheckId;

use super::alarms::{no_alarm, state_of};
use super::checks::known_check;
use super::load_balancers::balancer;
use super::prober::probed;

pub(super) const THEME: Theme = Theme {
    name: "signals",
    about: "what health checks, alarms, load balancers and verdicts on engines say, and when it turns",
    entries: &[
        step!(Then "the {signal} {string} is {status}", Inside, is, "Then the health check \"hc-east\" is unhealthy"),
        step!(Then "the {signal} {string} turns {health} between {duration} and {duration} later", Inside, turns,
            "Then the health check \"hc-east\" turns unhealthy between 20 s and 30 s later"),
    ],
};

fn is(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (signal, status) = (call.choice("signal", 0)?.choice, call.choice("status", 2)?.choice);
    match (signal, state_of(status)) {
        ("alarm", Some(state)) => alarm_is(world, call, state),
        ("alarm", None) => Err(call.refuse(format!(
            "an alarm is not {status}; expected OK, ALARM or INSUFFICIENT_DATA (a health check on it is {status})"
        ))),
        ("health check", None) if status == "not predictable" => is_not_predictable(world, call),
        (_, None) if status == "not predictable" => {
            Err(call.refuse(format!("a {signal} is always predictable; only a health check can be deleted")))
        }
        (_, Some(_)) => Err(call.refuse(format!("a {signal} is not {status}; expected healthy or unhealthy"))),
        (_, None) if is_healthy(world, call)? == call.is_healthy(2) => Ok(()),
        (_, None) => Err(wrong(world, call, &format!("{status} at {}", world.now))),
    }
}

/// R53-107: so is a health check that was deleted, and nothing else.
fn is_not_predictable(world: &World, call: &Call<'_>) -> Result<(), Explanation> {
    let id = HealthCheckId(call.word(1).to_owned());
    if world.is_deleted(&id) {
        return Ok(());
    }
    known_check(world, call.word(1)).map_err(|problem| call.refuse(problem))?;
    Err(wrong(world, call, "not predictable"))
}

fn alarm_is(world: &World, call: &Call<'_>, expected: AlarmState) -> Result<(), Explanation> {
    let name = call.word(1);
    let Some(alarm) = world.signals.alarms.get(name) else { return Err(call.refuse(no_alarm(name))) };
    let found = alarm.run.state();
    if found == expected {
        return Ok(());
    }
    Err(Explanation::wrong(format!("alarm {name}\nexpected: {expected}\nfound:    {found} at {}", world.now)))
}

/// Time goes on until the status turns.
fn turns(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    if call.choice("signal", 0)?.choice == "alarm" {
        return Err(call.refuse("an alarm does not turn healthy or unhealthy; expected a health check on it"));
    }
    let (healthy, (soonest, latest), start) = (call.is_healthy(2), call.times(3, 4)?, world.now);
    if latest.is_zero() {
        return Err(call.refuse("in no time nothing turns; expected a time above 0 s"));
    }
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
        "health check" => {
            let known = known_check(world, call.word(1)).map_err(|problem| call.refuse(problem))?;
            if world.is_deleted(&known) {
                return Err(call.refuse("the health check was deleted, and its status is not predictable (R53-107)"));
            }
            Ok(world.evidence.borrow().health_check_is_healthy(&known))
        }
        "load balancer" => Ok(balancer(world, call, 1)?.is_healthy(world.machines()?)),
        _ => Ok(probed(world, call, 1)?.is_healthy(world.now)),
    }
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
        ("load balancer", _) => balancer(world, call, 1).map_or_else(|_| String::new(), Balancer::told),
        _ => String::new(),
    };
    let (what, name, now) = (call.word(0), call.word(1), world.now);
    let why = if why.is_empty() { why } else { format!("\nwhy:      {why}") };
    Explanation::wrong(format!("{what} {name}\nexpected: {expected}\nfound:    {found} at {now}{why}"))
}
