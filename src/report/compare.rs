//! Two runs or two campaigns beside each other, for people: a line for each drill, and what differs.

use std::collections::BTreeSet;
use std::path::Path;

use comfy_table::{Cell, CellAlignment, Color};

use crate::compare::{
    Agreement, Comparison, DrillComparison, Figure, FigurePair, Likeness, RequestPair, RunSummary, Stage,
};
use crate::plan::Bounds;
use crate::plan::expectation::Leg;
use crate::timeline::measure::Fit;
use crate::verdict::Judgement;
use crate::verdict::wording::bounds;

use super::Style;
use super::style::right;
use super::terminal::section;

/// The whole page. Of a single drill every figure is shown, of several those that differ.
#[must_use]
pub fn render(comparison: &Comparison, before: &Path, after: &Path, style: Style) -> String {
    let drills = &comparison.drills;
    let mut blocks = vec![
        format!("before: {}\nafter:  {}", side(before, drills, false), side(after, drills, true)),
        overview(drills, style),
    ];
    for drill in drills {
        blocks.extend(details(drill, drills.len() == 1, style));
    }
    blocks.push(closing(drills, style));
    blocks.join("\n\n") + "\n"
}

/// A side: where it is, and where its runs were.
fn side(path: &Path, drills: &[DrillComparison], after: bool) -> String {
    let of = |drill: &DrillComparison| if after { drill.after.clone() } else { drill.before.clone() };
    let runs: Vec<RunSummary> = drills.iter().filter_map(of).collect();
    let labs: BTreeSet<String> = runs
        .iter()
        .map(|run| match (&run.lab, &run.ground) {
            (Some(lab), Some(ground)) => format!("{lab} lab, {ground}"),
            _ => "a lab that was never ready".to_owned(),
        })
        .collect();
    let labs = labs.into_iter().collect::<Vec<_>>().join("; ");
    match &runs[..] {
        [run] => format!("{} ({labs}, seed {}, speed {}x)", path.display(), run.seed, run.speed),
        runs => format!("{} ({} drills; {labs})", path.display(), runs.len()),
    }
}

const NOTHING: &str = "–";

/// A line for each drill: how much of it agrees.
fn overview(drills: &[DrillComparison], style: Style) -> String {
    let mut table = style.table();
    let head = ["drill", "verdict", "expectations", "figures", "answers", "requests", ""];
    table.set_header(head.map(|text| style.heading(text)));
    for drill in drills {
        let answers = drill.answers.iter().map(|pair| pair.agreement);
        let counts = [
            agreeing(drill.expectations.iter().map(|pair| pair.agreement)),
            agreeing(drill.figures.iter().map(|pair| pair.agreement)),
            agreeing(answers.chain(drill.ttls.iter().map(|pair| pair.agreement))),
            agreeing(drill.requests.iter().map(|pair| pair.agreement)),
        ];
        let mut row = vec![Cell::new(&drill.drill), Cell::new(verdicts(drill))];
        row.extend(counts.map(|count| Cell::new(count).set_alignment(CellAlignment::Right)));
        row.push(likeness(drill.likeness, style));
        table.add_row(row);
    }
    table.trim_fmt()
}

fn verdicts(drill: &DrillComparison) -> String {
    let word =
        |run: &Option<RunSummary>| run.as_ref().map_or_else(|| NOTHING.to_owned(), |run| run.outcome.to_string());
    let (before, after) = (word(&drill.before), word(&drill.after));
    if before == after { before } else { format!("{before} → {after}") }
}

/// So many of those that can be told agree.
fn agreeing(all: impl Iterator<Item = Agreement>) -> String {
    let told: Vec<Agreement> = all.filter(|agreement| *agreement != Agreement::NotTold).collect();
    if told.is_empty() {
        return NOTHING.to_owned();
    }
    let agree = told.iter().filter(|agreement| **agreement == Agreement::Agree).count();
    format!("{agree} of {}", told.len())
}

fn likeness(likeness: Likeness, style: Style) -> Cell {
    let (text, colour) = match likeness {
        Likeness::Agree => ("agree", Color::Green),
        Likeness::OnOneSide => ("ON ONE SIDE", Color::Red),
        Likeness::Differ => ("DIFFER", Color::Red),
        Likeness::Inconclusive => ("inconclusive", Color::Yellow),
        Likeness::OtherSettings => ("OTHER SETTINGS", Color::Red),
    };
    style.coloured(text, colour)
}

fn details(drill: &DrillComparison, whole: bool, style: Style) -> Option<String> {
    let mut lines: Vec<String> = drill.reason.iter().cloned().collect();
    if drill.likeness == Likeness::Inconclusive {
        // What such a run measured tells nothing.
        return Some(section(&drill.drill, &lines, style));
    }
    for pair in drill.expectations.iter().filter(|pair| pair.agreement == Agreement::Differ) {
        lines.push(format!("{}: {} → {}", pair.text, judged(pair.before), judged(pair.after)));
    }
    for pair in drill.answers.iter().filter(|pair| pair.agreement == Agreement::Differ) {
        lines.push(format!("{}, {}: {} → {}", pair.of, pair.when, cells(&pair.before), cells(&pair.after)));
    }
    for pair in drill.ttls.iter().filter(|pair| pair.agreement == Agreement::Differ) {
        lines.push(format!("{}, TTL of {}: {} → {}", pair.of, pair.answer, ttls(&pair.before), ttls(&pair.after)));
    }
    for RequestPair { client, counted, when, before, after, .. } in
        drill.requests.iter().filter(|pair| pair.agreement == Agreement::Differ)
    {
        lines.push(format!("client {client}, {counted} requests {when}: {before} → {after}"));
    }
    let shown = |pair: &&FigurePair| whole || pair.agreement == Agreement::Differ;
    let mut blocks: Vec<String> = [Leg::Failover, Leg::Failback]
        .into_iter()
        .filter_map(|leg| {
            let of_leg = drill.figures.iter().filter(|pair| pair.during == leg).filter(shown);
            figures(leg, &of_leg.collect::<Vec<_>>(), style)
        })
        .collect();
    if blocks.is_empty() && lines.is_empty() {
        return None;
    }
    if !lines.is_empty() || !whole {
        blocks.insert(0, section(&drill.drill, &lines, style));
    }
    Some(blocks.join("\n"))
}

const fn judged(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Passed => "passed",
        Judgement::Failed => "failed",
        Judgement::Inconclusive => "inconclusive",
        Judgement::NotApplicable => "not on this ground",
    }
}

fn cells(cells: &BTreeSet<String>) -> String {
    if cells.is_empty() { "nothing".to_owned() } else { cells.iter().cloned().collect::<Vec<_>>().join(", ") }
}

fn ttls(ttls: &BTreeSet<u32>) -> String {
    ttls.iter().map(|ttl| format!("{ttl} s")).collect::<Vec<_>>().join(", ")
}

fn figures(leg: Leg, pairs: &[&FigurePair], style: Style) -> Option<String> {
    if pairs.is_empty() {
        return None;
    }
    let mut table = style.table();
    let name = match leg {
        Leg::Failover => "failover",
        Leg::Failback => "failback",
    };
    table.set_header([name, "predicted", "before", "after", ""].map(|text| style.heading(text)));
    for pair in pairs {
        let stage = format!("{} {}", pair.stage, pair.of);
        let mut row = vec![Cell::new(stage.trim_end())];
        row.extend([predicted(pair), measured(pair.before), measured(pair.after)].map(right));
        row.push(agreement(pair, style));
        table.add_row(row);
    }
    Some(table.trim_fmt())
}

fn predicted(pair: &FigurePair) -> String {
    let of = |figure: Option<Figure>| figure.map(|figure| bounds(&figure.predicted));
    match (of(pair.before), of(pair.after)) {
        // A target's turn is not predicted by itself.
        (Some(any), _) if pair.stage == Stage::Signal && any == bounds(&Bounds::default()) => String::new(),
        (Some(before), Some(after)) if before != after => format!("{before} → {after}"),
        (before, after) => before.or(after).unwrap_or_default(),
    }
}

fn measured(figure: Option<Figure>) -> String {
    match figure {
        Some(Figure { measured: Some(span), .. }) => bounds(&Bounds::between(span.least, span.most)),
        Some(Figure { fit: Fit::NotApplicable, .. }) => "not on this ground".to_owned(),
        Some(Figure { predicted: Bounds { worst: None, .. }, .. }) => NOTHING.to_owned(),
        Some(_) | None => "not seen".to_owned(),
    }
}

fn agreement(pair: &FigurePair, style: Style) -> Cell {
    let (text, colour) = match (pair.agreement, pair.overlap) {
        (Agreement::Differ, _) => ("DIFFER", Color::Red),
        (Agreement::NotTold, _) => ("not told", Color::DarkGrey),
        (Agreement::Agree, true) => ("meet", Color::Green),
        (Agreement::Agree, false) if pair.before.is_some_and(|figure| figure.measured.is_some()) => {
            ("both inside", Color::Green)
        }
        (Agreement::Agree, false) => ("both not seen", Color::Green),
    };
    style.coloured(text, colour)
}

fn closing(drills: &[DrillComparison], style: Style) -> String {
    let words = [
        (Likeness::Agree, "agree", "32"),
        (Likeness::Differ, "differ", "31"),
        (Likeness::OnOneSide, "on one side only", "31"),
        (Likeness::Inconclusive, "inconclusive", "33"),
        (Likeness::OtherSettings, "with other settings", "31"),
    ];
    let counted = words.iter().filter_map(|(likeness, word, ansi)| {
        let count = drills.iter().filter(|drill| drill.likeness == *likeness).count();
        (count > 0).then(|| style.paint(&format!("{count} {word}"), ansi))
    });
    let mut line = format!("compared {} ", drills.len());
    line += if drills.len() == 1 { "drill: " } else { "drills: " };
    line + &counted.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::clock::Speed;
    use crate::compare::{Run, compare};
    use crate::journal::event::{Event, SeenAnswer, Server};
    use crate::journal::synthetic::{NEW, Script, addresses, at, passing, secs};

    fn runs(scripts: &[Script]) -> BTreeMap<String, Run> {
        let run = |script: &Script| Run::of(&script.events()).unwrap();
        scripts.iter().map(run).map(|run| (run.drill().to_owned(), run)).collect()
    }

    fn page(before: &[Script], after: &[Script]) -> String {
        let comparison = compare(&runs(before), &runs(after));
        render(&comparison, Path::new("reports/spring"), Path::new("reports/summer"), Style::PLAIN)
    }

    fn named(name: &str, script: Script) -> Script {
        script.planned(|plan| plan.drill = name.into())
    }

    fn in_the_virtual_lab() -> Script {
        passing().planned(|plan| (plan.seed, plan.speed) = (8, Speed::REAL)).changed(|stamped| {
            if let Event::LabReady { lab, ground, .. } = &mut stamped.event {
                (*lab, *ground) = ("virtual".into(), "simulated".into());
            }
        })
    }

    /// Its health turned later than it may, and another answer was given meanwhile.
    fn late() -> Script {
        passing().changed(|stamped| match &mut stamped.event {
            Event::HealthChanged { healthy: false, .. } => stamped.at = stamped.at + secs(8.0),
            Event::Observed { server: Server::Authoritative, answer, .. }
                if stamped.at > at(140.0) && *answer == addresses(NEW) =>
            {
                *answer = SeenAnswer::NxDomain;
            }
            _ => {}
        })
    }

    #[test]
    fn two_runs_that_agree_read_like_this() {
        insta::assert_snapshot!(page(&[passing()], &[in_the_virtual_lab()]));
    }

    #[test]
    fn campaigns_that_differ_read_like_this() {
        let before = [passing(), named("another", passing()), named("drained", passing()), named("slowed", passing())];
        let stopped = passing().until(100.0).add(100.0, Event::Interrupted { signal: "SIGINT".into() });
        let slower = passing().planned(|plan| plan.clients.get_mut("br-fresh").unwrap().every = secs(7.0));
        let after = [late(), named("drained", stopped), named("slowed", slower)];
        insta::assert_snapshot!(page(&before, &after));
    }

    #[test]
    fn nothing_is_wider_than_it_may_be() {
        let name = "a-drill-whose-name-is-as-long-as-the-name-of-a-drill-may-be-";
        for page in [page(&[passing()], &[late()]), page(&[passing(), named(name, passing())], &[late()])] {
            for line in page.lines() {
                assert!(line.chars().count() <= 100, "{line}");
            }
        }
    }
}
