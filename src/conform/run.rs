//! Runs features with cucumber, a shard on each core, and gathers what became of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use cucumber::event::{self, StepError};
use cucumber::runner::{Basic, basic};
use cucumber::{Event, Runner};
use futures_util::{StreamExt, future, stream};
use gherkin::{Feature, Scenario, Step};

use crate::gherkin::{Catalogue, Explanation, Setting, Trouble, World};
use crate::lab::quietly;
use crate::source::Position;

use super::course::Course;
use super::outcome::SuiteOutcome;
use super::shards::shards;

/// A run that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RunTrouble {
    /// A thread ended before its features did.
    #[error("a thread of the runner ended before its features did; this is a defect of muster")]
    ThreadDied,
    /// The system gives no thread.
    #[error("no thread for the scenarios: {0}")]
    NoThread(std::io::Error),
}

/// As much as a program's first thread has: files that a step names are read on a scenario's thread.
const STACK: usize = 8 << 20;

/// How a run goes.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// On how many threads, at least one.
    pub threads: usize,
    /// Whether the first failure ends the run.
    pub fail_fast: bool,
}

/// Runs these features, which must have been selected.
///
/// # Errors
/// When a thread of the runner dies.
pub fn run(
    features: &[Feature],
    catalogue: &Catalogue,
    setting: &Arc<Setting>,
    pace: Pace,
) -> Result<SuiteOutcome, RunTrouble> {
    let started = Instant::now();
    let course = Arc::new(Course::of(features, pace.fail_fast));
    let ended = quietly(|| {
        std::thread::scope(|scope| {
            let running: Vec<_> = shards(features, pace.threads)
                .into_iter()
                .map(|shard| {
                    let course = &course;
                    let work = move || run_shard(shard, catalogue, setting, course);
                    std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)
                })
                .collect();
            let ended = running
                .into_iter()
                .map(|thread| thread.map_err(RunTrouble::NoThread)?.join().map_err(|_| RunTrouble::ThreadDied));
            ended.collect::<Result<Vec<_>, RunTrouble>>()
        })
    })?;
    let outcome = filled(features, ended.into_iter().flatten(), &course);
    Ok(SuiteOutcome { took: started.elapsed(), early: setting.stop.early().cloned(), ..outcome })
}

/// Runs these features on this thread up to the first failure; the caller keeps panics quiet: the runner replaces the
/// process's hook while it runs and puts it back at its end, on each thread, and the last to end would put back that of
/// another.
pub(super) fn run_alone(features: &[Feature], catalogue: &Catalogue, setting: &Arc<Setting>) -> SuiteOutcome {
    let started = Instant::now();
    let course = Arc::new(Course::of(features, true));
    let ended = run_shard(features.to_vec(), catalogue, setting, &course);
    let outcome = filled(features, ended, &course);
    SuiteOutcome { took: started.elapsed(), early: setting.stop.early().cloned(), ..outcome }
}

/// What ended, as far as the run goes: of what another thread ran behind the first failure nothing is told.
fn filled(features: &[Feature], ended: impl IntoIterator<Item = Ended>, course: &Course) -> SuiteOutcome {
    let mut outcome = SuiteOutcome::unreached(features);
    let mut scenarios = outcome.by_place();
    for Ended { file, line, steps, .. } in ended.into_iter().filter(|ended| course.goes_to(&ended.file, ended.line)) {
        let Some(scenario) = scenarios.get_mut(&(file, line)) else { continue };
        for (step, (line, result, took)) in scenario.steps.iter_mut().zip(steps) {
            debug_assert_eq!(step.line, line, "steps end in the order in which they stand");
            step.end(result, took);
        }
    }
    outcome
}

/// A scenario, and what became of those of its steps that were reached.
struct Ended {
    file: PathBuf,
    line: usize,
    steps: Vec<(usize, Result<(), Explanation>, Duration)>,
    step_started: SystemTime,
}

fn run_shard(
    features: Vec<Feature>,
    catalogue: &Catalogue,
    setting: &Arc<Setting>,
    course: &Arc<Course>,
) -> Vec<Ended> {
    let (setting, before, after) = (Arc::clone(setting), Arc::clone(course), Arc::clone(course));
    // The runner has an end at the first failure of its own; to it a step that is not applicable is one.
    let runner = Basic::<World>::default()
        .steps(catalogue.collection())
        .max_concurrent_scenarios(1)
        .before(move |feature, _, scenario, world: &mut World| {
            let file = feature.path.as_deref();
            world.enter(Arc::clone(&setting), file);
            if !before.goes_to(file.unwrap_or_else(|| Path::new("")), scenario.position.line) {
                world.sit_out();
            }
            Box::pin(future::ready(()))
        })
        .after(move |feature, _, scenario, end, _| {
            if is_failure(end) {
                after.fails(feature, scenario);
            }
            Box::pin(future::ready(()))
        });
    let features = stream::iter(features.into_iter().map(Ok));
    let mut ended = Vec::new();
    // An executor without sockets and time, and no tokio runtime: a lab has its own, and the two do not nest.
    futures_executor::block_on(async {
        let mut events = std::pin::pin!(runner.run(features, basic::Cli::default()));
        while let Some(event) = events.next().await {
            if let Ok(event) = event {
                note(&mut ended, event, catalogue);
            }
        }
    });
    ended
}

/// What does not apply is no failure, and what was not run is none either.
fn is_failure(end: &event::ScenarioFinished) -> bool {
    match end {
        event::ScenarioFinished::StepPassed => false,
        event::ScenarioFinished::StepFailed(.., StepError::Panic(payload)) => {
            !matches!(thrown(&**payload).trouble, Trouble::NotApplicable | Trouble::NotRun)
        }
        _ => true,
    }
}

fn note(ended: &mut Vec<Ended>, event: Event<event::Cucumber<World>>, catalogue: &Catalogue) {
    let at = event.at;
    let event::Cucumber::Feature(feature, event) = event.value else { return };
    let (scenario, event): (_, event::RetryableScenario<World>) = match event {
        event::Feature::Scenario(scenario, event) | event::Feature::Rule(_, event::Rule::Scenario(scenario, event)) => {
            (scenario, event)
        }
        _ => return,
    };
    match event.event {
        event::Scenario::Started => ended.push(start(&feature, &scenario, at)),
        event::Scenario::Background(step, event) | event::Scenario::Step(step, event) => {
            let place = (feature.path.as_deref(), scenario.position.line);
            let current = ended.iter_mut().rev().find(|one| (Some(one.file.as_path()), one.line) == place);
            if let Some(current) = current {
                note_step(current, &step, event, at, catalogue);
            }
        }
        _ => {}
    }
}

fn start(feature: &Feature, scenario: &Scenario, at: SystemTime) -> Ended {
    let file = feature.path.clone().unwrap_or_default();
    Ended { file, line: scenario.position.line, steps: Vec::new(), step_started: at }
}

fn note_step(current: &mut Ended, step: &Step, event: event::Step<World>, at: SystemTime, catalogue: &Catalogue) {
    let no_step = |why: String| {
        let (file, at) = (Arc::new(current.file.clone()), step.position);
        Err(Explanation::cannot_run(format!("{}: {why}", Position { file, line: at.line, column: at.col })))
    };
    let result = match event {
        event::Step::Started => {
            current.step_started = at;
            return;
        }
        event::Step::Passed(..) => Ok(()),
        event::Step::Skipped | event::Step::Failed(.., StepError::NotFound) => {
            no_step(catalogue.undefined(step.ty, &step.value))
        }
        event::Step::Failed(.., StepError::AmbiguousMatch(_)) => {
            let several: Vec<&str> = catalogue.matching(step.ty, &step.value).map(|entry| entry.expression).collect();
            no_step(format!("this step is ambiguous: it is\n{}", several.join("\n")))
        }
        event::Step::Failed(.., StepError::Panic(payload)) => Err(thrown(&*payload)),
    };
    let took = at.duration_since(current.step_started).unwrap_or_default();
    current.steps.push((step.position.line, result, took));
}

/// What a step unwound with: its explanation, unless it is a defect of muster.
fn thrown(payload: &(dyn std::any::Any + Send)) -> Explanation {
    if let Some(explanation) = payload.downcast_ref::<Explanation>() {
        return explanation.clone();
    }
    let text = payload.downcast_ref::<String>().cloned();
    let text = text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    Explanation::lab_broke(format!("the step panicked: {}; this is a defect of muster", text.unwrap_or_default()))
}
