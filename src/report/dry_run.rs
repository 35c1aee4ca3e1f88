//! What a run would do, without doing it: the plan, the prediction, the faults and their undo.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::campaign::at_most;
use crate::plan::{Bounds, LegPrediction, Plan, Signal};
use crate::verdict::wording::{bounds, secs};

use super::campaign::whole;
use super::{Style, beside, parts, terminal};

/// Within this a run should end, wall time.
const HALF_A_MINUTE: Duration = Duration::from_secs(30);

/// The plan, for people. Touches nothing.
#[must_use]
pub fn render(plan: &Plan, style: Style) -> String {
    let mut blocks = vec![format!(
        "{}: {}\ndry run: nothing was started\nseed {}, speed {}{}",
        plan.drill,
        plan.title,
        plan.seed,
        plan.speed,
        if plan.control { ", control: the fault is left out" } else { "" }
    )];
    blocks.extend(plan.hazard.as_ref().map(|hazard| terminal::lines(&[format!("hazard: {hazard}")], style).join("\n")));
    blocks.push(section(
        "cells",
        plan.cells.iter().map(|(name, cell)| {
            let kind = parts::cell(&cell.kind);
            let stands = cell.alias_target.as_deref().map_or_else(String::new, |target| format!("\n    for {target}"));
            format!("{name}: {kind}{stands}")
        }),
    ));
    blocks.extend(filled("health checks", &plan.health_checks, parts::health_check, style));
    blocks.extend(filled("probes", &plan.probes, parts::probe, style));
    blocks.extend(filled("routing controls", &plan.routing_controls.controls, on_or_off, style));
    blocks.push(section(
        "clients",
        plan.clients.iter().map(|(name, client)| {
            let runs = parts::runs(&client.runs);
            format!("{name}: {}{} through {}, every {}", runs, client.place, client.resolver, secs(client.every))
        }),
    ));
    let programs = plan.resolvers.iter().filter_map(|(name, resolver)| {
        let program = resolver.software?;
        let expired = resolver.serve_stale.map(|most| format!(", which may give expired answers for {}", secs(most)));
        Some(format!("{name}: {program}{}", expired.unwrap_or_default()))
    });
    let programs: Vec<String> = programs.collect();
    if !programs.is_empty() {
        blocks.push(section("programs of resolvers (in a lab of containers; else muster's own)", programs.into_iter()));
    }
    blocks.push(section(
        "faults, and how each is undone",
        plan.faults.iter().map(|fault| format!("{}\n    undo: {}", fault.breaks(), fault.undo())),
    ));
    let schedule = &plan.schedule;
    blocks.push(section(
        "schedule (lab time)",
        [
            format!("steady within {}", secs(schedule.settle_within)),
            format!(
                "fault {} later, seen to hold within {}",
                secs(schedule.fault_after),
                secs(schedule.confirm_within)
            ),
            format!("held for {}", secs(schedule.hold)),
            format!("steady again within {} of the heal", secs(schedule.recover_within)),
        ]
        .into_iter(),
    ));
    blocks.push(terminal::section("wall time", &wall_time(plan), Style { colour: false, ..style }));
    let beside = beside::estimate(plan);
    if !beside.is_empty() {
        blocks.push(terminal::section("estimate", &beside, style));
    }
    blocks.push(predicted("predicted failover (lab time, at best to at worst)", &plan.prediction.failover, style));
    blocks.push(predicted("predicted failback", &plan.prediction.failback, style));
    blocks.push(section("expectations", plan.expectations.iter().map(|expectation| expectation.text.clone())));
    blocks.join("\n\n") + "\n"
}

/// How long a run takes by the clock of whoever waits for it, and why when that is long.
fn wall_time(plan: &Plan) -> Vec<String> {
    let least = plan.speed.to_wall(plan.schedule.fault_after + plan.schedule.hold);
    let takes = format!("takes {} to {} at speed {}", secs(whole(least)), secs(whole(at_most(plan))), plan.speed);
    let why = "longer than half a minute: what looks finely in this drill is run no faster unless `--speed` says so, \
               and then it may not be able to tell";
    let is_long = least > HALF_A_MINUTE;
    std::iter::once(takes).chain(is_long.then(|| why.to_owned())).collect()
}

/// A section of named parts, if there are any.
fn filled<K: std::fmt::Display, T>(
    title: &str,
    parts: &BTreeMap<K, T>,
    told: impl Fn(&T) -> String,
    style: Style,
) -> Option<String> {
    let lines: Vec<String> = parts.iter().map(|(name, part)| format!("{name}: {}", told(part))).collect();
    (!lines.is_empty()).then(|| terminal::section(title, &lines, Style { colour: false, ..style }))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the parts of a map are told by reference")]
fn on_or_off(on: &bool) -> String {
    if *on { "on" } else { "off" }.to_owned()
}

fn section(title: &str, lines: impl Iterator<Item = String>) -> String {
    lines.fold(title.to_owned(), |text, line| format!("{text}\n  {line}"))
}

fn predicted(title: &str, leg: &LegPrediction, style: Style) -> String {
    let mut table = style.table();
    table.set_header(["stage", "of", "predicted"]);
    let mut row = |stage: &str, of: &str, predicted: &Bounds| {
        table.add_row([stage.to_owned(), of.to_owned(), bounds(predicted)]);
    };
    // Targets are many, and each is told by its cell.
    let signals = || leg.signals.iter().filter(|turning| !matches!(turning.signal, Signal::Target { .. }));
    for turning in signals() {
        row("signal", &turning.signal.to_string(), &turning.bounds);
    }
    row("detection", "", &leg.detection);
    if leg.unsettled.is_none() {
        row("authoritative", "", &leg.authoritative);
    }
    leg.resolvers.iter().for_each(|(name, bounds)| row("resolver", name, bounds));
    leg.clients.iter().for_each(|(name, bounds)| row("client", name, bounds));
    leg.totals.iter().for_each(|(name, bounds)| row("total", name, bounds));
    let told = signals().map(|turning| format!("{}: {}", turning.signal, turning.why));
    let told: Vec<String> = told.chain(beside::unsettled(leg)).collect();
    let below = if told.is_empty() { String::new() } else { format!("\n{}", terminal::lines(&told, style).join("\n")) };
    format!("{title}\n{}{below}", table.trim_fmt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::{
        Alarm, AlarmSettings, CalculatedCheck, CheckProtocol, Comparison, EndpointCheck, InsufficientData, MissingData,
        Statistic, StatusSettings,
    };
    use crate::journal::synthetic::{self, NEW, OLD, secs};
    use crate::plan::{
        AlarmPlan, CellKind, ClientImage, ClientRuns, ClientSoftware, EndpointPlan, Estimate, HealthCheckKind,
        HealthCheckPlan, Metric, ProbePlan, ResolverSoftware,
    };
    use crate::zone::HealthCheckId;

    /// One of everything that has a health.
    fn plan() -> Plan {
        let mut plan = synthetic::passing().plan;
        plan.hazard = Some("a probe of the stable name takes the secondary for the primary".into());
        let (by, client) = ("DNS Failover for LLM Serving".into(), "br-fresh".into());
        plan.estimate = Some(Estimate { by, client, total: secs(90.0), detection: secs(30.0) });
        plan.cells.get_mut(NEW).unwrap().kind = CellKind::Llm(synthetic::llm(2));
        let (asks, resolver) = ("otel.example.".to_owned(), "br-isp".to_owned());
        let (every, timeout, address) = (secs(60.0), secs(5.0), std::net::IpAddr::from([10, 7, 0, 1]));
        plan.probes.insert("branch".into(), ProbePlan { asks, resolver, every, timeout, address });
        plan.routing_controls.controls = [("brazil".to_owned(), true), ("virginia".to_owned(), false)].into();
        let protocol = CheckProtocol::Http {
            path: "/healthz".into(),
            host: None,
            tls: None,
            search: Some("\"status\":\"pass\"".into()),
        };
        let check = EndpointCheck { protocol, port: 8081, interval: secs(10.0), failure_threshold: 3 };
        let endpoint = EndpointPlan { cell: NEW.into(), name: None, check, checker_addresses: Vec::new() };
        let settings = AlarmSettings {
            statistic: Statistic::Minimum,
            period: secs(60.0),
            evaluation_periods: 2,
            threshold: 1.0,
            comparison: Comparison::LessThanThreshold,
        };
        let alarm = Alarm { settings, datapoints_to_alarm: 2, treat_missing_data: MissingData::Missing };
        let children = ["HC-A", "HC-B"].map(|id| HealthCheckId(id.into())).to_vec();
        let (metric, insufficient_data) = (Metric::ProbeSuccess("branch".into()), InsufficientData::Unhealthy);
        for (id, kind) in [
            ("HC-A", HealthCheckKind::Endpoint(endpoint)),
            ("HC-B", HealthCheckKind::Alarm(AlarmPlan { metric, alarm, insufficient_data })),
            ("HC-C", HealthCheckKind::Calculated(CalculatedCheck { children, healthy_threshold: 2 })),
            ("HC-D", HealthCheckKind::RoutingControl("brazil".into())),
        ] {
            let status = StatusSettings { inverted: false, disabled: id == "HC-D" };
            plan.health_checks.insert(HealthCheckId(id.into()), HealthCheckPlan { status, kind });
        }
        plan.prediction.failback.unsettled = Some(format!("the answer for {OLD} depends on what it decides"));
        plan
    }

    #[test]
    fn a_dry_run_tells_every_part_and_what_each_check_looks_at() {
        insta::assert_snapshot!(render(&plan(), Style::PLAIN));
    }

    #[test]
    fn a_dry_run_tells_which_programs_resolvers_and_clients_are() {
        let mut plan = synthetic::plan();
        let resolver = plan.resolvers.get_mut("br-isp").unwrap();
        (resolver.software, resolver.serve_stale) = (Some(ResolverSoftware::Unbound), Some(secs(3600.0)));
        plan.clients.get_mut("br-fresh").unwrap().runs = ClientRuns::Known(ClientSoftware::Curl);
        let image = ClientImage { image: "example/app:1".into(), command: Vec::new(), environment: BTreeMap::new() };
        plan.clients.get_mut("us-fresh").unwrap().runs = ClientRuns::Image(image);
        let page = render(&plan, Style::PLAIN);
        let (from, to) = (page.find("clients\n").unwrap(), page.find("faults, and").unwrap());
        insta::assert_snapshot!(&page[from..to], @r"
        clients
          br-fresh: curl, Brazil through br-isp, every 5 s
          us-fresh: image example/app:1, Virginia through us-isp, every 5 s

        programs of resolvers (in a lab of containers; else muster's own)
          br-isp: unbound, which may give expired answers for 3600 s
        ");
    }

    #[test]
    fn a_run_that_takes_longer_than_half_a_minute_says_so_and_why() {
        let mut plan = plan();
        plan.schedule.fault_after = secs(10.0);
        for (hold, speed, long) in [(590.0, 20.0, false), (610.0, 20.0, true), (610.0, 40.0, false)] {
            plan.schedule.hold = secs(hold);
            plan.speed = crate::clock::Speed::new(speed).unwrap();
            let page = render(&plan, Style::PLAIN);
            assert_eq!(page.contains("longer than half a minute"), long, "{page}");
            assert!(page.contains(&format!("takes {:.0} s to ", ((10.0 + hold) / speed).ceil())), "{page}");
        }
    }

    #[test]
    fn nothing_of_a_dry_run_is_wider_than_it_may_be() {
        for line in render(&plan(), Style::PLAIN).lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}
