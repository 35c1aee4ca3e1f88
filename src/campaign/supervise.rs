//! Runs a campaign: starts drills as it is their turn, waits for each, tells all to stop when somebody says so.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::lab::Interrupts;
use crate::plan::Plan;
use crate::report::folder;
use crate::report::junit::Suite;

use super::child::{self, Ended, How, Limits, Runner};
use super::load::LoadedCampaign;
use super::plan::{CampaignPlan, at_most};
use super::summary::DrillSummary;
use super::told::Told;
use super::turns::{Turn, Turns};

/// A drill that takes so many times what its limits allow hangs: on a machine that stands still limits are put off.
const PATIENCE: u32 = 3;
/// What a process needs beside its lab, at most; wall time.
const BESIDE: Duration = Duration::from_secs(60);

/// How long a drill's process may take.
pub(super) fn limits(plan: &Plan, runner: &Runner) -> Limits {
    Limits { whole: at_most(plan) * PATIENCE + BESIDE, heals: runner.heals_within(plan) }
}

/// What happens while a campaign runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happened<'a> {
    /// A drill is started.
    Started {
        /// Its plan.
        plan: &'a Plan,
        /// For the second time, alone.
        again: bool,
    },
    /// A drill has ended.
    Ended {
        /// What it said.
        drill: &'a DrillSummary,
        /// It could not tell, and is run once more at the end.
        once_more: bool,
    },
    /// A signal came; every drill that runs was told to stop.
    Stopping {
        /// The signal's name.
        signal: &'static str,
        /// How long they may take to end, wall time.
        within: Duration,
    },
}

/// What became of all drills.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// In the campaign's order: its summary, its suite.
    pub drills: Vec<(DrillSummary, Suite)>,
    /// The signal by which the campaign was stopped.
    pub interrupted: Option<&'static str>,
}

/// Runs every drill of a campaign. Ends when each has ended, or some seconds after a signal.
///
/// Only the first signal counts: a run that is told to stop twice does not wait for its undo to be seen.
pub async fn supervise(
    campaign: &LoadedCampaign,
    plan: &CampaignPlan,
    runner: &Runner,
    interrupts: &mut Interrupts,
    watch: &mut dyn FnMut(Happened<'_>),
) -> Outcome {
    let mut turns = Turns::new(plan.drills.len(), plan.at_once);
    let (stop, stopping) = watch::channel(false);
    let mut interrupted = None;
    let mut running = JoinSet::new();
    let mut told: BTreeMap<usize, Told> = BTreeMap::new();
    loop {
        while let Some(turn) = turns.start_next() {
            let plan = &plan.drills[turn.drill];
            watch(Happened::Started { plan, again: turn.again });
            let command = runner.command(&campaign.drills[turn.drill].file, plan.seed);
            let run = child::run(command, limits(plan, runner), stopping.clone());
            running.spawn(async move { (turn, run.await) });
        }
        tokio::select! {
            biased;
            signal = interrupts.next(), if interrupted.is_none() && !turns.over() => {
                interrupted = Some(signal);
                turns.stop();
                let within = plan.drills.iter().map(|drill| runner.heals_within(drill)).max().unwrap_or_default();
                watch(Happened::Stopping { signal, within });
                // Nobody listens only when nobody runs.
                let _ = stop.send(true);
            }
            ended = running.join_next() => {
                let Some(ended) = ended else { break };
                // A task that panicked took its turn with it: the drill then counts as never ended, see below.
                let Ok((turn, ended)) = ended else { continue };
                let now = listen(campaign, plan, runner, turn, &ended, &told);
                let once_more = turns.ended(turn, now.summary.exit_code);
                watch(Happened::Ended { drill: &now.summary, once_more });
                told.insert(turn.drill, now);
            }
        }
    }
    let drills = campaign.drills.iter().zip(&plan.drills).enumerate();
    let drills = drills.map(|(index, (member, plan))| {
        let told = told.remove(&index).unwrap_or_else(|| match interrupted {
            Some(signal) => Told::not_started(plan, &member.file, signal),
            None => Told::of(plan, &member.file, &lost(), None),
        });
        (told.summary, told.suite)
    });
    Outcome { drills: drills.collect(), interrupted }
}

/// What a drill that has just ended has to say.
fn listen(
    campaign: &LoadedCampaign,
    plan: &CampaignPlan,
    runner: &Runner,
    turn: Turn,
    ended: &Ended,
    told: &BTreeMap<usize, Told>,
) -> Told {
    let (plan, file) = (&plan.drills[turn.drill], &campaign.drills[turn.drill].file);
    let first = told.get(&turn.drill).map(|told| &told.summary);
    let earlier = first.and_then(|first| first.folder.as_ref()).map(|name| runner.folder.join(name));
    // Nobody else makes folders here, and this drill one for each try.
    let mut folders = folder::of_drill(&runner.folder, &plan.drill);
    folders.retain(|folder| Some(folder) != earlier.as_ref());
    let now = Told::of(plan, file, ended, folders.last().map(std::path::PathBuf::as_path));
    match first {
        Some(first) => now.after(first),
        None => now,
    }
}

fn lost() -> Ended {
    let error = std::io::Error::other("its supervisor panicked; this is a defect of muster");
    Ended { how: How::Lost(error), said: String::new(), took: Duration::ZERO }
}
