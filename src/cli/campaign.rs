//! `muster run <campaign>`: loads every drill, runs each in a process of its own, and leaves one report of all.

use std::collections::BTreeSet;
use std::time::Instant;

use time::OffsetDateTime;

use crate::campaign::{CampaignPlan, CampaignSummary, Happened, LoadedCampaign, Outcome, Runner, load, supervise};
use crate::clock::Speed;
use crate::drill::PlanOptions;
use crate::ground::{GroundKind, prepare_process};
use crate::lab::Interrupts;
use crate::plan::WireTtl;
use crate::report::folder::Folder;
use crate::report::{Display, campaign as page, junit};
use crate::verdict::ExitCode;

use super::Terminal;
use super::run::{DOCKER_SPEED, RunArgs, RunError, leave, pretty, wall_clock, without_docker};

/// Runs a campaign.
///
/// # Errors
/// When nothing could be started: a mistake in any of its files, a ground that is not to be had, a folder that cannot
/// be made. Must be called before the process has a second thread, as a single drill.
pub(super) fn run(args: &RunArgs, terminal: &Terminal) -> Result<ExitCode, RunError> {
    let campaign = load(&args.drill)?;
    let options = in_docker(args.options()?);
    let plan = campaign.plan(options);
    if options.wire == WireTtl::Lab {
        plan.drills.iter().try_for_each(without_docker)?;
    }
    if args.dry_run {
        // Each drill's own process finds out for itself; here it is only asked whether that will do.
        prepare_process(args.ground())?;
        terminal.print(&if args.json { pretty(&plan)? } else { page::dry_run(&plan, terminal.style) });
        return Ok(ExitCode::Passed);
    }
    let program = std::env::current_exe().map_err(RunError::Program)?;
    let folder = Folder::create(&args.out, &campaign.name, OffsetDateTime::now_utc())?;
    let runner = Runner {
        program,
        folder: folder.path().to_path_buf(),
        speed: options.speed.filter(|_| args.ground() != Some(GroundKind::Simulated)),
        ground: args.ground(),
        control: args.control,
    };
    let (started, began) = (wall_clock(), Instant::now());
    let outcome = lead(&campaign, &plan, &runner, &terminal.display(args.quiet))?;
    let (drills, suites): (Vec<_>, Vec<_>) = outcome.drills.into_iter().unzip();
    let source = campaign.source;
    let summary = CampaignSummary::of(&plan, source, started, began.elapsed(), outcome.interrupted, drills);
    let json = summary.to_json()?;
    terminal.print(&if args.json { json.clone() } else { page::render(&summary, folder.path(), terminal.style) });
    let whole = leave(&folder, junit::render(&summary.campaign, suites), &json, terminal);
    Ok(summary.exit_code.told(whole))
}

/// Drills of the Docker lab run at its own speed unless another was asked for.
fn in_docker(options: PlanOptions) -> PlanOptions {
    match options.wire {
        WireTtl::Lab => options,
        WireTtl::WallSeconds => PlanOptions { speed: options.speed.or(Speed::new(DOCKER_SPEED).ok()), ..options },
    }
}

/// Leads all drills to their end, and shows what happens.
fn lead(
    campaign: &LoadedCampaign,
    plan: &CampaignPlan,
    runner: &Runner,
    display: &Display,
) -> Result<Outcome, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::System)?;
    let began = Instant::now();
    let mut running: BTreeSet<String> = BTreeSet::new();
    let mut watch = |happened: Happened<'_>| {
        match &happened {
            Happened::Started { plan, .. } => drop(running.insert(plan.drill.clone())),
            Happened::Ended { drill, .. } => drop(running.remove(&drill.drill)),
            Happened::Stopping { .. } => {}
        }
        display.say(&page::line(began.elapsed(), &runner.folder, &happened));
        let names: Vec<&str> = running.iter().map(String::as_str).collect();
        display.await_for(&format!("running: {}", names.join(", ")));
    };
    let outcome = runtime.block_on(async {
        let mut interrupts = Interrupts::catch().map_err(RunError::System)?;
        Ok(supervise(campaign, plan, runner, &mut interrupts, &mut watch).await)
    });
    display.finish();
    outcome
}
