//! The matrix for people: one table of totals, client by resolver; one of every stage; what disagrees; the rules.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use comfy_table::{Cell, Color};

use crate::campaign::at_most;
use crate::matrix::{
    CLIENTS, Client, ClientTold, Figure, MatrixSummary, RESOLVERS, Resolver, ResolverSummary, Standing,
};
use crate::plan::{Bounds, Plan};
use crate::verdict::ExitCode;
use crate::verdict::wording::{bounds, secs};

use super::Style;
use super::campaign::whole;
use super::style::right;
use super::terminal::section;

const NOTHING: &str = "–";
const NEVER: &str = "never";

/// A line of progress, `at` wall seconds after the first run began.
#[must_use]
pub fn starts(at: Duration, plan: &Plan, resolver: &Resolver) -> String {
    let takes = secs(whole(at_most(plan)));
    line(at, &format!("{} starts (seed {}, speed {}); {takes} at most", resolver.name, plan.seed, plan.speed))
}

/// The same when a resolver was run.
#[must_use]
pub fn ended(at: Duration, row: &ResolverSummary) -> String {
    let outcome = row.outcome.map_or_else(|| "cannot be run".to_owned(), |outcome| outcome.to_string());
    let why = row.reason.as_ref().map(|reason| format!(" — {reason}")).unwrap_or_default();
    line(at, &format!("{}: {outcome}{why}", row.resolver))
}

/// The same when a signal came.
#[must_use]
pub fn stops(at: Duration, signal: &str) -> String {
    line(at, &format!("{signal}: the run that is under way heals and ends"))
}

fn line(at: Duration, text: &str) -> String {
    format!("{:>8.1} s  {text}", at.as_secs_f64())
}

/// The whole page; `folder` is the matrix's.
#[must_use]
pub fn render(summary: &MatrixSummary, folder: &Path, style: Style) -> String {
    let control = if summary.control { ", control: the fault is left out" } else { "" };
    let mut blocks = vec![format!("{}: {}{control}", style.paint("matrix", "1"), summary.title)];
    if summary.resolvers.iter().any(|row| row.told.is_some()) {
        blocks.push(format!(
            "{}\nfrom the fault to the client's arrival elsewhere (t4 - t0), lab seconds",
            totals(summary, style)
        ));
        blocks.push(format!(
            "{}\nresolver: from the authoritative answer to its own (t3 - t2); client: from there (t4 - t3)\n\
             ✓ inside what is predicted, as the rule says; ✗ not; ? not told\n\
             never in N: still at the old place N s after the fault",
            stages(summary, style)
        ));
    }
    let remarks: Vec<String> = summary.resolvers.iter().flat_map(|row| remarks(row, summary.control)).collect();
    if !remarks.is_empty() {
        blocks.push(section("remarks", &remarks, style));
    }
    let rules = rules(summary);
    if !rules.is_empty() {
        blocks.push(section("rules", &rules, style));
    }
    let ansi = match (summary.exit_code, summary.control) {
        (ExitCode::Passed, false) | (ExitCode::Failed, true) => "1;32",
        (ExitCode::Passed, true) | (ExitCode::Failed, false) => "1;31",
        _ => "1;33",
    };
    let word = summary.outcome.map_or_else(|| "cannot be run".to_owned(), |outcome| outcome.to_string());
    blocks.push(format!("verdict: {} — {}\nreport: {}", style.paint(&word, ansi), summary.reason, folder.display()));
    blocks.join("\n\n") + "\n"
}

/// What the matrix would do, without doing it.
#[must_use]
pub fn dry_run(plans: &[&Plan], clients: &[&Client], style: Style) -> String {
    let mut table = style.table();
    let heads = ["drill", "resolver", "client", "stage", "total"];
    table.set_header(heads.map(|text| style.heading(text)));
    for plan in plans {
        let leg = &plan.prediction.failover;
        let resolver = leg.resolvers.values().next();
        table.add_row([Cell::new(&plan.drill), right(resolver.map_or_else(|| NOTHING.to_owned(), bounds))]);
        for client in clients {
            let of = |all: &BTreeMap<String, Bounds>| all.get(client.name).map_or_else(|| NOTHING.to_owned(), never_or);
            table.add_row([
                Cell::new(""),
                Cell::new(""),
                Cell::new(client.name),
                right(of(&leg.clients)),
                right(of(&leg.totals)),
            ]);
        }
    }
    let takes: Duration = plans.iter().map(|plan| at_most(plan)).sum();
    format!(
        "{}: {} resolvers, {} clients; speed {}, seed {} and up\ndry run: nothing was started\n\n{}\n\nlab time; all runs, one after another, take \
         {} of wall time at most\n",
        style.paint("matrix", "1"),
        plans.len(),
        clients.len(),
        plans.first().map_or(NOTHING.to_owned(), |plan| plan.speed.to_string()),
        plans.first().map_or(0, |plan| plan.seed),
        table.trim_fmt(),
        secs(whole(takes)),
    )
}

/// A column for each resolver.
fn totals(summary: &MatrixSummary, style: Style) -> String {
    let mut table = style.table();
    let told: Vec<_> = summary.resolvers.iter().map(|row| row.told.as_ref()).collect();
    let mut head = vec![style.heading("total")];
    // Two words are two lines, so that all of them fit.
    head.extend(summary.resolvers.iter().map(|row| style.heading(&row.resolver.replace('-', "-\n"))));
    table.set_header(head);
    for client in CLIENTS.iter().map(|client| client.name) {
        let row: Vec<Option<&ClientTold>> = told
            .iter()
            .map(|told| told.and_then(|told| told.clients.iter().find(|one| one.client == client)))
            .collect();
        if row.iter().all(Option::is_none) {
            continue;
        }
        let mut cells = vec![Cell::new(client)];
        cells.extend(row.into_iter().map(|told| match told {
            None => right(NOTHING),
            Some(told) => {
                let text = match told.total.measured {
                    Some(span) => {
                        let (middle, half) = (span.middle().as_secs_f64(), span.uncertainty().as_secs_f64());
                        format!("{middle:.0} ± {half:.0}")
                    }
                    None if told.never_in.is_some() => NEVER.to_owned(),
                    None => NOTHING.to_owned(),
                };
                right(text).fg_if(style, colour(told.standing, told.moved, summary.control))
            }
        }));
        table.add_row(cells);
    }
    table.trim_fmt()
}

fn stages(summary: &MatrixSummary, style: Style) -> String {
    let mut table = style.table();
    let heads = ["lab seconds", "stage\npredicted", "\nmeasured", "total\npredicted", "\nmeasured", "\nrule"];
    table.set_header(heads.map(|text| style.heading(text)));
    for row in &summary.resolvers {
        let Some(told) = &row.told else {
            table.add_row([style.heading(row.resolver), Cell::new(""), right("not told")]);
            continue;
        };
        table.add_row([
            style.heading(row.resolver),
            right(predicted(&told.resolver)),
            right(measured(&told.resolver, None)),
            Cell::new(""),
            Cell::new(""),
            by_rule(row.rule, told.standing, told.resolver.measured.is_some(), summary.control, style),
        ]);
        for client in &told.clients {
            table.add_row([
                Cell::new(format!(" {}", client.client)),
                right(predicted(&client.own)),
                right(measured(&client.own, client.never_in)),
                right(predicted(&client.total)),
                right(measured(&client.total, None)),
                by_rule(client.rule, client.standing, client.moved, summary.control, style),
            ]);
        }
    }
    table.trim_fmt()
}

/// Without the unit, which is in the table's head: `0 – 60`, `0`, `never`.
fn predicted(figure: &Figure) -> String {
    never_or(&figure.predicted).trim_end_matches(" s").to_owned()
}

fn never_or(predicted: &Bounds) -> String {
    if predicted.worst.is_none() { NEVER.to_owned() } else { bounds(predicted) }
}

/// `24.8–28.9 ±2.1`, `never in 170`: as narrow as may be, or the table does not fit.
fn measured(figure: &Figure, never_in: Option<Duration>) -> String {
    match (figure.measured, never_in) {
        (Some(span), _) => {
            let seconds = |of: Duration| of.as_secs_f64();
            format!("{:.1}–{:.1} ±{:.1}", seconds(span.least), seconds(span.most), seconds(span.uncertainty()))
        }
        (None, Some(watched)) => format!("never in {:.0}", watched.as_secs_f64()),
        (None, None) => NOTHING.to_owned(),
    }
}

/// The rule, and whether what was seen is as it says.
fn by_rule(rule: &str, standing: Standing, moved: bool, control: bool, style: Style) -> Cell {
    let text = match (standing, moved, control) {
        (_, true, true) => "moved".to_owned(),
        (_, false, true) => "stayed".to_owned(),
        (Standing::Agrees, ..) => format!("✓ {rule}"),
        (Standing::Disagrees, ..) => format!("✗ {rule}"),
        (Standing::NotTold, ..) => format!("? {rule}"),
    };
    style.coloured(&text, colour(standing, moved, control))
}

const fn colour(standing: Standing, moved: bool, control: bool) -> Color {
    match (standing, moved, control) {
        (_, true, true) | (Standing::Disagrees, _, false) => Color::Red,
        (_, false, true) | (Standing::Agrees, ..) => Color::Green,
        (Standing::NotTold, ..) => Color::Yellow,
    }
}

/// What the tables have no room for: runs that said nothing or not all, and each figure that is not as predicted.
fn remarks(row: &ResolverSummary, control: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(first) = &row.first_try {
        let why = first.reason.as_deref().and_then(|why| why.split([':', ';']).next()).unwrap_or("could not tell");
        lines.push(format!("{}: run once more at speed {}; the first time: {why}", row.resolver, row.speed));
    }
    let as_it_must = row.exit_code == if control { ExitCode::Failed } else { ExitCode::Passed };
    lines.extend(row.reason.as_ref().filter(|_| !as_it_must).map(|reason| format!("{}: {reason}", row.resolver)));
    let clients = row.told.iter().flat_map(|told| &told.clients);
    let differing = clients.filter(|client| !control && client.standing == Standing::Disagrees);
    lines.extend(differing.map(|client| {
        let what = match (client.moved, client.total.predicted.worst) {
            (true, None) => "it moved, and is predicted never to",
            (true, Some(_)) => "it moved at another time than predicted",
            (false, _) => "it did not move",
        };
        format!(
            "{} through {}: {what}; of {} requests until then {} were refused, and {} came after the new answer was given; \
             {} says otherwise",
            client.client, row.resolver, client.arrived, client.refused, client.stale, client.rule
        )
    }));
    lines
}

/// Each rule that was held against something, once.
fn rules(summary: &MatrixSummary) -> Vec<String> {
    let resolvers = summary.resolvers.iter().filter(|row| row.told.is_some());
    let resolvers = resolvers.filter_map(|row| RESOLVERS.iter().find(|one| one.name == row.resolver));
    let told = summary.resolvers.iter().filter_map(|row| row.told.as_ref()).flat_map(|told| &told.clients);
    let clients = told.filter_map(|told| CLIENTS.iter().find(|one| one.name == told.client));
    let mut all = Vec::new();
    for rule in resolvers.map(|one| one.rule).chain(clients.map(|one| one.rule)) {
        if !all.contains(&rule) {
            all.push(rule);
        }
    }
    all.into_iter().map(|rule| format!("{}: {}", rule.number, rule.says)).collect()
}

/// A cell that is coloured only where there is colour.
trait Coloured {
    fn fg_if(self, style: Style, colour: Color) -> Self;
}

impl Coloured for Cell {
    fn fg_if(self, style: Style, colour: Color) -> Self {
        if style.colour { self.fg(colour) } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::made_up;

    fn page(summary: &MatrixSummary, style: Style) -> String {
        render(summary, Path::new("reports/matrix-20260301T120000Z"), style)
    }

    #[test]
    fn a_matrix_in_which_all_is_as_predicted_reads_like_this() {
        insta::assert_snapshot!(page(&made_up::summary(&made_up::AS_PREDICTED), Style::PLAIN));
    }

    #[test]
    fn what_differs_and_what_could_not_be_told_reads_like_this() {
        insta::assert_snapshot!(page(&made_up::summary(&made_up::EVERYTHING_ELSE), Style::PLAIN));
    }

    #[test]
    fn a_control_reads_like_this() {
        insta::assert_snapshot!(page(&made_up::control(), Style::PLAIN));
    }

    #[test]
    fn a_dry_run_reads_like_this() {
        let plans = made_up::plans();
        let plans: Vec<&Plan> = plans.iter().collect();
        insta::assert_snapshot!(dry_run(&plans, &made_up::clients(), Style::PLAIN));
    }

    #[test]
    fn nothing_is_wider_than_it_may_be() {
        let all = [&made_up::AS_PREDICTED[..], &made_up::EVERYTHING_ELSE[..]].concat();
        assert_eq!(all.len(), RESOLVERS.len(), "as many columns as there can be");
        for line in page(&made_up::summary(&all), Style::PLAIN).lines() {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }

    #[test]
    fn colour_is_only_where_it_is_wanted() {
        let coloured = page(&made_up::summary(&made_up::EVERYTHING_ELSE), Style { colour: true, width: 100 });
        assert!(coloured.contains("\u{1b}[1;33minterrupted") && coloured.contains("\u{1b}[38;5;9m"));
        assert!(!page(&made_up::summary(&made_up::EVERYTHING_ELSE), Style::PLAIN).contains('\u{1b}'));
    }

    #[test]
    fn each_thing_that_happens_is_a_line() {
        let (at, summary) = (Duration::from_millis(21_340), made_up::summary(&made_up::EVERYTHING_ELSE));
        let lines = [ended(at, &summary.resolvers[0]), ended(at, &summary.resolvers[1]), stops(at, "SIGTERM")];
        insta::assert_snapshot!(lines.join("\n"));
    }
}
