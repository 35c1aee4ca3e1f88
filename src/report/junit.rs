//! `JUnit` XML: one suite for a drill, a case for each expectation and for each predicted stage.
//!
//! The lab's own trouble and what could not be told are errors, never failures: a failure is the subject's.

use std::fmt::Write;

use junit_report::{Duration, OffsetDateTime, ReportBuilder, TestCase, TestCaseBuilder, TestSuiteBuilder};
use time::format_description::well_known::Rfc3339;

use crate::journal::event::{Event, Stamped};
use crate::plan::Plan;
use crate::timeline::measure::{Fit, LegMeasured, Measured, Measurement};
use crate::verdict::wording::bounds;
use crate::verdict::{Judgement, Outcome, Verdict};

/// A run that cannot be told in XML.
#[derive(Debug, thiserror::Error)]
#[error("the JUnit report cannot be written: {0}")]
pub struct JunitError(String);

/// The report of one run.
///
/// # Errors
/// When the XML cannot be made.
pub fn render(events: &[Stamped], plan: &Plan, measured: &Measured, verdict: &Verdict) -> Result<String, JunitError> {
    let mut suite = TestSuiteBuilder::new(&clean(&plan.drill));
    suite.set_timestamp(started(events)).set_system_out(&clean(&properties(events, plan, verdict)));
    suite.add_testcase(run_case(events, plan, verdict));
    suite.add_testcases(expectation_cases(plan, verdict));
    for (leg, of) in [("failover", &measured.failover), ("failback", &measured.failback)] {
        suite.add_testcases(stage_cases(plan, leg, of, verdict));
    }
    let mut xml = Vec::new();
    let report = ReportBuilder::new().add_testsuite(suite.build()).build();
    report.write_xml(&mut xml).map_err(|error| JunitError(error.to_string()))?;
    String::from_utf8(xml).map_err(|error| JunitError(error.to_string()))
}

fn started(events: &[Stamped]) -> OffsetDateTime {
    let wall = events.iter().find_map(|stamped| match &stamped.event {
        Event::RunStarted { wall, .. } => OffsetDateTime::parse(wall, &Rfc3339).ok(),
        _ => None,
    });
    wall.unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

fn properties(events: &[Stamped], plan: &Plan, verdict: &Verdict) -> String {
    let mut text = format!(
        "outcome: {}\nseed: {}\nspeed: {}\ncontrol: {}\n",
        verdict.outcome, plan.seed, plan.speed, plan.control
    );
    for stamped in events {
        let _ = match &stamped.event {
            Event::RunStarted { version, .. } => writeln!(text, "muster: {version}"),
            Event::LabReady { lab, ground, .. } => writeln!(text, "lab: {lab}\nground: {ground}"),
            _ => Ok(()),
        };
    }
    text += "unit of every duration in an output: seconds of lab time; of `time`: seconds of wall time\n";
    for source in &plan.sources {
        let _ = writeln!(text, "source: {} sha256 {}", source.file, source.sha256);
    }
    for line in verdict.findings.iter().map(String::as_str).chain(verdict.control_line()) {
        text += line;
        text.push('\n');
    }
    text
}

/// Whether the run itself came to a judgement: here the lab's trouble is told.
fn run_case(events: &[Stamped], plan: &Plan, verdict: &Verdict) -> TestCase {
    let name = "the run";
    // The only case that took time by itself: the others were read from it.
    let took = events.last().map_or(std::time::Duration::ZERO, |last| plan.speed.to_wall(last.at.since_start()));
    let took = Duration::try_from(took).unwrap_or(Duration::MAX);
    let trouble = match verdict.outcome {
        Outcome::Passed | Outcome::Failed => None,
        Outcome::Inconclusive => verdict.reason.as_ref().map(|_| "inconclusive"),
        Outcome::LabBroke => Some("lab broke"),
        Outcome::FaultDidNotHold => Some("fault did not hold"),
        Outcome::UndoFailed => Some("undo failed"),
        Outcome::Interrupted => Some("interrupted"),
    };
    let mut case = match trouble {
        None => TestCaseBuilder::success(name, took),
        Some(kind) => TestCaseBuilder::error(name, took, kind, &clean(verdict.reason.as_deref().unwrap_or(kind))),
    };
    case.set_classname(&clean(&format!("{}.run", plan.drill))).build()
}

fn expectation_cases(plan: &Plan, verdict: &Verdict) -> Vec<TestCase> {
    let each = verdict.expectations.iter().map(|judged| {
        let (name, why) = (clean(&judged.expectation.text), clean(&judged.explanation));
        let mut case = match judged.judgement {
            Judgement::Passed => TestCaseBuilder::success(&name, Duration::ZERO),
            Judgement::Failed => TestCaseBuilder::failure(&name, Duration::ZERO, "failed", &why),
            Judgement::Inconclusive => TestCaseBuilder::error(&name, Duration::ZERO, "inconclusive", &why),
            Judgement::NotApplicable => TestCaseBuilder::skipped_with_cause(&name, "not applicable", &why),
        };
        case.set_classname(&clean(&format!("{}.expectations", plan.drill)));
        case.set_filepath(&clean(&judged.expectation.at)).set_system_out(&why).build()
    });
    each.collect()
}

/// A stage beside its prediction. Outside is a finding, not the subject's failure: it is told in the output.
fn stage_cases(plan: &Plan, leg: &str, measured: &LegMeasured, verdict: &Verdict) -> Vec<TestCase> {
    let row = |stage: &'static str| move |row| (stage, row);
    let rows = std::iter::once(("detection", &measured.detection))
        .chain(measured.authoritative.iter().map(row("authoritative")))
        .chain(measured.resolvers.iter().map(row("resolver")))
        .chain(measured.clients.iter().map(row("client")))
        .chain(measured.totals.iter().map(row("total")));
    rows.map(|(stage, row)| stage_case(plan, leg, stage, row, verdict)).collect()
}

fn stage_case(plan: &Plan, leg: &str, stage: &str, row: &Measurement, verdict: &Verdict) -> TestCase {
    let name = clean(&format!("{leg}: {}", format!("{stage} {}", row.of).trim_end()));
    let predicted = bounds(&row.predicted);
    let told = match row.span {
        Some(span) => format!(
            "predicted {predicted}; measured {:.3} s to {:.3} s{}",
            span.least.as_secs_f64(),
            span.most.as_secs_f64(),
            if row.fit == Fit::Outside { ": OUTSIDE the prediction" } else { "" }
        ),
        None => format!("predicted {predicted}; not seen"),
    };
    let mut case = match row.fit {
        Fit::Inside | Fit::Outside => TestCaseBuilder::success(&name, Duration::ZERO),
        // A control, and a run that was cut short, have nothing to see.
        Fit::NotSeen if verdict.control || !matches!(verdict.outcome, Outcome::Passed | Outcome::Failed) => {
            TestCaseBuilder::skipped_with_cause(&name, "not seen", &told)
        }
        Fit::NotSeen => TestCaseBuilder::error(&name, Duration::ZERO, "inconclusive", &told),
        Fit::NotApplicable => TestCaseBuilder::skipped_with_cause(&name, "not applicable", "not on this ground"),
    };
    case.set_classname(&clean(&format!("{}.stages", plan.drill))).set_system_out(&told).build()
}

/// XML 1.0 has no place for most control characters, and CDATA none for its own end.
fn clean(text: &str) -> String {
    let visible: String = text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect();
    visible.replace("]]>", "]] >")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic::{self, Script, secs};
    use crate::plan::expectation::{Claim, Stage};
    use crate::timeline::measure::{measure, planned};
    use crate::verdict::judge;

    fn xml(script: &Script) -> String {
        let events = script.events();
        let (measured, verdict) = (measure(&events).unwrap(), judge(&events).unwrap());
        render(&events, planned(&events).unwrap(), &measured, &verdict).unwrap().replace("><", ">\n<")
    }

    #[test]
    fn a_passing_run_reads_like_this() {
        insta::assert_snapshot!(xml(&synthetic::passing()));
    }

    #[test]
    fn a_failed_expectation_is_a_failure_and_an_inconclusive_one_an_error() {
        let script = synthetic::passing().planned(|plan| {
            let budget = |seconds| {
                synthetic::expect(Claim::Budget { stage: Stage::Detection, of: None, at_most: secs(seconds) })
            };
            plan.expectations = vec![budget(10.0), budget(29.5)];
        });
        let xml = xml(&script);
        assert!(xml.contains(r#"errors="1" failures="1""#), "{xml}");
        assert!(xml.contains(r#"<failure type="failed""#) && xml.contains(r#"<error type="inconclusive""#), "{xml}");
    }

    #[test]
    fn the_labs_trouble_is_an_error_and_never_a_failure() {
        let script = synthetic::passing().until(100.0).add(100.0, Event::LabBroke { reason: "a checker died".into() });
        let xml = xml(&script);
        assert!(xml.contains(r#"<error type="lab broke" message="a checker died""#), "{xml}");
        assert!(xml.contains(r#"failures="0""#), "{xml}");
    }

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        assert_eq!(clean("a\u{1b}b]]>c\nd"), "a\u{fffd}b]] >c\nd");
    }
}
