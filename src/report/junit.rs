//! `JUnit` XML: a suite for each drill, a case for each expectation and for each predicted stage.
//!
//! The lab's own trouble and what could not be told are errors, never failures: a failure is the subject's.

use std::time::Duration;

use junit_report::{ReportBuilder, TestCase, TestResult, TestSuite, TestSuiteBuilder};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::journal::event::{Event, Stamped};
use crate::plan::Plan;
use crate::plan::expectation::Claim;
use crate::timeline::measure::{Fit, LegMeasured, Measured, Measurement};
use crate::verdict::wording::bounds;
use crate::verdict::{Judged, Judgement, Outcome, Verdict, spoken_of};

use super::figures::Figures;
use super::junit_properties::{self, Additions, PropertiesError, Property};
use super::xml_text::{held, in_cdata};

/// A run that cannot be told in XML.
#[derive(Debug, thiserror::Error)]
pub enum JunitError {
    /// The suites cannot be written.
    #[error("the JUnit report cannot be written: {0}")]
    Write(#[from] junit_report::Error),
    /// What was written is no text.
    #[error("the JUnit report cannot be written: {0}")]
    Text(#[from] std::string::FromUtf8Error),
    /// Their properties cannot be added.
    #[error("the JUnit report cannot be written: {0}")]
    Properties(#[from] PropertiesError),
}

/// What one drill says in a report.
#[derive(Clone, Debug)]
pub struct Suite {
    written: TestSuite,
    /// To the suite itself.
    added: Additions,
    /// To each of its cases.
    added_to_cases: Vec<Additions>,
}

/// A case, and what junit-report cannot write of it.
pub(super) struct Case {
    written: TestCase,
    properties: Vec<Property>,
}

/// The report of several drills, in their order; `name` is that of the drill, or of the campaign.
///
/// # Errors
/// When the XML cannot be made.
pub fn render(name: &str, suites: impl IntoIterator<Item = Suite>) -> Result<String, JunitError> {
    let (mut report, mut suites_and_cases) = (ReportBuilder::new(), Vec::new());
    let [mut tests, mut failures, mut errors] = [0; 3];
    for suite in suites {
        tests += suite.written.tests();
        failures += suite.written.failures();
        errors += suite.written.errors();
        suites_and_cases.push(suite.added);
        suites_and_cases.extend(suite.added_to_cases);
        report.add_testsuite(suite.written);
    }
    let whole = Additions::default().set("name", name).set("tests", &tests);
    let mut additions = vec![whole.set("failures", &failures).set("errors", &errors)];
    additions.append(&mut suites_and_cases);
    let mut xml = Vec::new();
    report.build().write_xml(&mut xml)?;
    Ok(junit_properties::add(&String::from_utf8(xml)?, &additions)?)
}

impl Suite {
    /// The suite of a run that came to a verdict.
    #[must_use]
    pub fn of(events: &[Stamped], plan: &Plan, measured: &Measured, verdict: &Verdict) -> Self {
        let mut cases = vec![run_case(events, plan, verdict)];
        cases.extend(verdict.expectations.iter().map(|judged| expectation_case(plan, measured, judged)));
        for (leg, of) in [("failover", &measured.failover), ("failback", &measured.failback)] {
            cases.extend(stage_cases(plan, leg, of, verdict));
        }
        let mut suite = Self::new(&plan.drill, started(events), cases);
        suite.added.add(properties(events, plan, verdict));
        suite
    }

    /// The suite of a drill that came to no verdict: one error of this kind, and why.
    #[must_use]
    pub fn without_verdict(drill: &str, kind: &str, why: &str) -> Self {
        Self::new(drill, None, vec![Case::new(&format!("{drill}.run"), THE_RUN, error(kind, why))])
    }

    /// One more property of the whole suite.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.added.add([Property::new(name, value)]);
        self
    }

    pub(super) fn new(name: &str, started: Option<OffsetDateTime>, cases: Vec<Case>) -> Self {
        let mut suite = TestSuiteBuilder::new(&held(name));
        // The crate always writes a time, by default that of now: one that nobody knows is left out again.
        suite.set_timestamp(started.unwrap_or(OffsetDateTime::UNIX_EPOCH));
        let mut added_to_cases = Vec::new();
        for Case { written, properties } in cases {
            suite.add_testcase(written);
            added_to_cases.push(Additions::from(properties));
        }
        let written = suite.build();
        let mut added = Additions::default().set("skipped", &written.skipped());
        if started.is_none() {
            added = added.leave_out("timestamp");
        }
        Self { written, added, added_to_cases }
    }
}

impl Case {
    /// A case that took no time by itself.
    pub(super) fn new(class: &str, name: &str, result: TestResult) -> Self {
        let mut written = TestCase::success(&held(name), junit_report::Duration::ZERO);
        written.result = result;
        written.set_classname(&held(class));
        Self { written, properties: Vec::new() }
    }

    /// It took so long, on the wall clock.
    pub(super) fn took(mut self, wall: Duration) -> Self {
        self.written.time = wall.try_into().unwrap_or(junit_report::Duration::MAX);
        self
    }

    /// What is told beside the result.
    pub(super) fn with_output(mut self, text: &str) -> Self {
        self.written.set_system_out(&in_cdata(text));
        self
    }
}

/// The case that says whether the run itself came to a judgement: here the lab's trouble is told.
const THE_RUN: &str = "the run";

/// Wall time.
fn started(events: &[Stamped]) -> Option<OffsetDateTime> {
    events.iter().find_map(|stamped| match &stamped.event {
        Event::RunStarted { wall, .. } => OffsetDateTime::parse(wall, &Rfc3339).ok(),
        _ => None,
    })
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

pub(super) fn failure(kind: &str, why: &str) -> TestResult {
    TestResult::Failure { type_: held(kind), message: held(why), cause: None }
}

pub(super) fn error(kind: &str, why: &str) -> TestResult {
    TestResult::Error { type_: held(kind), message: held(why), cause: None }
}

pub(super) fn skipped(kind: &str, why: &str) -> TestResult {
    TestResult::SkippedWithCause { type_: held(kind), message: held(why), cause: None }
}

fn run_case(events: &[Stamped], plan: &Plan, verdict: &Verdict) -> Case {
    let trouble = match verdict.outcome {
        Outcome::Passed | Outcome::Failed => None,
        Outcome::Inconclusive => verdict.reason.as_ref().map(|_| "inconclusive"),
        Outcome::LabBroke => Some("lab broke"),
        Outcome::FaultDidNotHold => Some("fault did not hold"),
        Outcome::UndoFailed => Some("undo failed"),
        Outcome::Interrupted => Some("interrupted"),
    };
    let result = trouble.map_or(TestResult::Success, |kind| error(kind, verdict.reason.as_deref().unwrap_or(kind)));
    let case = Case::new(&format!("{}.run", plan.drill), THE_RUN, result);
    // The only case that took time by itself, wall time: the others were read from it.
    let took = events.last().map_or(Duration::ZERO, |last| plan.speed.to_wall(last.at.since_start()));
    case.took(took)
}

fn expectation_case(plan: &Plan, measured: &Measured, judged: &Judged) -> Case {
    let why = &judged.explanation;
    let result = match judged.judgement {
        Judgement::Passed => TestResult::Success,
        Judgement::Failed => failure("failed", why),
        Judgement::Inconclusive => error("inconclusive", why),
        Judgement::NotApplicable => skipped("not applicable", why),
    };
    let mut case =
        Case::new(&format!("{}.expectations", plan.drill), &judged.expectation.text, result).with_output(why);
    case.written.set_filepath(&held(&judged.expectation.at));
    if let Claim::Budget { stage, of, at_most } = &judged.expectation.claim {
        case.properties.push(seconds("budget-seconds", *at_most));
        let rows = spoken_of(measured.leg(judged.expectation.during), *stage, of.as_deref());
        case.properties.extend(Figures::longest(rows).iter().flat_map(figures));
    }
    case
}

/// A stage beside its prediction. Outside is a finding, not the subject's failure: it is told in the output.
fn stage_cases(plan: &Plan, leg: &str, measured: &LegMeasured, verdict: &Verdict) -> Vec<Case> {
    let row = |stage: &'static str| move |row| (stage, row);
    let rows = std::iter::once(("detection", &measured.detection))
        .chain(measured.authoritative.iter().map(row("authoritative")))
        .chain(measured.resolvers.iter().map(row("resolver")))
        .chain(measured.clients.iter().map(row("client")))
        .chain(measured.totals.iter().map(row("total")));
    rows.map(|(stage, row)| stage_case(plan, leg, stage, row, verdict)).collect()
}

fn stage_case(plan: &Plan, leg: &str, stage: &str, row: &Measurement, verdict: &Verdict) -> Case {
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
    let result = match row.fit {
        Fit::Inside | Fit::Outside => TestResult::Success,
        // A control, and a run that was cut short, have nothing to see.
        Fit::NotSeen if verdict.control || !matches!(verdict.outcome, Outcome::Passed | Outcome::Failed) => {
            skipped("not seen", &told)
        }
        Fit::NotSeen => error("inconclusive", &told),
        Fit::NotApplicable => skipped("not applicable", "not on this ground"),
    };
    let mut case = Case::new(&format!("{}.stages", plan.drill), &name, result).with_output(&told);
    case.properties = figures(&Figures::of(row));
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
    use crate::report::junit_properties::element::Element;
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
        assert!(xml.contains(r#"<failure type="failed""#) && xml.contains(r#"<error type="inconclusive""#), "{xml}");
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
        assert!(xml.contains(r#"<error type="lab broke" message="a checker died"/>"#), "{xml}");
        assert!(xml.contains(r#"failures="0""#), "{xml}");
    }

    #[test]
    fn several_drills_are_one_report_with_a_suite_each() {
        let none = Suite::without_verdict("region-down", "lab broke", "ended by signal 9").with("repeated", "true");
        let xml = render("quarterly", [suite(&synthetic::passing()), none]).unwrap();
        assert!(xml.contains(r#"<testsuites name="quarterly""#), "{xml}");
        assert_eq!(xml.matches("<testsuite ").count(), 2, "{xml}");
        let (_, second) = xml.split_once(r#"<testsuite id="1" name="region-down""#).unwrap();
        insta::assert_snapshot!(second);
    }

    #[test]
    fn what_xml_cannot_hold_is_left_out() {
        let suite = Suite::without_verdict("a\u{1}b", "lab broke", "\u{1b}[31mred\u{1b}[0m & ]]> <x>");
        let xml = render("a", [suite]).unwrap();
        assert!(xml.contains(r#"<testsuite id="0" name="ab""#), "{xml}");
        assert!(xml.contains(r#"message="red &amp; ]]&gt; &lt;x&gt;""#), "{xml}");
    }

    #[test]
    fn a_reader_finds_every_case_with_its_own_properties() {
        let script = synthetic::passing().planned(|plan| plan.expectations = vec![budget(40.0), budget(10.0)]);
        let none = Suite::without_verdict("region-down", "lab broke", "ended by signal 9").with("repeated", "true");
        let root = Element::read(&render("quarterly", [suite(&script), none]).unwrap());
        let totals = ["name", "tests", "failures", "errors"].map(|name| root.attributes[name].as_str());
        let [first, second] = root.all("testsuite")[..] else { panic!("{root:?}") };

        let events = script.events();
        let measured = measure(&events).unwrap();
        let stages: Vec<&Measurement> = [&measured.failover, &measured.failback]
            .into_iter()
            .flat_map(|leg| {
                let others = [&leg.resolvers, &leg.clients, &leg.totals].into_iter().flatten();
                std::iter::once(&leg.detection).chain(&leg.authoritative).chain(others)
            })
            .collect();
        let cases = first.all("testcase");
        assert_eq!(cases.len(), 1 + 2 + stages.len());
        assert_eq!(totals, ["quarterly", &(cases.len() + 1).to_string(), "1", "1"]);
        assert_eq!(first.properties()[..2], [("outcome", "failed"), ("seed", "7")]);
        assert_eq!(cases[0].properties(), []);
        for (case, limit) in [(cases[1], "40.000"), (cases[2], "10.000")] {
            assert_eq!(case.properties()[0], ("budget-seconds", limit));
            assert_eq!(case.properties().len(), 5);
        }
        for (case, row) in cases[3..].iter().zip(stages) {
            assert!(case.attributes["name"].ends_with(&row.of), "{case:?}");
            let seconds = |duration: Duration| format!("{:.3}", duration.as_secs_f64());
            let (worst, span) = (row.predicted.worst.unwrap(), row.span.unwrap());
            let expected = [row.predicted.best, worst, span.least, span.most].map(seconds);
            assert_eq!(case.properties().iter().map(|(_, value)| *value).collect::<Vec<_>>(), expected, "{case:?}");
        }

        assert_eq!(second.properties(), [("repeated", "true")]);
        assert_eq!(second.all("testcase").len(), 1);
        assert_eq!(second.all("testcase")[0].properties(), []);
    }

    #[test]
    fn the_time_of_a_run_is_that_of_its_journal_and_a_drill_that_left_none_has_none() {
        let none = Suite::without_verdict("region-down", "lab broke", "ended by signal 9");
        let root = Element::read(&render("a", [suite(&synthetic::passing()), none]).unwrap());
        let times: Vec<_> = root.all("testsuite").iter().map(|suite| suite.attributes.get("timestamp")).collect();
        assert_eq!(times, [Some(&"2026-03-01T12:00:00Z".to_owned()), None]);
    }
}
