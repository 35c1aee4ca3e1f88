//! What a run would do, without doing it: the plan, the prediction, the faults and their undo.

use comfy_table::{ContentArrangement, Table, presets};

use crate::plan::{Bounds, LegPrediction};
use crate::plan::{CellKind, Plan};
use crate::verdict::wording::{bounds, secs};

use super::Style;

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
    blocks.push(section(
        "cells",
        plan.cells.iter().map(|(name, cell)| {
            let kind = match &cell.kind {
                CellKind::Region(region) => format!("region of {} targets", region.targets),
                CellKind::Llm(_) => "LLM region".to_owned(),
                CellKind::TelemetryGateway => "telemetry gateway".to_owned(),
                CellKind::StaticSite => "static site".to_owned(),
            };
            let stands = cell.alias_target.as_deref().map_or_else(String::new, |target| format!("\n    for {target}"));
            format!("{name}: {kind}{stands}")
        }),
    ));
    blocks.push(section(
        "clients",
        plan.clients.iter().map(|(name, client)| {
            format!("{name}: {} through {}, every {}", client.place, client.resolver, secs(client.every))
        }),
    ));
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
    blocks.push(predicted("predicted failover (lab time, at best to at worst)", &plan.prediction.failover, style));
    blocks.push(predicted("predicted failback", &plan.prediction.failback, style));
    blocks.push(section("expectations", plan.expectations.iter().map(|expectation| expectation.text.clone())));
    blocks.join("\n\n") + "\n"
}

fn section(title: &str, lines: impl Iterator<Item = String>) -> String {
    lines.fold(title.to_owned(), |text, line| format!("{text}\n  {line}"))
}

fn predicted(title: &str, leg: &LegPrediction, style: Style) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic).force_no_tty();
    table.set_width(style.width).set_header(["stage", "of", "predicted"]);
    let mut row = |stage: &str, of: &str, predicted: &Bounds| {
        table.add_row([stage.to_owned(), of.to_owned(), bounds(predicted)]);
    };
    row("detection", "", &leg.detection);
    row("authoritative", "", &leg.authoritative);
    leg.resolvers.iter().for_each(|(name, bounds)| row("resolver", name, bounds));
    leg.clients.iter().for_each(|(name, bounds)| row("client", name, bounds));
    leg.totals.iter().for_each(|(name, bounds)| row("total", name, bounds));
    format!("{title}\n{}", table.trim_fmt())
}
