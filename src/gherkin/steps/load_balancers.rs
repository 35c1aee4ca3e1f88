//! Load balancers, and what evaluate target health sees of them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hickory_proto::rr::Name;

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::parameters::items;
use crate::gherkin::signals::Balancer;
use crate::gherkin::table::Row;
use crate::gherkin::world::name_of;
use crate::gherkin::{Call, Explanation, World};
use crate::health::{EmptyGroup, LoadBalancer, MinimumHealthy, TargetCount, TargetGroupHealth, TargetGroupSettings};
use crate::zone::name_of_text;

pub(super) const THEME: Theme = Theme {
    name: "load balancers",
    about: "load balancers, and what evaluate target health sees of them",
    entries: &[
        step!(Given | When "the load balancer {string}, cross-zone load balancing {turn}, has the targets:", Inside,
            has_targets,
            "Given the load balancer \"alb.example.net.\", cross-zone load balancing off, has the targets:\n  \
             | target group | zone | healthy | registered | minimum | minimum % |\n  \
             | web          | a    | 1       | 2          | 2       |           |\n  \
             | web          | b    | 2       | 2          | 2       |           |"),
        step!(Given | When "the Classic Load Balancer {string} has {int} healthy instances", Inside, classic,
            "Given the Classic Load Balancer \"clb.example.net.\" has 0 healthy instances"),
        step!(Given "the load balancer {string} checks {int} targets every {duration}", Inside, checks,
            "Given the load balancer \"alb.example.net.\" checks 2 targets every 15 s"),
        step!(When "{int} of the targets of {string} pass their checks", Inside, targets_pass,
            "When 0 of the targets of \"alb.example.net.\" pass their checks"),
        step!(Given | When "the nodes of the load balancer {string} are {reach}", Inside, nodes,
            "When the nodes of the load balancer \"alb.example.net.\" are out of reach"),
        step!(Then "the load balancer {string} {serves}", Inside, serves,
            "Then the load balancer \"alb.example.net.\" answers with the zones a, b"),
    ],
};

const COLUMNS: [&str; 7] = ["target group", "zone", "healthy", "registered", "minimum", "minimum %", "function"];

/// Each row is a target group in a zone; a group without a zone has no targets, or is a function.
fn has_targets(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let mut groups: BTreeMap<String, TargetGroupHealth> = BTreeMap::new();
    let mut minimums = BTreeMap::new();
    let mut zones = BTreeSet::new();
    let rows = call.rows(&COLUMNS, &["target group"])?;
    rows.each_once(&["target group", "zone"])?;
    for row in rows.iter() {
        let empty = || TargetGroupHealth::Targets { minimum: MinimumHealthy::DEFAULT, zones: BTreeMap::new() };
        let group = groups.entry(row.need("target group")?.to_owned()).or_insert_with(empty);
        zones.extend(row.get("zone").map(str::to_owned));
        if let Some(check) = row.read("function", function)? {
            *group = TargetGroupHealth::Lambda { check };
        }
        let TargetGroupHealth::Targets { minimum, zones } = group else { continue };
        *minimum = minimum_of(&row)?;
        if minimums.insert(row.need("target group")?.to_owned(), *minimum).is_some_and(|before| before != *minimum) {
            return Err(
                row.refuse("target group", "an earlier row gives this group another minimum; expected the same")
            );
        }
        if let Some(zone) = row.get("zone") {
            let count =
                TargetCount { healthy: row.need_as("healthy", count)?, registered: row.need_as("registered", count)? };
            if count.healthy > count.registered {
                let problem = format!("{} of {} are more than all", count.healthy, count.registered);
                return Err(row.refuse("healthy", format!("{problem}; expected {} at most", count.registered)));
            }
            zones.insert(zone.to_owned(), count);
        }
    }
    let balancer = LoadBalancer {
        zones,
        cross_zone: call.is_on(1),
        empty_group: EmptyGroup::default(),
        groups: groups.into_values().collect(),
        reachable: true,
    };
    put(world, call, Balancer::Zonal { balancer, checked: None })
}

/// A percentage alone leaves the count at its default, one.
fn minimum_of(row: &Row<'_>) -> Result<MinimumHealthy, Explanation> {
    let count = row.read("minimum", |text| if text == "off" { Ok(None) } else { number(text).map(Some) })?;
    let minimum = MinimumHealthy {
        count: count.unwrap_or(MinimumHealthy::DEFAULT.count),
        percentage: row.read("minimum %", number)?,
    };
    minimum.validate().map_err(|refused| row.refuse("minimum", refused.to_string()))?;
    Ok(minimum)
}

fn function(text: &str) -> Result<Option<bool>, String> {
    match text {
        "unchecked" => Ok(None),
        "healthy" => Ok(Some(true)),
        "unhealthy" => Ok(Some(false)),
        other => Err(format!("`{other}` says nothing of a function; expected unchecked, healthy or unhealthy")),
    }
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("`{text}` is no number; expected a whole one"))
}

/// More than any load balancer has.
const MOST_TARGETS: usize = 100_000;

fn count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| *count <= MOST_TARGETS);
    count.ok_or_else(|| format!("`{text}` is no count; expected a whole number from 0 to {MOST_TARGETS}"))
}

fn classic(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let healthy_instances = call.count(1)?;
    put(world, call, Balancer::Classic { healthy_instances, reachable: true })
}

/// Two failures in a row and five passes turn a target, which are the defaults of Elastic Load Balancing; every target
/// has passed its first check.
fn checks(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let settings = TargetGroupSettings {
        path: "/health".to_owned(),
        interval: call.duration(2)?,
        timeout: Duration::from_secs(5),
        unhealthy_threshold: 2,
        healthy_threshold: 5,
    };
    settings.validate().map_err(|refused| call.refuse(refused.to_string()))?;
    let (interval, targets, machines, now) = (settings.interval, call.count(1)?, world.machines()?, world.now);
    let balancer = Balancer::checking(machines, settings, targets, now, &mut world.signals.rng);
    put(world, call, balancer)?;
    world.advance(interval)
}

fn targets_pass(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let passing = call.count(0)?;
    let balancer = balancer_mut(world, call, 1)?;
    match balancer.checked_targets() {
        None => Err(call.refuse(NO_CHECKS)),
        Some(all) if passing > all => {
            Err(call
                .refuse(format!("it checks {all} targets, and {passing} are more than all; expected {all} at most")))
        }
        Some(_) => {
            balancer.set_passing(passing);
            Ok(())
        }
    }
}

fn nodes(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let within_reach = call.choice("reach", 1)?.choice == "within reach";
    match balancer_mut(world, call, 0)? {
        Balancer::Classic { reachable, .. } => *reachable = within_reach,
        Balancer::Zonal { balancer, .. } => balancer.reachable = within_reach,
    }
    world.settle()
}

fn serves(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let chosen = call.choice("serves", 1)?;
    let balancer = balancer(world, call, 0)?;
    if chosen.choice.starts_with("answers") {
        answers_with(world, call, balancer, chosen.text)
    } else {
        forwards_to(call, balancer, chosen.text)
    }
}

fn answers_with(world: &World, call: &Call<'_>, balancer: &Balancer, zones: &str) -> Result<(), Explanation> {
    let Balancer::Zonal { balancer, .. } = balancer else {
        return Err(call.refuse("a Classic Load Balancer has no zones in this step"));
    };
    let balancer = world.machines()?.load_balancer(balancer.clone());
    let expected = items(zones);
    let found = balancer.answered_zones();
    if found == expected.iter().map(String::as_str).collect::<BTreeSet<_>>() {
        return Ok(());
    }
    let found: Vec<&str> = found.into_iter().collect();
    Err(Explanation::wrong(format!("zones:    {}\nexpected: {}", found.join(", "), expected.join(", "))))
}

fn forwards_to(call: &Call<'_>, balancer: &Balancer, targets: &str) -> Result<(), Explanation> {
    let expected = count(targets).map_err(|problem| call.refuse(problem))?;
    let Some(found) = balancer.routable_targets() else { return Err(call.refuse(NO_CHECKS)) };
    if found == expected {
        return Ok(());
    }
    Err(Explanation::wrong(format!("targets that get requests\nexpected: {expected}\nfound:    {found}")))
}

const NO_CHECKS: &str =
    "this load balancer checks no targets; expected `Given the load balancer … checks … targets every …`";

fn put(world: &mut World, call: &Call<'_>, balancer: Balancer) -> Result<(), Explanation> {
    let name = resource(world, call, 0)?;
    world.signals.balancers.insert(name, balancer);
    world.settle()
}

/// With a zone, an AWS resource that one of its aliases points at.
fn resource(world: &World, call: &Call<'_>, index: usize) -> Result<Name, Explanation> {
    let written = call.word(index);
    let Ok(under_test) = world.zone() else {
        return name_of_text(written).map_err(|problem| call.refuse(format!("`{written}` is no name: {problem}")));
    };
    let name = name_of(world, written)?;
    if under_test.zone.aliases_to_resources().contains(&name) {
        return Ok(name);
    }
    Err(call.refuse(format!("no alias of the zone points at the resource `{name}`")))
}

fn balancer_mut<'w>(world: &'w mut World, call: &Call<'_>, index: usize) -> Result<&'w mut Balancer, Explanation> {
    let name = resource(world, call, index)?;
    world.signals.balancers.get_mut(&name).ok_or_else(|| call.refuse(no_balancer(&name)))
}

pub(super) fn balancer<'w>(world: &'w World, call: &Call<'_>, index: usize) -> Result<&'w Balancer, Explanation> {
    let name = resource(world, call, index)?;
    world.signals.balancers.get(&name).ok_or_else(|| call.refuse(no_balancer(&name)))
}

fn no_balancer(name: &Name) -> String {
    format!("there is no load balancer `{name}`; expected a step that says what it has")
}
