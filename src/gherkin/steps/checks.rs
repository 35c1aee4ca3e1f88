//! Health checks of every kind: how they are created and changed.

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::signals::{AlarmFollower, Endpoint, Kind};
use crate::gherkin::{Call, Explanation, World};
use crate::health::{CHILDREN_LIMIT, EndpointCheck, StatusSettings, probeable};
use crate::plan::{HealthCheckKind, HealthCheckPlan, Metric};
use crate::zone::HealthCheckId;

pub(super) const THEME: Theme = Theme {
    name: "checks",
    about: "health checks of every kind: how they are created and changed",
    entries: &[
        step!(Given | When "the health check {string} is created:/updated:", Inside, create,
            "Given the health check \"hc-east\" is created:\n  \
             \"\"\"\n  \
             cell: east\n  \
             http: /health\n  \
             interval: 10s\n  \
             \"\"\""),
        step!(Given | When "the calculated health check {string} over {int} children with threshold {int} is created",
            Inside, create_calculated,
            "When the calculated health check \"all\" over 3 children with threshold 2 is created"),
        step!(When "a health check of the address {address} is created", Inside, create_by_address,
            "When a health check of the address 10.0.0.1 is created"),
        step!(Given | When "{int} of the children of {string} are healthy", Inside, children,
            "Given 2 of the children of \"all\" are healthy"),
        step!(Given | When "the health check {string} is {change}", Inside, change,
            "When the health check \"hc-east\" is disabled"),
    ],
};

fn create(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    created(world, call, call.word(0), call.doc_string()?)
}

fn create_calculated(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (id, children, threshold) = (call.word(0), call.count(1)?, call.count(2)?);
    let children: Vec<String> = (1..=children).map(|number| child(id, number)).collect();
    for child in &children {
        world.signals.written.note(child);
    }
    created(world, call, id, &format!("{{ calculated: [{}], healthy-threshold: {threshold} }}", children.join(", ")))
}

fn child(parent: &str, number: usize) -> String {
    format!("{parent}-{number}")
}

/// Creates a health check, unless a drill file would be refused for it.
fn created(world: &mut World, call: &Call<'_>, id: &str, text: &str) -> Result<(), Explanation> {
    let zone = world.zone().ok().map(|under_test| under_test.zone.clone());
    let read = world.signals.written.read(id, text, &call.at(), &world.signals.controls, zone.as_ref());
    match read {
        Ok(plan) => {
            world.submitted = Some(Ok(()));
            insert(world, id, plan)
        }
        Err(refused) => {
            world.submitted = Some(Err(refused));
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

fn create_by_address(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    world.submitted = Some(probeable(call.address(0)?).map_err(|refused| refused.to_string()));
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

fn change(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let (machines, now) = (world.machines()?, world.now);
    let id = HealthCheckId(call.word(0).to_owned());
    let Some(check) = world.signals.checks.get_mut(&id) else { return Err(call.refuse(not_created(&id))) };
    let status = check.status;
    let status = match call.word(1) {
        "disabled" => StatusSettings { disabled: true, ..status },
        "enabled" => StatusSettings { disabled: false, ..status },
        "inverted" => StatusSettings { inverted: true, ..status },
        "no longer inverted" => StatusSettings { inverted: false, ..status },
        _ => return update(world, call, &id),
    };
    check.set_status(now, machines, status);
    world.settle()
}

/// R53-146: the copy of the alarm's settings is made anew.
fn update(world: &mut World, call: &Call<'_>, id: &HealthCheckId) -> Result<(), Explanation> {
    let follower = world.signals.checks.get_mut(id).and_then(|check| match &mut check.kind {
        Kind::Alarm(follower) => Some(follower),
        Kind::Endpoint(_) | Kind::RoutingControl(_) => None,
    });
    let with_name = follower.and_then(|follower| Some((follower.follows.clone()?, follower)));
    let Some((name, follower)) = with_name else {
        return Err(call.refuse(format!("`{id}` follows no alarm that could have been edited")));
    };
    if let Some(alarm) = world.signals.alarms.get(&name) {
        follower.alarm = *alarm.run.alarm();
        follower.check.update(&follower.alarm);
    }
    Ok(())
}

pub(super) fn not_created(id: &HealthCheckId) -> String {
    format!("there is no health check `{id}`; expected a step that creates it before, and that it was not refused")
}
