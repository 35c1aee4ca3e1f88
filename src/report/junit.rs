//! `JUnit` XML: a suite for each drill, a case for each expectation and for each predicted stage.
//!
//! The lab's own trouble and what could not be told are errors, never failures: a failure is the subject's.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use crate::journal::event::{Event, Stamped};
use crate::plan::Plan;
use crate::plan::expectation::Claim;
use crate::timeline::measure::{Fit, LegMeasured, Measured, Measurement};
use crate::verdict::wording::bounds;
use crate::verdict::{Judged, Judgement, Outcome, Verdict, spoken_of};

use super::figures::Figures;

/// A run that cannot be told in XML.
#[derive(Debug, thiserror::Error)]
#[error("the JUnit report cannot be written: {0}")]
pub struct JunitError(#[from] quick_junit::SerializeError);

/// What one drill says in a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite(TestSuite);

/// The report of several drills, in their order; `name` is that of the drill, or of the campaign.
///
/// # Errors
/// When the XML cannot be made.
pub fn render(name: &str, suites: impl IntoIterator<Item = Suite>) -> Result<String, JunitError> {
    let mut report = Report::new(name);
    report.add_test_suites(suites.into_iter().map(|suite| suite.0));
    Ok(report.to_string()?)
}

impl Suite {
    /// The suite of a run that came to a verdict.
    #[must_use]
    pub fn of(events: &[Stamped], plan: &Plan, measured: &Measured, verdict: &Verdict) -> Self {
        let mut suite = TestSuite::new(&plan.drill);
        if let Some(started) = started(events) {
            // As the journal has it, RFC 3339; the crate's own field wants a date type of its own.
            suite.extra.insert("timestamp".into(), started.into());
        }
        suite.set_time(took(events, plan)).add_properties(properties(events, plan, verdict));
        suite.add_test_case(run_case(events, plan, verdict));
        suite.add_test_cases(verdict.expectations.iter().map(|judged| expectation_case(plan, measured, judged)));
        for (leg, of) in [("failover", &measured.failover), ("failback", &measured.failback)] {
            suite.add_test_cases(stage_cases(plan, leg, of, verdict));
        }
        Self(suite)
    }

    /// The suite of a drill that came to no verdict: one error of this kind, and why.
    #[must_use]
    pub fn without_verdict(drill: &str, kind: &str, why: &str) -> Self {
        let mut suite = TestSuite::new(drill);
        suite.add_test_case(case(format!("{drill}.run"), THE_RUN, error(kind, why)));
        Self(suite)
    }

    /// One more property of the whole suite.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.add_property((name, value));
        self
    }
}

/// The case that says whether the run itself came to a judgement: here the lab's trouble is told.
const THE_RUN: &str = "the run";

fn started(events: &[Stamped]) -> Option<&str> {
    events.iter().find_map(|stamped| match &stamped.event {
        Event::RunStarted { wall, .. } => Some(wall.as_str()),
        _ => None,
    })
}

/// Wall time.
fn took(events: &[Stamped], plan: &Plan) -> Duration {
    events.last().map_or(Duration::ZERO, |last| plan.speed.to_wall(last.at.since_start()))
}

fn properties(events: &[Stamped], plan: &Plan, verdict: &Verdict) -> Vec<Property> {
    let mut all = vec![
        Property::new("outcome", verdict.outcome.to_string()),
        Property::new("seed", plan.seed.to_string()),
        Property::new("speed", plan.speed.to_string()),
        Property::new("control", plan.control.to_string()),
    ];
    for stamped in events {
        match &stamped.event {
            Event::RunStarted { version, .. } => all.push(Property::new("muster", version)),
            Event::LabReady { lab, ground, .. } => {
                all.extend([Property::new("lab", lab), Property::new("ground", ground)]);
            }
            _ => {}
        }
    }
    all.push(Property::new("unit of every property in seconds", "lab time; of `time`: wall time"));
    let source = |source: &crate::plan::Source| Property::new(format!("sha256 of {}", source.file), &source.sha256);
    all.extend(plan.sources.iter().map(source));
    all.extend(verdict.findings.iter().map(|finding| Property::new("beside the prediction", finding)));
    all.extend(verdict.control_line().map(|line| Property::new("control line", line)));
    all
}

fn case(class: String, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(name, status);
    case.set_classname(class);
    case
}

fn non_success(status: NonSuccessKind, kind: &str, why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(status);
    status.set_type(kind).set_message(why);
    status
}

fn error(kind: &str, why: &str) -> TestCaseStatus {
    non_success(NonSuccessKind::Error, kind, why)
}

fn skipped(kind: &str, why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_type(kind).set_message(why);
    status
}

fn run_case(events: &[Stamped], plan: &Plan, verdict: &Verdict) -> TestCase {
    let trouble = match verdict.outcome {
        Outcome::Passed | Outcome::Failed => None,
        Outcome::Inconclusive => verdict.reason.as_ref().map(|_| "inconclusive"),
        Outcome::LabBroke => Some("lab broke"),
        Outcome::FaultDidNotHold => Some("fault did not hold"),
        Outcome::UndoFailed => Some("undo failed"),
        Outcome::Interrupted => Some("interrupted"),
    };
    let status =
        trouble.map_or_else(TestCaseStatus::success, |kind| error(kind, verdict.reason.as_deref().unwrap_or(kind)));
    let mut case = case(format!("{}.run", plan.drill), THE_RUN, status);
    // The only case that took time by itself: the others were read from it.
    case.set_time(took(events, plan));
    case
}

fn expectation_case(plan: &Plan, measured: &Measured, judged: &Judged) -> TestCase {
    let why = &judged.explanation;
    let status = match judged.judgement {
        Judgement::Passed => TestCaseStatus::success(),
        Judgement::Failed => non_success(NonSuccessKind::Failure, "failed", why),
        Judgement::Inconclusive => error("inconclusive", why),
        Judgement::NotApplicable => skipped("not applicable", why),
    };
    let mut case = case(format!("{}.expectations", plan.drill), &judged.expectation.text, status);
    case.extra.insert("file".into(), judged.expectation.at.as_str().into());
    if let Claim::Budget { stage, of, at_most } = &judged.expectation.claim {
        case.add_property(seconds("budget-seconds", *at_most));
        let rows = spoken_of(measured.leg(judged.expectation.during), *stage, of.as_deref());
        case.add_properties(Figures::longest(rows).iter().flat_map(figures));
    }
    case.set_system_out(why);
    case
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
    let name = format!("{leg}: {}", format!("{stage} {}", row.of).trim_end());
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
    let status = match row.fit {
        Fit::Inside | Fit::Outside => TestCaseStatus::success(),
        // A control, and a run that was cut short, have nothing to see.
        Fit::NotSeen if verdict.control || !matches!(verdict.outcome, Outcome::Passed | Outcome::Failed) => {
            skipped("not seen", &told)
        }
        Fit::NotSeen => error("inconclusive", &told),
        Fit::NotApplicable => skipped("not applicable", "not on this ground"),
    };
    let mut case = case(format!("{}.stages", plan.drill), &name, status);
    case.add_properties(figures(&Figures::of(row)));
    case.set_system_out(told);
    case
}

/// Predicted and measured seconds of lab time. What has no end, and what was not seen, has no property.
fn figures(of: &Figures) -> Vec<Property> {
    let mut all = vec![seconds("predicted-best-seconds", of.predicted.best)];
    all.extend(of.predicted.worst.map(|worst| seconds("predicted-worst-seconds", worst)));
    if let Some(span) = of.measured {
        all.extend([seconds("measured-least-seconds", span.least), seconds("measured-most-seconds", span.most)]);
    }
    all
}

fn seconds(name: &str, duration: Duration) -> Property {
    Property::new(name, format!("{:.3}", duration.as_secs_f64()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic::{self, Script, secs};
    use crate::plan::expectation::Stage;
    use crate::timeline::measure::{measure, planned};
    use crate::verdict::judge;

    fn suite(script: &Script) -> Suite {
        let events = script.events();
        let (measured, verdict) = (measure(&events).unwrap(), judge(&events).unwrap());
        Suite::of(&events, planned(&events).unwrap(), &measured, &verdict)
    }

    fn xml(script: &Script) -> String {
        render("database-down", [suite(script)]).unwrap()
    }

    fn budget(seconds: f64) -> crate::plan::expectation::Expectation {
        synthetic::expect(Claim::Budget { stage: Stage::Detection, of: None, at_most: secs(seconds) })
    }

    #[test]
    fn a_passing_run_reads_like_this() {
        insta::assert_snapshot!(xml(&synthetic::passing()));
    }

    #[test]
    fn a_failed_expectation_is_a_failure_and_an_inconclusive_one_an_error() {
        let script = synthetic::passing().planned(|plan| plan.expectations = vec![budget(10.0), budget(29.5)]);
        let xml = xml(&script);
        assert!(xml.contains(r#"errors="1" failures="1""#), "{xml}");
        assert!(xml.contains(r#" type="failed"/>"#) && xml.contains(r#" type="inconclusive"/>"#), "{xml}");
    }

    #[test]
    fn a_budget_tells_its_limit_and_the_stage_that_it_speaks_of_in_seconds() {
        let script = synthetic::passing().planned(|plan| plan.expectations = vec![budget(40.0)]);
        let xml = xml(&script);
        let (_, budget) = xml.split_once(r#"<property name="budget-seconds" value="40.000"/>"#).unwrap();
        let (case, _) = budget.split_once("</testcase>").unwrap();
        for (name, value) in [
            ("predicted-best-seconds", "15.000"),
            ("predicted-worst-seconds", "30.000"),
            ("measured-least-seconds", "29.200"),
            ("measured-most-seconds", "29.900"),
        ] {
            assert!(case.contains(&format!(r#"<property name="{name}" value="{value}"/>"#)), "{case}");
        }
    }

    #[test]
    fn the_labs_trouble_is_an_error_and_never_a_failure() {
        let script = synthetic::passing().until(100.0).add(100.0, Event::LabBroke { reason: "a checker died".into() });
        let xml = xml(&script);
        assert!(xml.contains(r#"<error message="a checker died" type="lab broke"/>"#), "{xml}");
        assert!(xml.contains(r#"failures="0""#), "{xml}");
    }

    #[test]
    fn several_drills_are_one_report_with_a_suite_each() {
        let none = Suite::without_verdict("region-down", "lab broke", "ended by signal 9").with("repeated", "true");
        let xml = render("quarterly", [suite(&synthetic::passing()), none]).unwrap();
        assert!(xml.contains(r#"<testsuites name="quarterly""#), "{xml}");
        assert_eq!(xml.matches("<testsuite name=").count(), 2, "{xml}");
        let (_, second) = xml.split_once(r#"<testsuite name="region-down""#).unwrap();
        insta::assert_snapshot!(second);
    }

    #[test]
    fn what_xml_cannot_hold_is_left_out() {
        let suite = Suite::without_verdict("a\u{1}b", "lab broke", "\u{1b}[31mred\u{1b}[0m & ]]> <x>");
        let xml = render("a", [suite]).unwrap();
        assert!(xml.contains(r#"<testsuite name="ab""#), "{xml}");
        assert!(xml.contains(r#"message="red &amp; ]]&gt; &lt;x&gt;""#), "{xml}");
    }
}
