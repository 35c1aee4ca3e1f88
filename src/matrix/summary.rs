//! The matrix in numbers, and with which exit code it ends. Key names are stable.

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::clock::seconds;
use crate::journal::event::Stamped;
use crate::verdict::{ExitCode, FirstTry, Outcome, ending, judge};

use super::entrants::{Client, Resolver};
use super::told::{Standing, Told};

/// The matrix in numbers. Times are lab seconds, except where they are said to be of the wall clock.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatrixSummary {
    /// The drill that it was made of.
    pub drill: String,
    /// Its title.
    pub title: String,
    /// As a drill's: `passed` when everything is as predicted.
    pub outcome: Option<Outcome>,
    /// Why, in words.
    pub reason: String,
    /// What the shell sees.
    #[serde(serialize_with = "number")]
    pub exit_code: ExitCode,
    /// The fault was left out.
    pub control: bool,
    /// RFC 3339: the wall clock when the first run was started.
    pub started: String,
    /// How long all of it took, by the wall clock.
    #[serde(with = "seconds")]
    pub wall_seconds: Duration,
    /// muster's version.
    pub version: String,
    /// One run for each resolver, with every client in it.
    pub resolvers: Vec<ResolverSummary>,
}

/// A resolver and its clients.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResolverSummary {
    /// Its name.
    pub resolver: &'static str,
    /// Its program.
    pub software: &'static str,
    /// The number of the rule that says what it does.
    pub rule: &'static str,
    /// As a drill's: `passed` when everything in this run is as predicted.
    pub outcome: Option<Outcome>,
    /// Why, where it is not.
    pub reason: Option<String>,
    /// What a matrix of this resolver alone would end with.
    #[serde(serialize_with = "number")]
    pub exit_code: ExitCode,
    /// What every random choice came from.
    pub seed: u64,
    /// Lab seconds per wall second.
    pub speed: f64,
    /// The name of the run's folder in the matrix's; null when it left none.
    pub folder: Option<String>,
    /// What was measured; null when the run left nothing that could be read.
    pub told: Option<Told>,
    /// What it said the first time, when it was run once more at half the speed.
    pub first_try: Option<FirstTry>,
}

/// How a resolver was run, and what is left of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// What every random choice came from.
    pub seed: u64,
    /// Lab seconds per wall second.
    pub speed: f64,
    /// The name of the run's folder.
    pub folder: Option<String>,
    /// What is left.
    pub left: Left,
}

/// What is left of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Left {
    /// Its journal.
    Journal(Vec<Stamped>),
    /// Nothing that could be read; why, for people.
    Nothing(String),
    /// It never began, or was stopped before it had.
    NotRun,
}

impl ResolverSummary {
    /// Of a run that is over.
    #[must_use]
    pub fn of(resolver: &Resolver, clients: &[&'static Client], ran: Ran, control: bool) -> Self {
        let (told, exit_code, reason) = match &ran.left {
            Left::NotRun => (None, ExitCode::Interrupted, Some("not run: the matrix was stopped before".to_owned())),
            Left::Nothing(why) => (None, ExitCode::LabBroke, Some(why.clone())),
            Left::Journal(events) => match (judge(events), Told::of(events, resolver, clients)) {
                (Ok(verdict), Ok(told)) => {
                    let (code, reason) = match verdict.outcome {
                        Outcome::Passed | Outcome::Failed => {
                            standing(resolver, &told, control, verdict.outcome == Outcome::Passed)
                        }
                        other => (ExitCode::from(other), verdict.reason.or_else(|| Some(other.to_string()))),
                    };
                    (Some(told), code, reason)
                }
                (Err(error), _) | (_, Err(error)) => (None, ExitCode::LabBroke, Some(error.to_string())),
            },
        };
        Self {
            resolver: resolver.name,
            software: resolver.software.name(),
            rule: resolver.rule.number,
            outcome: exit_code.outcome(),
            reason,
            exit_code,
            seed: ran.seed,
            speed: ran.speed,
            folder: ran.folder,
            told,
            first_try: None,
        }
    }

    /// With what the same resolver said the first time.
    #[must_use]
    pub fn after(self, first: Self) -> Self {
        Self { first_try: Some(FirstTry { folder: first.folder, reason: first.reason }), ..self }
    }
}

/// What a run that came to its end says as a whole, and why it does not say that all is well. As a control nobody moves,
/// and that is a failure, as it is for a drill; who moves all the same makes it pass, which is the bad case.
fn standing(resolver: &Resolver, told: &Told, control: bool, answered: bool) -> (ExitCode, Option<String>) {
    if control {
        let moved: Vec<&str> = told.clients.iter().filter(|client| client.moved).map(|client| client.client).collect();
        return match (moved.as_slice(), answered) {
            ([], false) => (ExitCode::Failed, None),
            ([], true) => (ExitCode::Passed, Some("the answer changed though nothing was broken".to_owned())),
            (moved, _) => (ExitCode::Passed, Some(format!("moved though nothing was broken: {}", moved.join(", ")))),
        };
    }
    let of = |wanted| -> Vec<&str> {
        told.standings(resolver).filter(|(_, standing)| *standing == wanted).map(|(name, _)| name).collect()
    };
    match (of(Standing::Disagrees).as_slice(), of(Standing::NotTold).as_slice()) {
        ([], []) if answered => (ExitCode::Passed, None),
        ([], []) => (ExitCode::Failed, Some("the authoritative answer did not change in time".to_owned())),
        ([], untold) => (ExitCode::Inconclusive, Some(format!("not told: {}", untold.join(", ")))),
        (these, _) => (ExitCode::Failed, Some(format!("not as predicted: {}", these.join(", ")))),
    }
}

impl MatrixSummary {
    /// Puts the runs together. `interrupted` is the signal that stopped them; `took` is wall time.
    #[must_use]
    pub fn of(
        (drill, title): (String, String),
        control: bool,
        started: String,
        took: Duration,
        interrupted: Option<&str>,
        resolvers: Vec<ResolverSummary>,
    ) -> Self {
        let codes: Vec<ExitCode> = resolvers.iter().map(|resolver| resolver.exit_code).collect();
        let exit_code = ending(&codes, control, interrupted.is_some());
        Self {
            drill,
            title,
            outcome: exit_code.outcome(),
            reason: reason(exit_code, control, interrupted, &resolvers),
            exit_code,
            control,
            started,
            wall_seconds: took,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            resolvers,
        }
    }

    /// As JSON, indented, with a line end.
    ///
    /// # Errors
    /// When a number in it is none in JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

fn reason(code: ExitCode, control: bool, interrupted: Option<&str>, resolvers: &[ResolverSummary]) -> String {
    let all = resolvers.len();
    let those: Vec<&str> = resolvers.iter().filter(|one| one.exit_code == code).map(|one| one.resolver).collect();
    if let Some(signal) = interrupted {
        let over = resolvers.iter().filter(|one| one.exit_code != ExitCode::Interrupted).count();
        return format!("stopped by {signal}; {over} of {all} resolvers had come to an end");
    }
    match code {
        ExitCode::Failed if control => "control: nobody moved, as it must be".to_owned(),
        ExitCode::Passed if control => {
            format!("control: something moved though nothing was broken, with {}", those.join(", "))
        }
        ExitCode::Passed => "every resolver and every client is as predicted".to_owned(),
        _ => format!("{} of {all} resolvers: {}", those.len(), those.join(", ")),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives the field by reference")]
fn number<S: Serializer>(code: &ExitCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u8(code.number())
}
