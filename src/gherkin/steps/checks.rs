//! Health checks of every kind: how they are created and changed.

use std::collections::BTreeSet;

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::signals::{AlarmFollower, Endpoint, Kind};
use crate::gherkin::{Call, Explanation, World};
use crate::health::{CHILDREN_LIMIT, EndpointCheck, StatusSettings};
use crate::plan::{HealthCheckKind, HealthCheckPlan, Metric};
use crate::source::nearest;
use crate::zone::HealthCheckId;

use super::check_settings as by_settings;

pub(super) const THEME: Theme = Theme {
    name: "checks",
    about: "health checks of every kind: how they are created and changed, as a drill file writes them; or by a table of \
            settings: `alarm` (one of the scenario) and `insufficient data`, `children` (so many, made for it) and \
            `threshold`, or `address` (of an endpoint, to see whether it is taken)",
    entries: &[
        step!(Given | When "the health check {string} is {made}:", Inside, create,
            "Given the health check \"hc-east\" is created:\n  \
             \"\"\"\n  \
             cell: east\n  \
             http: /health\n  \
             interval: 10s\n  \
             \"\"\"\n\
             And the health check \"hc-age\" is created:\n  \
             | setting           | value   |\n  \
             | alarm             | age     |\n  \
             | insufficient data | healthy |"),
        step!(Given | When "the health check {string} is {condition}", Inside, becomes,
            "When the health check \"hc-east\" is disabled"),
        step!(Given | When "{int} of the children of {string} are healthy", Inside, children,
            "Given 2 of the children of \"all\" are healthy"),
    ],
};

fn create(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    if call.choice("made", 1)?.choice == "updated" && !world.signals.written.has(call.word(0)) {
        return Err(call.refuse(not_created(&HealthCheckId(call.word(0).to_owned()))));
    }
    if call.has_table() {
        by_settings::create(world, call)
    } else {
        created(world, call, call.word(0), call.doc_string()?)
    }
}

pub(super) fn child(parent: &str, number: usize) -> String {
    format!("{parent}-{number}")
}

/// Creates a health check, unless a drill file would be refused for it.
pub(super) fn created(world: &mut World, call: &Call<'_>, id: &str, text: &str) -> Result<(), Explanation> {
    let zone = world.zone().ok().map(|under_test| under_test.zone.clone());
    let read = world.signals.written.read(id, text, &call.at(), &world.signals.controls, zone.as_ref());
    match read {
        Ok(plan) => {
            world.submit(Ok(()));
            insert(world, id, plan)
        }
        Err(refused) => {
            world.submit(Err(refused));
            Ok(())
        }
    }
}

fn insert(world: &mut World, id: &str, plan: HealthCheckPlan) -> Result<(), Explanation> {
    let (machines, now, status) = (world.machines()?, world.now, plan.status);
    let id = HealthCheckId(id.to_owned());
    let kind = match plan.kind {
        HealthCheckKind::Endpoint(endpoint) => {
            if let Some(known) = world.signals.endpoint_mut(&id) {
                return update_endpoint(known, endpoint.check);
            }
            let rng = &mut world.signals.rng;
            let mut created = Endpoint::new(machines, endpoint.check, status, now, rng);
            created.name = endpoint.name;
            Kind::Endpoint(Box::new(created))
        }
        HealthCheckKind::Calculated(check) => {
            let (check, status) = machines.calculated(check, status);
            world.evidence.borrow_mut().set_calculated(id, check, status);
            return Ok(());
        }
        HealthCheckKind::Alarm(plan) => {
            let (Metric::QueueAge(metric) | Metric::DeadLetterAge(metric) | Metric::ProbeSuccess(metric)) = plan.metric;
            let check = machines.alarm_check(plan.alarm, plan.insufficient_data, status);
            let said = "it was not evaluated yet".to_owned();
            Kind::Alarm(Box::new(AlarmFollower { check, alarm: plan.alarm, follows: None, metric, said }))
        }
        HealthCheckKind::RoutingControl(control) => Kind::RoutingControl(control),
    };
    world.signals.insert(id, status, kind);
    world.settle()
}

/// R53-109: what is asked may change, how often may not.
fn update_endpoint(known: &mut Endpoint, check: EndpointCheck) -> Result<(), Explanation> {
    if known.check.failure_threshold != check.failure_threshold {
        return Err(Explanation::cannot_run(
            "a failure threshold is not changed in scenarios: checkers count on by theirs",
        ));
    }
    known.check = check;
    Ok(())
}

/// The first ones are.
fn children(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (healthy, parent) = (call.count(0)?, call.word(1));
    let children =
        (1..=CHILDREN_LIMIT).map(|number| child(parent, number)).take_while(|id| world.signals.written.has(id)).count();
    if healthy > children {
        return Err(
            call.refuse(format!("`{parent}` has {children} children that this step knows of; expected no more"))
        );
    }
    for number in 1..=children {
        world.set_health_check(HealthCheckId(child(parent, number)), number <= healthy);
    }
    Ok(())
}

fn becomes(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let condition = call.choice("condition", 1)?.choice;
    if matches!(condition, "healthy" | "unhealthy") {
        let id = known_check(world, call.word(0)).map_err(|problem| call.refuse(problem))?;
        world.set_health_check(id, condition == "healthy");
        return Ok(());
    }
    if condition == "deleted" {
        let id = known_check(world, call.word(0)).map_err(|problem| call.refuse(problem))?;
        world.delete_health_check(id);
        world.submit(Ok(()));
        return Ok(());
    }
    let (machines, now) = (world.machines()?, world.now);
    let id = HealthCheckId(call.word(0).to_owned());
    let Some(check) = world.signals.checks.get_mut(&id) else { return Err(call.refuse(not_created(&id))) };
    let status = match condition {
        "disabled" => StatusSettings { disabled: true, ..check.status },
        "enabled" => StatusSettings { disabled: false, ..check.status },
        "inverted" => StatusSettings { inverted: true, ..check.status },
        _ => StatusSettings { inverted: false, ..check.status },
    };
    check.set_status(now, machines, status);
    world.settle()
}

/// A health check that a record set names, or that was created; another name is a slip of the pen.
pub(super) fn known_check(world: &World, written: &str) -> Result<HealthCheckId, String> {
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

pub(super) fn not_created(id: &HealthCheckId) -> String {
    format!("there is no health check `{id}`; expected a step that creates it before, and that it was not refused")
}
