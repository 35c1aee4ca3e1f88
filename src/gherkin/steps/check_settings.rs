//! Health checks that a table of settings creates: what a drill file has no words for.

use std::net::IpAddr;

use crate::gherkin::parameters::address;
use crate::gherkin::signals::{AlarmFollower, Kind};
use crate::gherkin::table::Row;
use crate::gherkin::{Call, Explanation, World};
use crate::health::{InsufficientData, StatusSettings, probeable};
use crate::source::nearest;
use crate::zone::HealthCheckId;

use super::alarms::{no_alarm, word};
use super::checks::{child, created};

/// What a table says, before it is looked at.
#[derive(Default)]
struct Told {
    address: Option<IpAddr>,
    alarm: Option<String>,
    insufficient_data: Option<InsufficientData>,
    children: Option<usize>,
    threshold: Option<u32>,
}

pub(super) const SETTINGS: [&str; 5] = ["alarm", "insufficient data", "children", "threshold", "address"];

/// Creates a health check of the kind that its settings tell, or updates it.
pub(super) fn create(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let mut told = Told::default();
    for row in call.settings()?.iter() {
        set(&mut told, &row)?;
    }
    match told {
        Told { address: Some(address), alarm: None, insufficient_data: None, children: None, threshold: None } => {
            world.submit(probeable(address).map_err(|refused| refused.to_string()));
            Ok(())
        }
        Told { address: None, alarm: Some(alarm), insufficient_data, children: None, threshold: None } => {
            follow(world, call, &alarm, insufficient_data)
        }
        Told {
            address: None,
            alarm: None,
            insufficient_data: None,
            children: Some(children),
            threshold: Some(threshold),
        } => calculate(world, call, children, threshold),
        _ => Err(call.refuse(
            "these settings are no health check together; expected `alarm` and `insufficient data`, or `children` and \
             `threshold`, or `address` alone",
        )),
    }
}

fn set(told: &mut Told, row: &Row<'_>) -> Result<(), Explanation> {
    match row.need("setting")? {
        "address" => told.address = Some(row.need_as("value", address)?),
        "alarm" => told.alarm = Some(row.need("value")?.to_owned()),
        "insufficient data" => told.insufficient_data = Some(row.need_as("value", word)?),
        "children" => told.children = Some(row.need_as("value", children)?),
        "threshold" => told.threshold = Some(row.need_as("value", threshold)?),
        other => {
            let meant = nearest(other, SETTINGS).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            let problem = format!("setting `{other}` is not known; expected one of {}{meant}", SETTINGS.join(", "));
            return Err(row.refuse("setting", problem));
        }
    }
    Ok(())
}

/// More than any calculated health check may have (R53-134), so that a scenario can show it.
const MOST_CHILDREN: usize = 1000;

fn children(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| *count <= MOST_CHILDREN);
    count.ok_or_else(|| format!("`{text}` is no number of children; expected a whole number from 0 to {MOST_CHILDREN}"))
}

fn threshold(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is no threshold; expected a whole number from 0 to {}", u32::MAX))
}

fn calculate(world: &mut World, call: &Call<'_>, children: usize, threshold: u32) -> Result<(), Explanation> {
    let id = call.word(0);
    let children: Vec<String> = (1..=children).map(|number| child(id, number)).collect();
    for child in &children {
        world.signals.written.note(child);
    }
    created(world, call, id, &format!("{{ calculated: [{}], healthy-threshold: {threshold} }}", children.join(", ")))
}

/// R53-140: the settings of an alarm are copied; R53-146: by an update anew.
fn follow(
    world: &mut World,
    call: &Call<'_>,
    name: &str,
    insufficient_data: Option<InsufficientData>,
) -> Result<(), Explanation> {
    let (id, machines) = (HealthCheckId(call.word(0).to_owned()), world.machines()?);
    let Some(watched) = world.signals.alarms.get(name) else { return Err(call.refuse(no_alarm(name))) };
    let (alarm, metric) = (*watched.run.alarm(), watched.metric.clone());
    if let Err(refused) = alarm.validate_for_health_check() {
        world.submit(Err(refused.to_string()));
        return Ok(());
    }
    world.submit(Ok(()));
    let Some(insufficient_data) = insufficient_data else {
        let known = world.signals.checks.get_mut(&id).and_then(|check| match &mut check.kind {
            Kind::Alarm(follower) if follower.follows.as_deref() == Some(name) => Some(follower),
            Kind::Alarm(_) | Kind::Endpoint(_) | Kind::RoutingControl(_) => None,
        });
        let follower = known.ok_or_else(|| {
            call.refuse(
                "setting `insufficient data` is missing; only an update of a health check on this alarm needs none",
            )
        })?;
        follower.alarm = alarm;
        follower.check.update(&alarm);
        return Ok(());
    };
    let status = StatusSettings::default();
    let check = machines.alarm_check(alarm, insufficient_data, status);
    let said = "it was not evaluated yet".to_owned();
    let follower = AlarmFollower { check, alarm, follows: Some(name.to_owned()), metric, said };
    world.signals.written.note(&id.0);
    world.signals.insert(id, status, Kind::Alarm(Box::new(follower)));
    world.settle()
}
