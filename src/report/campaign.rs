//! A campaign for people: a line for what happens, one table at the end, and what it would do before it runs.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use comfy_table::{Cell, Color};

use crate::campaign::{CampaignPlan, CampaignSummary, DrillSummary, Happened, at_most, side_by_side};
use crate::verdict::ExitCode;
use crate::verdict::wording::{bounds, secs};

use super::Style;
use super::figures::{Figures, longest, those_that_end};
use super::style::right;
use super::terminal::section;

/// A line of progress, `at` wall seconds after the campaign began; `out` is the campaign's folder.
#[must_use]
pub fn line(at: Duration, out: &Path, happened: &Happened<'_>) -> String {
    let text = match happened {
        Happened::Started { plan, again: false } => {
            format!("{} starts (seed {}, speed {})", plan.drill, plan.seed, plan.speed)
        }
        Happened::Started { plan, again: true } => format!("{} starts once more, alone", plan.drill),
        Happened::Ended { drill, once_more } => {
            let mut text = format!("{}: {}, after {}", drill.drill, word(drill.exit_code), secs(drill.wall_seconds));
            // What a folder holds need not be told here.
            let _ = match (&drill.folder, &drill.reason) {
                (Some(folder), _) => write!(text, "; {}", out.join(folder).display()),
                (None, Some(reason)) => write!(text, "; {reason}"),
                (None, None) => Ok(()),
            };
            if *once_more {
                text += "; it is run once more, alone, at the end";
            }
            text
        }
        Happened::Stopping { signal, within } => {
            format!("{signal}: every drill heals and ends, within {}", secs(*within))
        }
    };
    format!("{:>8.1} s  {text}", at.as_secs_f64())
}

/// The one table of all drills, why they did not pass, and the verdict; `folder` is the campaign's.
#[must_use]
pub fn render(summary: &CampaignSummary, folder: &Path, style: Style) -> String {
    let head = head(&summary.campaign, &summary.title, summary.seed, summary.at_once, summary.control, style);
    let mut blocks = vec![head, table(summary, style)];
    let reasons: Vec<String> = summary.drills.iter().flat_map(|drill| remarks(drill, summary.control)).collect();
    if !reasons.is_empty() {
        blocks.push(section("remarks", &reasons, style));
    }
    let ansi = match bearing(summary.exit_code, summary.control) {
        Bearing::Good => "1;32",
        Bearing::Bad => "1;31",
        Bearing::Unclear => "1;33",
    };
    let mut word = style.paint(&word(summary.exit_code), ansi);
    let _ = write!(word, " — {}", summary.reason);
    blocks.push(format!("verdict: {word}\nreport: {}", folder.display()));
    blocks.join("\n\n") + "\n"
}

/// What the campaign would do, without doing it: a line for each drill.
#[must_use]
pub fn dry_run(plan: &CampaignPlan, style: Style) -> String {
    let mut table = style.table();
    table.set_header(
        ["drill", "seed", "speed", "detection", "longest total", "takes at most"].map(|text| style.heading(text)),
    );
    let each: Vec<Duration> = plan.drills.iter().map(at_most).collect();
    for (drill, takes) in plan.drills.iter().zip(&each) {
        let predicted = &drill.prediction.failover;
        let totals: Vec<_> = predicted.totals.values().copied().collect();
        let total = longest(those_that_end(&totals, |bounds| bounds));
        let mut row = vec![Cell::new(&drill.drill)];
        row.extend(
            [
                drill.seed.to_string(),
                drill.speed.to_string(),
                bounds(&predicted.detection),
                total.map_or_else(|| NOTHING.to_owned(), |total| bounds(&total)),
                secs(whole(*takes)),
            ]
            .map(right),
        );
        table.add_row(row);
    }
    format!(
        "{}\ndry run: nothing was started\n\n{}\n\nlab time; what a drill takes is wall time: {} at most for all of \
         them, {} at once\n",
        head(&plan.campaign, &plan.title, plan.seed, plan.at_once, plan.control, style),
        table.trim_fmt(),
        secs(whole(side_by_side(&each, plan.at_once))),
        plan.at_once
    )
}

const NOTHING: &str = "–";

fn head(name: &str, title: &str, seed: u64, at_once: usize, control: bool, style: Style) -> String {
    let control = if control { ", control: the fault is left out of every drill" } else { "" };
    format!("{}: {title}\nseed {seed} and up, at most {at_once} at once{control}", style.paint(name, "1"))
}

/// Rounded up to whole seconds: a limit.
pub(super) fn whole(limit: Duration) -> Duration {
    Duration::from_secs(limit.as_secs() + u64::from(limit.subsec_nanos() > 0))
}

/// Two lines for each drill, so that what was predicted stands above what was measured.
fn table(summary: &CampaignSummary, style: Style) -> String {
    let mut table = style.table();
    table.set_header(
        ["drill, and its folder", "verdict", "", "detection", "longest total"].map(|text| style.heading(text)),
    );
    for drill in &summary.drills {
        let mut verdict = Cell::new(word(drill.exit_code));
        if style.colour {
            verdict = verdict.fg(match bearing(drill.exit_code, summary.control) {
                Bearing::Good => Color::Green,
                Bearing::Bad => Color::Red,
                Bearing::Unclear => Color::Yellow,
            });
        }
        let total = drill.longest_total.as_ref();
        let predicted = |figures: &Figures| bounds(&figures.predicted);
        let nothing = || NOTHING.to_owned();
        table.add_row([
            Cell::new(&drill.drill),
            verdict,
            Cell::new("predicted"),
            right(predicted(&drill.detection)),
            right(total.map_or_else(nothing, predicted)),
        ]);
        table.add_row([
            Cell::new(drill.folder.as_deref().unwrap_or(NOTHING)),
            Cell::new(""),
            Cell::new("measured"),
            right(measured(&drill.detection)),
            right(total.map_or_else(nothing, measured)),
        ]);
    }
    table.trim_fmt()
}

fn measured(figures: &Figures) -> String {
    figures.measured.map_or_else(
        || if figures.predicted.worst.is_none() { NOTHING.to_owned() } else { "not seen".to_owned() },
        |span| bounds(&crate::plan::Bounds::between(span.least, span.most)),
    )
}

/// What the table has no room for.
fn remarks(drill: &DrillSummary, control: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(first) = &drill.first_try {
        // In short: all of it stands in the summary.
        let why = first.reason.as_deref().and_then(|why| why.split([':', ';']).next()).unwrap_or("could not tell");
        let folder = first.folder.as_deref().unwrap_or(NOTHING);
        lines.push(format!("{}: run once more, alone; the first time: {why} ({folder})", drill.drill));
    }
    let reason = drill.reason.as_ref().filter(|_| !matches!(bearing(drill.exit_code, control), Bearing::Good));
    lines.extend(reason.map(|reason| format!("{}: {reason}", drill.drill)));
    match drill.findings {
        0 => {}
        1 => lines.push(format!("{}: 1 figure beside its prediction", drill.drill)),
        more => lines.push(format!("{}: {more} figures beside their prediction", drill.drill)),
    }
    lines
}

fn word(code: ExitCode) -> String {
    code.outcome().map_or_else(|| "cannot be run".to_owned(), |outcome| outcome.to_string())
}

/// What an exit code means for whoever waits for it.
enum Bearing {
    Good,
    Bad,
    Unclear,
}

/// As a control a drill must fail, else it must pass.
const fn bearing(code: ExitCode, control: bool) -> Bearing {
    match (code, control) {
        (ExitCode::Passed, false) | (ExitCode::Failed, true) => Bearing::Good,
        (ExitCode::Passed, true) | (ExitCode::Failed, false) => Bearing::Bad,
        _ => Bearing::Unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::campaign::played;
    use crate::verdict::FirstTry;

    fn page(summary: &CampaignSummary, style: Style) -> String {
        render(summary, Path::new("reports/quarterly-20260301T120000Z"), style)
    }

    #[test]
    fn a_passing_campaign_reads_like_this() {
        insta::assert_snapshot!(page(&played::summary(&[ExitCode::Passed; 5], false, None), Style::PLAIN));
    }

    #[test]
    fn every_way_to_end_reads_like_this() {
        use ExitCode::{CannotRun, Failed, Inconclusive, LabBroke, Passed};
        let mut summary = played::summary(&[Passed, Failed, Inconclusive, LabBroke, CannotRun], false, None);
        let folder = Some("both-regions-down-20260301T115900Z".to_owned());
        summary.drills[2].first_try =
            Some(FirstTry { folder, reason: Some("the machine was too loaded: so it was".to_owned()) });
        summary.drills[0].findings = 2;
        summary.drills[4].longest_total = None;
        summary.drills[3].longest_total = Some(played::stays());
        insta::assert_snapshot!(page(&summary, Style::PLAIN));
    }

    #[test]
    fn a_control_reads_like_this() {
        use ExitCode::{Failed, Passed};
        let summary = played::summary(&[Failed, Passed, Failed, Failed, Failed], true, None);
        insta::assert_snapshot!(page(&summary, Style::PLAIN));
    }

    #[test]
    fn nothing_is_wider_than_it_may_be() {
        let mut summary = played::summary(&[ExitCode::FaultDidNotHold; 5], false, None);
        let name = "a-drill-whose-name-is-as-long-as-the-name-of-a-drill-may-be-";
        summary.drills[0] = DrillSummary { reason: Some("why ".repeat(60)), ..played::drill(name, ExitCode::LabBroke) };
        for width in [80, 100] {
            for line in
                page(&summary, Style { colour: false, width }).lines().filter(|line| line.starts_with(['│', ' ']))
            {
                assert!(line.chars().count() <= usize::from(width), "{line}");
            }
        }
    }

    #[test]
    fn a_dry_run_reads_like_this() {
        insta::assert_snapshot!(dry_run(&played::plan(false), Style::PLAIN));
    }

    #[test]
    fn a_control_that_failed_is_green_and_one_that_passed_red() {
        let style = Style { colour: true, width: 100 };
        let page_of = |code, control| page(&played::summary(&[code], control, None), style);
        assert!(page_of(ExitCode::Failed, true).contains("\u{1b}[1;32mfailed"));
        assert!(page_of(ExitCode::Passed, true).contains("\u{1b}[1;31mpassed"));
        assert!(page_of(ExitCode::Passed, false).contains("\u{1b}[1;32mpassed"));
    }

    #[test]
    fn each_thing_that_happens_is_a_line() {
        let plan = played::plan(false).drills.remove(0);
        let (passed, unsure) =
            (played::drill("database-down", ExitCode::Passed), played::drill("region-down", ExitCode::Inconclusive));
        let happened = [
            Happened::Started { plan: &plan, again: false },
            Happened::Ended { drill: &passed, once_more: false },
            Happened::Ended { drill: &unsure, once_more: true },
            Happened::Started { plan: &plan, again: true },
            Happened::Stopping { signal: "SIGTERM", within: Duration::from_secs(10) },
        ];
        let lines = happened.map(|happened| line(Duration::from_millis(21_340), Path::new("reports/q"), &happened));
        insta::assert_snapshot!(lines.join("\n"));
    }
}
