//! What a drill that ran in a process of its own has to say: its exit code, and its journal judged again.

use std::path::Path;
use std::time::Duration;

use crate::journal::event::Event;
use crate::journal::{Reading, read};
use crate::plan::{LegPrediction, Plan};
use crate::report::figures::{Figures, longest, those_that_end};
use crate::report::junit::Suite;
use crate::timeline::measure::{LegMeasured, Measured, Measurement, measure, planned};
use crate::verdict::{ExitCode, Judgement, Outcome, Verdict, judge};

use super::child::{Ended, How};
use super::summary::DrillSummary;
use crate::verdict::FirstTry;

/// One drill, told.
#[derive(Clone, Debug)]
pub(super) struct Told {
    /// Its line in the campaign's summary.
    pub(super) summary: DrillSummary,
    /// Its suite in the campaign's report.
    pub(super) suite: Suite,
}

/// A journal that was judged again.
struct Judged {
    reading: Reading,
    measured: Measured,
    verdict: Verdict,
}

impl Told {
    /// Of a drill whose process is over. `folder` is what it left.
    pub(super) fn of(plan: &Plan, file: &Path, ended: &Ended, folder: Option<&Path>) -> Self {
        let (code, trouble) = code(ended);
        let judged = folder.ok_or_else(|| "it left no folder".to_owned()).and_then(judged);
        let mut summary = unmeasured(plan, file, code, ended.took);
        summary.folder = folder.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let mismatch = match &judged {
            // A process that crashed leaves a journal as well; what it would be judged as says nothing of the crash.
            Ok(judged) if trouble.is_none() && ExitCode::from(judged.verdict.outcome) == code => {
                summary.measured(judged);
                let events = &judged.reading.events;
                let plan = planned(events).unwrap_or(plan);
                let suite = Suite::of(events, plan, &judged.measured, &judged.verdict);
                return Self { summary, suite };
            }
            Ok(judged) => format!("its journal says: {}", judged.verdict.outcome),
            Err(problem) => problem.clone(),
        };
        // A pass that cannot be looked up is none.
        if matches!(code, ExitCode::Passed | ExitCode::Failed | ExitCode::Inconclusive) {
            summary.exit_code = ExitCode::LabBroke;
        }
        let said = (!ended.said.is_empty()).then(|| ended.said.clone());
        let why = trouble.into_iter().chain(said).reduce(|a, b| format!("{a}: {b}"));
        summary.without_verdict(why.unwrap_or_else(|| format!("exit code {}, and {mismatch}", code.number())))
    }

    /// Of a drill that was never started, because the campaign was stopped before.
    pub(super) fn not_started(plan: &Plan, file: &Path, signal: &str) -> Self {
        let summary = unmeasured(plan, file, ExitCode::Interrupted, Duration::ZERO);
        summary.without_verdict(format!("not started: the campaign was stopped by {signal}"))
    }

    /// With what the same drill said the first time.
    pub(super) fn after(mut self, first: &DrillSummary) -> Self {
        let folder = first.folder.clone().unwrap_or_default();
        self.suite = self.suite.with("repeated after", &folder);
        self.summary.first_try = Some(FirstTry { folder: first.folder.clone(), reason: first.reason.clone() });
        self
    }
}

/// The exit code of a process that is over; and what went wrong, when that is not for the drill itself to say.
pub(super) fn code(ended: &Ended) -> (ExitCode, Option<String>) {
    match &ended.how {
        How::Lost(error) => (ExitCode::LabBroke, Some(format!("no process for the drill: {error}"))),
        How::Overdue(limit) => {
            let trouble = format!("the drill did not end within {} s and was stopped", limit.as_secs());
            (ExitCode::LabBroke, Some(trouble))
        }
        How::Exited(status) => match status.code().and_then(ExitCode::of_number) {
            Some(code) => (code, None),
            None => (ExitCode::LabBroke, Some(format!("the drill's process crashed ({status})"))),
        },
        How::Stopped(Err(limit)) => {
            let trouble = format!("did not end within {} s of being told to, and was killed", limit.as_secs());
            (ExitCode::Interrupted, Some(trouble))
        }
        How::Stopped(Ok(status)) => match status.code().and_then(ExitCode::of_number) {
            Some(code) => (code, None),
            None => (ExitCode::Interrupted, Some("stopped before anything was started".to_owned())),
        },
    }
}

fn judged(folder: &Path) -> Result<Judged, String> {
    let reading = read(&folder.join("journal.jsonl")).map_err(|error| error.to_string())?;
    let measured = measure(&reading.events).map_err(|error| error.to_string())?;
    let verdict = judge(&reading.events).map_err(|error| error.to_string())?;
    Ok(Judged { reading, measured, verdict })
}

/// What is known of a drill without its journal.
fn unmeasured(plan: &Plan, file: &Path, code: ExitCode, took: Duration) -> DrillSummary {
    let predicted: &LegPrediction = &plan.prediction.failover;
    let unseen = |predicted| Figures { predicted, measured: None };
    let totals: Vec<_> = predicted.totals.values().copied().collect();
    DrillSummary {
        drill: plan.drill.clone(),
        file: file.display().to_string(),
        outcome: code.outcome(),
        reason: None,
        exit_code: code,
        seed: plan.seed,
        speed: plan.speed.factor(),
        ground: None,
        folder: None,
        wall_seconds: took,
        detection: unseen(predicted.detection),
        longest_total: longest(those_that_end(&totals, |bounds| bounds)).map(unseen),
        findings: 0,
        journal_chain: None,
        first_try: None,
    }
}

impl DrillSummary {
    fn measured(&mut self, judged: &Judged) {
        let leg: &LegMeasured = &judged.measured.failover;
        let totals: Vec<&Measurement> = leg.totals.iter().collect();
        self.detection = Figures::of(&leg.detection);
        self.longest_total = Figures::longest(those_that_end(&totals, |row| row.predicted));
        self.findings = judged.verdict.findings.len();
        self.reason = why(&judged.verdict);
        self.journal_chain = Some(judged.reading.chain.to_string());
        self.ground = judged.reading.events.iter().find_map(|stamped| match &stamped.event {
            Event::LabReady { ground, .. } => Some(ground.clone()),
            _ => None,
        });
    }

    fn without_verdict(mut self, why: String) -> Told {
        self.outcome = self.exit_code.outcome();
        let kind = self.outcome.map_or_else(|| "cannot be run".to_owned(), |outcome| outcome.to_string());
        let suite = Suite::without_verdict(&self.drill, &kind, &why);
        self.reason = Some(why);
        Told { summary: self, suite }
    }
}

/// Why a run did not pass, in one line.
fn why(verdict: &Verdict) -> Option<String> {
    let count = |wanted| verdict.expectations.iter().filter(|judged| judged.judgement == wanted).count();
    let all = verdict.expectations.len();
    verdict.reason.clone().or_else(|| match verdict.outcome {
        Outcome::Failed => Some(format!("{} of {all} expectations were not met", count(Judgement::Failed))),
        Outcome::Inconclusive => {
            Some(format!("{} of {all} expectations could not be told", count(Judgement::Inconclusive)))
        }
        _ => None,
    })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;
    use crate::journal::synthetic::{self, Script};
    use crate::report::junit;

    fn exited(code: i32) -> How {
        How::Exited(ExitStatus::from_raw(code << 8))
    }

    /// What is told of a script whose process ended so.
    fn told(script: &Script, how: How, said: &str) -> Told {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("journal.jsonl"), script.text()).unwrap();
        let ended = Ended { how, said: said.to_owned(), took: Duration::from_secs(20) };
        Told::of(&script.plan, Path::new("drills/database-down.yaml"), &ended, Some(folder.path()))
    }

    fn xml(told: &Told) -> String {
        junit::render("a", [told.suite.clone()]).unwrap()
    }

    #[test]
    fn a_drill_that_ended_by_itself_is_told_from_its_journal() {
        let told = told(&synthetic::passing(), exited(0), "");
        assert_eq!((told.summary.exit_code, told.summary.reason.as_deref()), (ExitCode::Passed, None));
        assert!(told.summary.detection.measured.is_some() && told.summary.journal_chain.is_some());
        assert_eq!(told.summary.longest_total.unwrap().predicted, synthetic::bounds(15.0, 95.0));
        assert!(xml(&told).contains(r#"tests="18""#), "{}", xml(&told));
    }

    #[test]
    fn a_crash_is_the_labs_trouble_whatever_the_journal_says() {
        for how in [How::Exited(ExitStatus::from_raw(9)), exited(101)] {
            let told = told(&synthetic::passing(), how, "error: out of memory");
            assert_eq!(told.summary.exit_code, ExitCode::LabBroke);
            let reason = told.summary.reason.clone().unwrap();
            assert!(
                reason.starts_with("the drill's process crashed (") && reason.contains("out of memory"),
                "{reason}"
            );
            assert!(
                xml(&told).contains(r#"errors="1""#) && xml(&told).contains(r#"type="lab broke""#),
                "{}",
                xml(&told)
            );
        }
    }

    #[test]
    fn a_pass_whose_journal_says_otherwise_or_is_gone_is_none() {
        let other = told(&synthetic::control(), exited(0), "");
        assert_eq!(other.summary.exit_code, ExitCode::LabBroke);
        assert_eq!(other.summary.reason.as_deref(), Some("exit code 0, and its journal says: failed"));

        let ended = Ended { how: exited(0), said: String::new(), took: Duration::ZERO };
        let gone = Told::of(&synthetic::passing().plan, Path::new("d.yaml"), &ended, None);
        assert_eq!(gone.summary.reason.as_deref(), Some("exit code 0, and it left no folder"));
        assert_eq!(gone.summary.outcome, Some(Outcome::LabBroke));
    }

    #[test]
    fn a_drill_that_cannot_be_run_says_why() {
        let told = told(&synthetic::passing(), exited(2), "error: no network namespace on this machine");
        assert_eq!((told.summary.exit_code, told.summary.outcome), (ExitCode::CannotRun, None));
        assert_eq!(told.summary.reason.as_deref(), Some("error: no network namespace on this machine"));
        assert!(xml(&told).contains(r#"type="cannot be run""#), "{}", xml(&told));
    }

    #[test]
    fn who_was_stopped_is_interrupted_and_never_broken() {
        let plan = synthetic::passing().plan;
        for status in [Err(Duration::from_secs(10)), Ok(ExitStatus::from_raw(15))] {
            let ended = Ended { how: How::Stopped(status), said: String::new(), took: Duration::ZERO };
            let told = Told::of(&plan, Path::new("d.yaml"), &ended, None);
            assert_eq!(told.summary.outcome, Some(Outcome::Interrupted), "{:?}", told.summary.reason);
        }
        let never = Told::not_started(&plan, Path::new("d.yaml"), "SIGINT");
        assert_eq!(never.summary.exit_code, ExitCode::Interrupted);
    }

    #[test]
    fn who_took_too_long_is_the_labs_trouble() {
        let ended = Ended { how: How::Overdue(Duration::from_secs(90)), said: String::new(), took: Duration::ZERO };
        let told = Told::of(&synthetic::passing().plan, Path::new("d.yaml"), &ended, None);
        assert_eq!(told.summary.exit_code, ExitCode::LabBroke);
        assert_eq!(told.summary.reason.as_deref(), Some("the drill did not end within 90 s and was stopped"));
    }

    #[test]
    fn a_second_try_tells_of_the_first() {
        let first = told(&synthetic::passing(), exited(3), "").summary;
        let told = told(&synthetic::passing(), exited(0), "").after(&first);
        assert_eq!(told.summary.first_try.unwrap().folder, first.folder);
        assert!(junit::render("a", [told.suite]).unwrap().contains(r#"<property name="repeated after""#));
    }
}
