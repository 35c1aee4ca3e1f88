//! The drills that scenarios run. Each is run once, however many scenarios ask for it.
//!
//! In the virtual lab a run is a function of its drill and its seed. In the embedded lab each runs in a process of its
//! own, as the drills of a campaign do, some side by side; one that could not tell is run once more, alone and slower.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::campaign::{self, Runner, run_alone};
use crate::clock::Speed;
use crate::drill::{LoadedDrill, PlanOptions, load};
use crate::ground::GroundKind;
use crate::journal::event::Stamped;
use crate::lab::{PrivateFolder, rehearse};
use crate::plan::Plan;
use crate::timeline::measure::{Measured, NoPlan, measure, planned};
use crate::verdict::{Outcome, Verdict, judge};

use super::drill_room::Room;
use super::explanation::Explanation;
use super::stop::Stop;

/// A drill that could not tell is run once more at this share of its speed.
const SLOWER: f64 = 0.5;

/// What came of a drill.
#[derive(Clone, Debug)]
pub struct Played {
    /// What was planned and predicted.
    pub plan: Plan,
    /// What was measured.
    pub measured: Measured,
    /// How it was judged.
    pub verdict: Verdict,
}

/// Where drills run.
#[derive(Debug)]
enum Where {
    Virtual,
    /// By this program, muster itself, with their reports in this folder: a folder for each run.
    Processes {
        program: PathBuf,
        ground: Option<GroundKind>,
        reports: PrivateFolder,
        runs: AtomicUsize,
    },
    /// Nobody asked for them.
    Nowhere,
}

/// The drills that were run, and those that are.
#[derive(Debug)]
pub struct DrillRuns {
    place: Where,
    known: Mutex<BTreeMap<Wanted, Arc<Once>>>,
    room: Room,
    stop: Stop,
}

/// What came of a run, once somebody has made it.
type Once = OnceLock<Result<Arc<Played>, Explanation>>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wanted {
    file: PathBuf,
    control: bool,
    seed: u64,
}

impl DrillRuns {
    /// In the virtual lab.
    #[must_use]
    pub fn in_the_virtual_lab() -> Self {
        Self::at(Where::Virtual)
    }

    /// In the embedded lab, each by a process of this program.
    ///
    /// # Errors
    /// When there is no room for their reports among the system's temporary files.
    pub fn in_the_embedded_lab(program: PathBuf) -> std::io::Result<Self> {
        Self::in_processes(program, None)
    }

    /// In the Docker lab, each by a process of this program.
    ///
    /// # Errors
    /// When there is no room for their reports among the system's temporary files.
    pub fn in_the_docker_lab(program: PathBuf) -> std::io::Result<Self> {
        Self::in_processes(program, Some(GroundKind::Container))
    }

    fn in_processes(program: PathBuf, ground: Option<GroundKind>) -> std::io::Result<Self> {
        let (reports, runs) = (PrivateFolder::create()?, AtomicUsize::new(0));
        Ok(Self::at(Where::Processes { program, ground, reports, runs }))
    }

    /// Not at all.
    #[must_use]
    pub fn nowhere() -> Self {
        Self::at(Where::Nowhere)
    }

    fn at(place: Where) -> Self {
        Self { place, known: Mutex::default(), room: Room::default(), stop: Stop::default() }
    }

    /// Once this is asked for no drill is begun any more, and those that run are told to heal and end.
    #[must_use]
    pub fn until(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }

    /// Whether drills are run.
    #[must_use]
    pub const fn are_run(&self) -> bool {
        !matches!(self.place, Where::Nowhere)
    }

    /// What came of a drill; runs it when nobody has. Somebody else who runs it is waited for.
    ///
    /// # Errors
    /// When it cannot be run as it is written, the lab fails, or the run is to end.
    pub fn play(&self, file: &Path, control: bool, seed: u64) -> Result<Arc<Played>, Explanation> {
        let wanted = Wanted { file: file.to_path_buf(), control, seed };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let played = Arc::clone(known.entry(wanted).or_default());
        drop(known);
        played
            .get_or_init(|| {
                self.run(file, PlanOptions { seed, speed: None, control, ..PlanOptions::default() }).map(Arc::new)
            })
            .clone()
    }

    fn run(&self, file: &Path, options: PlanOptions) -> Result<Played, Explanation> {
        let drill = read(file)?;
        self.can_run(&drill.plan(options))?;
        match &self.place {
            Where::Nowhere => Err(Explanation::lab_broke("no lab for a drill; this is a defect of muster")),
            Where::Virtual => in_simulated_time(drill, options),
            Where::Processes { program, ground, reports, runs } => {
                self.in_a_process(file, &drill, options, |speed| Runner {
                    program: program.clone(),
                    folder: reports.path().join(runs.fetch_add(1, Ordering::Relaxed).to_string()),
                    speed,
                    ground: *ground,
                    control: options.control,
                })
            }
        }
    }

    /// Whether this lab has what the plan needs.
    fn can_run(&self, plan: &Plan) -> Result<(), Explanation> {
        let in_containers = matches!(self.place, Where::Processes { ground: Some(GroundKind::Container), .. });
        match plan.needs_docker().filter(|_| !in_containers) {
            None => Ok(()),
            Some(reason) => Err(Explanation::not_applicable(format!(
                "{} cannot be run in this lab: {reason}; run it in a lab of containers, with `--lab docker`",
                plan.drill
            ))),
        }
    }

    fn in_a_process(
        &self,
        file: &Path,
        drill: &LoadedDrill,
        options: PlanOptions,
        runner: impl Fn(Option<Speed>) -> Runner,
    ) -> Result<Played, Explanation> {
        let plan = drill.plan(options);
        let beside_others = self.room.beside_others();
        let first = self.by_itself(&runner(None), file, &plan)?;
        drop(beside_others);
        if first.verdict.outcome != Outcome::Inconclusive {
            return Ok(first);
        }
        let alone = self.room.alone();
        let speed = Speed::new(plan.speed.factor() * SLOWER).unwrap_or(plan.speed);
        let plan = drill.plan(PlanOptions { speed: Some(speed), ..options });
        let second = self.by_itself(&runner(Some(speed)), file, &plan);
        drop(alone);
        second
    }

    fn by_itself(&self, runner: &Runner, file: &Path, plan: &Plan) -> Result<Played, Explanation> {
        self.goes_on()?;
        // As in simulated time: a process is waited for by a runtime of its own.
        let run = || run_alone(runner, file, plan, || self.stop.early().is_some());
        let run = std::thread::scope(|scope| scope.spawn(run).join());
        let read =
            run.map_err(|_| Explanation::lab_broke("the drill's supervisor panicked; this is a defect of muster"))?;
        let read = read.map_err(|problem| Explanation::lab_broke(format!("{}: {problem}", file.display())))?;
        let played = played(&read.ok_or_else(Explanation::not_run)?.events)
            .map_err(|error| Explanation::lab_broke(error.to_string()))?;
        if matches!(played.verdict.outcome, Outcome::Interrupted | Outcome::Inconclusive) {
            self.goes_on()?;
        }
        Ok(played)
    }

    fn goes_on(&self) -> Result<(), Explanation> {
        if self.stop.early().is_some() { Err(Explanation::not_run()) } else { Ok(()) }
    }
}

/// A drill, and nothing else that `muster run` takes.
fn read(file: &Path) -> Result<LoadedDrill, Explanation> {
    let kind = campaign::kind(file).map_err(|errors| Explanation::cannot_run(errors.to_string()))?;
    if kind == campaign::Kind::Campaign {
        let text = "this file is a campaign, and a step runs one drill; name each of its drills in a step of its own, or run \
                    the campaign by `muster run`";
        return Err(Explanation::cannot_run(format!("{}: {text}", file.display())));
    }
    load(file).map_err(|errors| Explanation::cannot_run(errors.to_string()))
}

fn in_simulated_time(drill: LoadedDrill, options: PlanOptions) -> Result<Played, Explanation> {
    let plan = drill.plan(options);
    let zone = Arc::new(drill.zone);
    // Scenarios are run by an executor of their own, which a lab's must not stand inside of.
    let run = std::thread::scope(|scope| scope.spawn(|| rehearse(plan, zone)).join());
    let events = run.map_err(|_| Explanation::lab_broke("the virtual lab panicked; this is a defect of muster"))?;
    let events = events.map_err(|error| Explanation::lab_broke(format!("no runtime for the lab: {error}")))?;
    played(&events).map_err(|error| Explanation::lab_broke(error.to_string()))
}

fn played(events: &[Stamped]) -> Result<Played, NoPlan> {
    Ok(Played { plan: planned(events)?.clone(), measured: measure(events)?, verdict: judge(events)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gherkin::Trouble;

    fn drill(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("drills/{name}.yaml"))
    }

    #[test]
    fn equal_runs_are_run_once_and_others_by_themselves() {
        let runs = DrillRuns::in_the_virtual_lab();
        let play = |control, seed| runs.play(&drill("unchecked-secondary"), control, seed).unwrap();
        let [first, again] =
            std::thread::scope(|scope| [0, 1].map(|_| scope.spawn(|| play(false, 1))).map(|run| run.join().unwrap()));
        assert!(Arc::ptr_eq(&first, &again), "it was run twice");
        assert_eq!(first.verdict.outcome, Outcome::Passed);
        assert_eq!(play(true, 1).verdict.outcome, Outcome::Failed);
        assert_eq!(play(false, 2).plan.seed, 2);
    }

    #[test]
    fn a_campaign_and_what_is_not_there_are_refused() {
        let runs = DrillRuns::in_the_virtual_lab();
        for (name, told) in [("quarterly", "quarterly.yaml: this file is a campaign"), ("no-such", "no-such.yaml")] {
            let refused = runs.play(&drill(name), false, 1).unwrap_err();
            assert_eq!(refused.trouble, Trouble::CannotRun, "{refused}");
            assert!(refused.text.contains(told), "{refused}");
        }
    }

    #[test]
    fn what_needs_containers_does_not_apply_where_there_are_none() {
        for runs in [DrillRuns::in_the_virtual_lab(), DrillRuns::in_the_embedded_lab("/bin/true".into()).unwrap()] {
            let refused = runs.play(&drill("region-cut-off"), false, 1).unwrap_err();
            assert_eq!(refused.trouble, Trouble::NotApplicable, "{refused}");
            assert!(refused.text.contains("region-cut-off cannot be run in this lab"), "{refused}");
        }
        let runs = DrillRuns::in_the_docker_lab("/bin/true".into()).unwrap();
        assert_eq!(runs.play(&drill("region-cut-off"), false, 1).unwrap_err().trouble, Trouble::LabBroke);
    }

    #[test]
    fn a_program_that_leaves_no_run_is_the_labs_trouble() {
        let runs = DrillRuns::in_the_embedded_lab("/bin/true".into()).unwrap();
        let trouble = runs.play(&drill("unchecked-secondary"), false, 1).unwrap_err();
        assert_eq!(trouble.trouble, Trouble::LabBroke, "{trouble}");
        assert!(trouble.text.ends_with("exit code 0, and it left no folder"), "{trouble}");
    }
}
