//! The page that stands on the terminal after a run. Pure text: colour and width are the caller's to decide.

use std::fmt::Write;
use std::path::Path;

use crate::plan::Plan;
use crate::plan::expectation::Leg;
use crate::timeline::measure::Measured;
use crate::verdict::wording::secs;
use crate::verdict::{Judged, Judgement, Outcome, Verdict};

use super::{Style, beside, seen, stages};

/// Everything that was measured and judged, for people.
#[must_use]
pub fn render(measured: &Measured, verdict: &Verdict, plan: &Plan, style: Style) -> String {
    let mut blocks = vec![head(plan, style)];
    for leg in [Leg::Failover, Leg::Failback] {
        blocks.push(stages::table(leg, measured.leg(leg), style));
    }
    let mut beside = beside::estimate(plan);
    beside.extend(beside::unsettled(&plan.prediction.failover));
    if !beside.is_empty() {
        blocks.push(section("about the prediction", &beside, style));
    }
    if !measured.seen.is_empty() {
        blocks.push(section("answers seen (lab time)", &seen::lines(&measured.seen), style));
    }
    for (leg, name) in [(Leg::Failover, "lost in the failover"), (Leg::Failback, "lost in the failback")] {
        let losses = losses(measured, leg);
        if !losses.is_empty() {
            blocks.push(section(name, &losses, style));
        }
    }
    blocks.push(section("expectations", &expectations(&verdict.expectations, style), style));
    if !verdict.findings.is_empty() {
        blocks.push(section("beside the prediction", &verdict.findings, style));
    }
    blocks.push(closing(measured, verdict, plan, style));
    blocks.join("\n\n") + "\n"
}

/// Where the files are.
#[must_use]
pub fn files(folder: &Path) -> String {
    format!("report: {}  (judge it again: muster judge {})\n", folder.display(), folder.display())
}

/// How to look inside a lab that was left standing, and how to remove it.
#[must_use]
pub fn kept(run: &str) -> String {
    format!(
        "the lab is left standing as run {run}:\n  \
         docker ps --filter label=muster.run={run}\n  \
         docker logs muster-{run}-hub                what the hub says; so of every other\n  \
         docker exec -it <container> sh             inside a resolver, a database or a client\n  \
         muster clean                               removes it\n"
    )
}

/// The expectations that were not met (all, when each was) with what was seen of them, what lies beside its prediction,
/// and the verdict.
#[must_use]
pub fn judged(verdict: &Verdict, style: Style) -> String {
    let (met, others): (Vec<&Judged>, Vec<&Judged>) =
        verdict.expectations.iter().partition(|judged| judged.judgement == Judgement::Passed);
    let mut lines = if others.is_empty() {
        expectations(met, style)
    } else {
        let mut lines = expectations(others, style);
        lines.push(format!("{} of {} expectations were met", met.len(), verdict.expectations.len()));
        lines
    };
    lines.extend(verdict.findings.iter().map(|finding| format!("beside the prediction: {finding}")));
    lines.push(verdict_line(verdict, style));
    lines.join("\n")
}

/// The outcome, in one line.
#[must_use]
pub fn verdict_line(verdict: &Verdict, style: Style) -> String {
    let ansi = match verdict.outcome {
        Outcome::Passed => "1;32",
        Outcome::Failed => "1;31",
        _ => "1;33",
    };
    let mut line = format!("verdict: {}", style.paint(&verdict.outcome.to_string(), ansi));
    if let Some(reason) = &verdict.reason {
        let _ = write!(line, " — {reason}");
    }
    match verdict.findings.len() {
        0 => {}
        1 => line += " (1 figure beside its prediction, see above)",
        more => {
            let _ = write!(line, " ({more} figures beside their prediction, see above)");
        }
    }
    line
}

fn head(plan: &Plan, style: Style) -> String {
    let control = if plan.control { ", control: the fault is left out" } else { "" };
    format!("{}: {}\nseed {}, speed {}{control}", style.paint(&plan.drill, "1"), plan.title, plan.seed, plan.speed)
}

/// A title, and lines below it.
pub(super) fn section(title: &str, these: &[String], style: Style) -> String {
    std::iter::once(style.paint(title, "1")).chain(lines(these, style)).collect::<Vec<_>>().join("\n")
}

/// Lines, indented and broken between words.
pub(super) fn lines(these: &[String], style: Style) -> Vec<String> {
    these.iter().flat_map(|line| wrapped(line, usize::from(style.width).saturating_sub(2))).collect()
}

/// A line, broken between words; what follows the first is indented by four more.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    if line.chars().count() <= width {
        return vec![format!("  {line}")];
    }
    let mut lines = vec![String::from(" ")];
    let mut used = 0;
    for (index, word) in words(line).iter().enumerate() {
        let long = word.chars().count() + 1;
        if index > 0 && used + long > width {
            lines.push(String::from("     "));
            used = 4;
        }
        used += long;
        if let Some(last) = lines.last_mut() {
            last.push(' ');
            last.push_str(word);
        }
    }
    lines
}

/// The words of a line; a figure and its unit are one.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in line.split(' ') {
        let unit = matches!(word.trim_end_matches([',', ';', ')', ':']), "s" | "ms");
        match words.last_mut().filter(|_| unit) {
            Some(figure) => {
                figure.push(' ');
                figure.push_str(word);
            }
            None => words.push(word.to_owned()),
        }
    }
    words
}

fn losses(measured: &Measured, leg: Leg) -> Vec<String> {
    let losses = &measured.leg(leg).losses;
    let width = losses.keys().map(|client| client.chars().count()).max().unwrap_or(0);
    let footnote = losses.values().any(|lost| lost.requests.is_none()).then(|| NOT_SEEN.to_owned());
    losses
        .iter()
        .map(|(client, lost)| {
            let stale = if lost.stale == lost.stale_at_most {
                lost.stale.to_string()
            } else {
                format!("{} to {}", lost.stale, lost.stale_at_most)
            };
            let mut line = match (lost.requests, lost.failed, lost.slow) {
                (Some(requests), Some(failed), Some(slow)) => {
                    format!("{client:width$}  {failed} of {requests} requests failed, {slow} slow, {stale} stale")
                }
                _ => format!(
                    "{client:width$}  –* failed, –* slow, {stale} stale; of {} that arrived {} were answered 5xx",
                    lost.arrived, lost.refused
                ),
            };
            if lost.not_connectable > 0 {
                let _ = write!(line, "; {} not connected: not on this ground", lost.not_connectable);
            }
            line
        })
        .chain(footnote)
        .collect()
}

/// What a dash stands for.
const NOT_SEEN: &str =
    "* not seen: it is no client of muster's own, and tells nothing but by what arrives at the cells";

fn expectations<'j>(judged: impl IntoIterator<Item = &'j Judged>, style: Style) -> Vec<String> {
    let each = judged.into_iter().flat_map(|judged| {
        let mark = match judged.judgement {
            Judgement::Passed => style.paint("✓", "32"),
            Judgement::Failed => style.paint("✗", "31"),
            Judgement::Inconclusive => style.paint("?", "33"),
            Judgement::NotApplicable => "–".to_owned(),
        };
        [
            format!("{mark} {}  [{}]", judged.expectation.text, judged.expectation.at),
            format!("    {}", judged.explanation),
        ]
    });
    each.collect()
}

fn closing(measured: &Measured, verdict: &Verdict, plan: &Plan, style: Style) -> String {
    let mut lines = Vec::new();
    if let Some(lateness) = &measured.lateness {
        lines.push(format!(
            "observers asked {} times, late by {} (median), {} (99 %), {} (at most) of lab time",
            lateness.count,
            secs(lateness.p50),
            secs(lateness.p99),
            secs(lateness.max)
        ));
        let wall = |lab| secs(plan.speed.to_wall(lab));
        lines.push(format!(
            "  on the wall clock: {} (median), {} (99 %), {} (at most)",
            wall(lateness.p50),
            wall(lateness.p99),
            wall(lateness.max)
        ));
    }
    lines.extend(measured.clock.map(|clock| format!("hub's clock: {clock} of lab time")));
    lines.extend(verdict.control_line().map(str::to_owned));
    if let Some(hazard) = beside::hazard_shown(plan, verdict.outcome) {
        lines.extend(self::lines(&[hazard], style).into_iter().map(|line| line.trim_start().to_owned()));
    }
    lines.push(verdict_line(verdict, style));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic::{self, Script, secs};
    use crate::plan::expectation::{Claim, Stage};
    use crate::timeline::measure::{measure, planned};
    use crate::verdict::judge;

    fn page(script: &Script, style: Style) -> String {
        let events = script.events();
        render(&measure(&events).unwrap(), &judge(&events).unwrap(), planned(&events).unwrap(), style)
    }

    #[test]
    fn a_passing_run_reads_like_this() {
        insta::assert_snapshot!(page(&synthetic::passing(), Style::PLAIN));
    }

    #[test]
    fn a_control_reads_like_this() {
        insta::assert_snapshot!(page(&synthetic::control(), Style::PLAIN));
    }

    #[test]
    fn failed_inconclusive_and_outside_read_like_this() {
        let script = synthetic::passing().planned(|plan| {
            plan.prediction.failover.detection = synthetic::bounds(10.0, 20.0);
            let budget = |seconds| {
                synthetic::expect(Claim::Budget {
                    stage: Stage::Detection,
                    of: None,
                    at_least: None,
                    at_most: Some(secs(seconds)),
                })
            };
            plan.expectations = vec![budget(10.0), budget(29.5)];
        });
        let page = page(&script, Style::PLAIN);
        insta::assert_snapshot!(page.split_once("expectations").unwrap().1);
    }

    #[test]
    fn what_a_client_that_tells_nothing_lost_is_a_dash_with_a_footnote() {
        let page = page(&synthetic::passing().with_curl_as("br-fresh"), Style::PLAIN);
        let lost = page.split_once("lost in the failover").unwrap().1.split_once("lost in the failback").unwrap().0;
        insta::assert_snapshot!(lost, @r"

          br-fresh  –* failed, –* slow, 6 stale; of 13 that arrived 12 were answered 5xx
          us-fresh  0 of 48 requests failed, 0 slow, 0 stale
          * not seen: it is no client of muster's own, and tells nothing but by what arrives at the cells
        ");
        assert!(lost.lines().all(|line| line.chars().count() <= 100), "{lost}");
    }

    /// A drill that shows a hazard, was estimated, and is not predicted to come to rest.
    fn hazardous() -> Script {
        synthetic::passing().planned(|plan| {
            plan.hazard = Some(
                "a probe of the stable name meets the secondary after the failover, succeeds, and makes the dead \
                 primary look recovered"
                    .into(),
            );
            let (by, client) = ("DNS Failover for LLM Serving".into(), "br-fresh".into());
            plan.estimate = Some(crate::plan::Estimate { by, client, total: secs(80.0), detection: secs(20.0) });
            plan.prediction.failover.unsettled = Some("the probe feeds what it asks".into());
        })
    }

    #[test]
    fn how_the_hubs_clock_stands_is_told_beside_how_late_the_observers_were() {
        let mut events = synthetic::passing().events();
        for stamped in &mut events {
            if let crate::journal::event::Event::LabReady { clock, .. } = &mut stamped.event {
                *clock = Some(crate::clock::ClockOffset { ahead: -0.0042, within: secs(0.0013) });
            }
        }
        let (measured, verdict) = (measure(&events).unwrap(), judge(&events).unwrap());
        let page = render(&measured, &verdict, planned(&events).unwrap(), Style::PLAIN);
        let closing = page.split_once("on the wall clock").unwrap().1;
        assert_eq!(closing.lines().nth(1), Some("hub's clock: 4.2 ms behind ours, ± 1.3 ms of lab time"), "{closing}");
    }

    #[test]
    fn a_hazard_an_estimate_and_what_does_not_come_to_rest_read_like_this() {
        let page = page(&hazardous(), Style::PLAIN);
        let about = page.split_once("about the prediction").unwrap().1.split_once("answers seen").unwrap().0;
        let closing = page.split_once("of lab time").unwrap().1;
        insta::assert_snapshot!(format!("{about}…{closing}"));
    }

    #[test]
    fn nothing_is_wider_than_it_may_be() {
        for script in [synthetic::passing(), synthetic::control(), hazardous()] {
            let page = page(&script, Style::PLAIN);
            for line in page.lines() {
                assert!(line.chars().count() <= 100, "{line}");
            }
        }
    }

    #[test]
    fn colour_is_there_only_when_told() {
        let script = synthetic::passing();
        assert!(!page(&script, Style::PLAIN).contains('\u{1b}'));
        assert!(page(&script, Style { colour: true, width: 100 }).contains("\u{1b}[1;32mpassed"));
    }
}
