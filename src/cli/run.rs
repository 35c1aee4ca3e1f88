//! `muster run`: loads a drill, runs it in a lab, judges it, and leaves a report. A campaign is run by
//! [`super::campaign`].

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use rand::RngExt;
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::campaign::{self, CampaignErrors};
use crate::clock::Speed;
use crate::conduct::Conductor;
use crate::drill::{DrillErrors, LoadedDrill, PlanOptions, load};
use crate::ground::{GroundError, GroundKind, prepare_process};
use crate::journal::event::{Event, Stamped};
use crate::journal::{JournalError, Writer};

use crate::lab::docker::{self, Footing, FootingError};
use crate::lab::{ControlSocket, Interrupts, Sink, Undurable, VirtualLab, drive, embedded};
use crate::plan::{Plan, WireTtl};
use crate::report::folder::{Folder, FolderError};
use crate::report::junit::{self, JunitError};
use crate::report::progress::Progress;
use crate::report::summary::Summary;
use crate::report::{Display, dry_run, terminal as page};
use crate::timeline::measure::{NoPlan, measure, planned};
use crate::verdict::wording::secs;
use crate::verdict::{ExitCode, ORDER, judge};
use crate::zone::Zone;

use super::{Terminal, footing};

/// Run a drill, or a campaign of several
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the command line")]
#[command(after_help = after_help())]
pub struct RunArgs {
    /// The drill file, or a campaign: a file that names several
    pub drill: PathBuf,
    /// Leave the fault out: the drill must then fail, or it proves nothing
    #[arg(long)]
    pub control: bool,
    /// What every random choice comes from; each drill of a campaign gets one more than the one before [default: drawn and printed]
    #[arg(long)]
    pub seed: Option<u64>,
    /// Lab seconds per wall second of the embedded lab, 0.01 to 1000, as `20` or `20x` [default: worked out so that the run ends within half a minute, where nothing in it needs longer; `--dry-run` says how long it takes]
    #[arg(long, value_parser = speed)]
    pub speed: Option<Speed>,
    /// Which lab the drill runs in
    #[arg(long, value_enum, default_value_t = LabKind::Embedded)]
    pub lab: LabKind,
    /// What the embedded lab stands on [default: a network namespace where that is allowed, else loopback]
    #[arg(long, value_enum)]
    pub ground: Option<Ground>,
    /// With `--lab docker`: leave the lab standing when the run is over
    #[arg(long)]
    pub keep: bool,
    /// Where the report folder is made
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub out: PathBuf,
    /// Show no live progress
    #[arg(long)]
    pub quiet: bool,
    /// Only load, plan and predict; run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print the summary as JSON in place of the page
    #[arg(long)]
    pub json: bool,
}

impl RunArgs {
    /// The seed that was asked for, or one that is drawn.
    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or_else(|| rand::rng().random())
    }

    /// The speed that was asked for. Simulated time has none.
    ///
    /// # Errors
    /// When something was asked for that the virtual lab does not have.
    pub(super) fn speed(&self) -> Result<Option<Speed>, RunError> {
        match self.lab {
            LabKind::Embedded | LabKind::Virtual if self.keep => Err(RunError::NothingToKeep),
            LabKind::Virtual if self.speed.is_some() => Err(RunError::NotVirtual { option: "--speed" }),
            LabKind::Virtual if self.ground.is_some() => Err(RunError::NotVirtual { option: "--ground" }),
            LabKind::Virtual => Ok(Some(Speed::REAL)),
            LabKind::Docker if self.ground.is_some() => Err(RunError::NotDocker { option: "--ground" }),
            LabKind::Embedded | LabKind::Docker => Ok(self.speed),
        }
    }

    /// How drills are planned.
    ///
    /// # Errors
    /// When something was asked for that the lab does not have.
    pub(super) fn options(&self) -> Result<PlanOptions, RunError> {
        let wire = match self.lab {
            LabKind::Docker => WireTtl::WallSeconds,
            LabKind::Embedded | LabKind::Virtual => WireTtl::Lab,
        };
        Ok(PlanOptions { seed: self.seed(), speed: self.speed()?, control: self.control, wire })
    }

    /// The ground that was asked for; `None`: whichever is possible.
    pub(super) fn ground(&self) -> Option<GroundKind> {
        match self.lab {
            LabKind::Embedded => self.ground.map(GroundKind::from),
            LabKind::Virtual => Some(GroundKind::Simulated),
            LabKind::Docker => Some(GroundKind::Container),
        }
    }
}

/// Which lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LabKind {
    /// Real sockets on this machine
    Embedded,
    /// Simulated time, no sockets: a run takes milliseconds, and the same seed gives the same events
    Virtual,
    /// Containers of a Docker engine: real resolvers, a real database
    Docker,
}

/// What the lab stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Ground {
    /// A network namespace of its own: the zone's own addresses and ports
    Namespace,
    /// 127/8 and high ports; IPv4 only
    Loopback,
}

/// An example of each, and how a campaign ends.
fn after_help() -> String {
    let order: Vec<String> = ORDER.iter().map(|code| code.number().to_string()).collect();
    format!(
        "Examples:\n  muster run drills/database-down.yaml --speed 20\n  muster run drills/quarterly.yaml\n\n\
         A campaign ends with the worst exit code of its drills, in this order: {}. As a control every one of its \
         drills must fail: 1 when all did, 0 as soon as one passed, else the worst of the others. A drill that could \
         not tell (3) is run once more, alone, at the end. On SIGINT or SIGTERM every drill heals and ends, and the \
         campaign with 130; after SIGKILL its drills heal and end, too.",
        order.join(", ")
    )
}

pub(super) fn speed(text: &str) -> Result<Speed, String> {
    let factor: f64 = text
        .strip_suffix('x')
        .unwrap_or(text)
        .parse()
        .map_err(|_| format!("`{text}` is no number; expected lab seconds per wall second, as `20` or `20x`"))?;
    Speed::new(factor).map_err(|error| error.to_string())
}

/// A run that did not come to a verdict, or whose report is not whole.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The drill or its zone cannot be run as they are written.
    #[error(transparent)]
    Drill(#[from] DrillErrors),
    /// The campaign or one of its drills cannot be run as it is written.
    #[error(transparent)]
    Campaign(#[from] CampaignErrors),
    /// muster does not find itself, which is to run each drill.
    #[error("nothing was started: the program of the drills is not to be found: {0}")]
    Program(io::Error),
    /// An option of another lab.
    #[error(
        "`{option}` makes no sense with `--lab virtual`, where time passes when everybody waits and there are no sockets; \
         leave it out, or run with `--lab embedded`"
    )]
    NotVirtual {
        /// Which.
        option: &'static str,
    },
    /// A lab that leaves nothing.
    #[error(
        "`--keep` makes sense with `--lab docker` alone: every other lab ends with muster; add it, or leave `--keep` out"
    )]
    NothingToKeep,
    /// An option of another lab.
    #[error("`{option}` makes no sense with `--lab docker`, which stands on its containers; leave it out")]
    NotDocker {
        /// Which.
        option: &'static str,
    },
    /// There is no engine, or there are no images.
    #[error(transparent)]
    Footing(#[from] FootingError),
    /// A drill that this lab cannot run.
    #[error("{drill} cannot be run in this lab: {reason}; run it in a lab of containers, with `--lab docker`")]
    NeedsDocker {
        /// The drill.
        drill: String,
        /// Why, for people.
        reason: String,
    },
    /// The ground that was asked for is not to be had.
    #[error(transparent)]
    Ground(#[from] GroundError),
    /// The report folder cannot be made, or not be written into.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The journal cannot be made.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The lab has no thread.
    #[error(transparent)]
    NoThread(#[from] embedded::NoThread),
    /// The system gives no runtime, or does not let signals be caught.
    #[error("nothing was started: {0}")]
    System(io::Error),
    /// The journal holds no plan.
    #[error(transparent)]
    NoPlan(#[from] NoPlan),
    /// The summary cannot be told in JSON.
    #[error("the summary cannot be written as JSON: {0}; this is a defect of muster")]
    Summary(#[from] serde_json::Error),
}

impl RunError {
    /// With which code muster ends. Before anything was started it is the input's fault; after that the lab's.
    #[must_use]
    pub const fn exit_code(&self) -> ExitCode {
        match self {
            Self::Drill(_)
            | Self::Campaign(_)
            | Self::NotVirtual { .. }
            | Self::NotDocker { .. }
            | Self::NothingToKeep
            | Self::NeedsDocker { .. }
            | Self::Footing(FootingError::Addresses(_))
            | Self::Ground(_)
            | Self::Folder(_)
            | Self::Journal(_) => ExitCode::CannotRun,
            Self::Footing(_)
            | Self::Program(_)
            | Self::NoThread(_)
            | Self::System(_)
            | Self::NoPlan(_)
            | Self::Summary(_) => ExitCode::LabBroke,
        }
    }
}

/// Runs a drill or a campaign. Must be called before the process has a second thread: see [`prepare_process`].
///
/// # Errors
/// When nothing could be run, or the report could not be written whole.
pub fn run(args: &RunArgs, terminal: &Terminal) -> Result<ExitCode, RunError> {
    if campaign::kind(&args.drill)? == campaign::Kind::Campaign {
        return super::campaign::run(args, terminal);
    }
    let options = args.options()?;
    let drill = load(&args.drill)?;
    let ground = prepare_process(args.ground())?;
    let plan = in_its_lab(&drill, options, ground.kind)?;
    if args.dry_run {
        terminal.print(&if args.json { pretty(&plan)? } else { dry_run::render(&plan, terminal.style) });
        return Ok(ExitCode::Passed);
    }
    if !campaign::end_with_parent() {
        return Ok(ExitCode::Interrupted);
    }
    let footing = match ground.kind {
        GroundKind::Container => match footing::make(&plan, args.keep, &terminal.display(args.quiet))? {
            Some(footing) => Some(footing),
            None => return Ok(ExitCode::Interrupted),
        },
        _ => None,
    };
    let folder = Folder::create(&args.out, &plan.drill, OffsetDateTime::now_utc())?;
    let journal = Writer::create(&folder.journal())?;
    if let Some(reason) = ground.reason.filter(|_| !args.quiet) {
        terminal.remark(&format!("on loopback, without IPv6 connections: {reason}"));
    }
    for (expectation, worst) in plan.too_narrow().into_iter().filter(|_| !args.quiet) {
        terminal.remark(&format!(
            "{}: resolvers in containers count whole seconds of wall time, so that at {} it may take {}, and the run be \
             inconclusive; a lower --speed leaves less of that",
            expectation.text,
            plan.speed,
            secs(worst)
        ));
    }
    if !args.quiet {
        // Whoever turns a control, or reads along, needs it while the run goes on.
        terminal.remark(&format!("report folder: {}", folder.path().display()));
    }
    let mut keeping =
        Keeping { journal, progress: Progress::new(), display: terminal.display(args.quiet), trouble: None };
    let control = ControlSocket::for_run(folder.path()).map_err(RunError::System)?;
    let kept = footing.as_ref().and_then(Footing::kept).map(str::to_owned);
    lead(plan, drill.zone, ground.kind, footing, &control, &mut keeping)?;
    drop(control);
    keeping.display.finish();

    let events = keeping.journal.events();
    let plan = planned(events)?;
    let measured = measure(events)?;
    let verdict = judge(events)?;
    let summary = Summary::of(events, plan, &measured, &verdict, keeping.journal.chain()).to_json()?;
    terminal.print(&if args.json { summary.clone() } else { page::render(&measured, &verdict, plan, terminal.style) });
    let suite = junit::Suite::of(events, plan, &measured, &verdict);
    // After the verdict, so that a full disk cannot take it from whoever waits for it.
    let whole = leave(&folder, junit::render(&plan.drill, [suite]), &summary, terminal);
    if !args.json {
        terminal.print(&page::files(folder.path()));
        terminal.print(&kept.map(|run| page::kept(&run)).unwrap_or_default());
    }
    if let Some(trouble) = &keeping.trouble {
        terminal.complain(&trouble.to_string());
    }
    Ok(ExitCode::from(verdict.outcome).told(whole && keeping.trouble.is_none()))
}

/// The fastest that a drill runs in the Docker lab unless it is told to: resolvers there count TTLs in whole seconds of
/// wall time, and a second must not become most of a stage.
pub(super) const DOCKER_SPEED: f64 = 5.0;

/// The drill planned as this ground can run it.
///
/// # Errors
/// When it needs another.
pub(super) fn in_its_lab(drill: &LoadedDrill, options: PlanOptions, ground: GroundKind) -> Result<Plan, RunError> {
    let plan = drill.plan(options);
    if ground != GroundKind::Container {
        without_docker(&plan)?;
        return Ok(plan);
    }
    let mut plan = match Speed::new(DOCKER_SPEED) {
        Ok(most) if options.speed.is_none() && plan.speed.factor() > most.factor() => {
            drill.plan(PlanOptions { speed: Some(most), ..options })
        }
        _ => plan,
    };
    plan.schedule.settle_within += plan.speed.to_lab(docker::COMES_UP_WITHIN);
    Ok(plan)
}

/// Refuses a plan that only a lab of containers can run, before anything is started.
pub(super) fn without_docker(plan: &Plan) -> Result<(), RunError> {
    let drill = || plan.drill.clone();
    plan.needs_docker().map_or(Ok(()), |reason| Err(RunError::NeedsDocker { drill: drill(), reason }))
}

/// Writes both files, and complains of what cannot be written; whether all is there.
pub(super) fn leave(folder: &Folder, junit: Result<String, JunitError>, summary: &str, terminal: &Terminal) -> bool {
    let trouble = match junit.map(|junit| folder.write(&junit, summary)) {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    };
    terminal.complain(&trouble);
    false
}

/// Starts the lab and leads the run to its end.
fn lead(
    plan: Plan,
    zone: Zone,
    ground: GroundKind,
    footing: Option<Footing>,
    control: &ControlSocket,
    keeping: &mut Keeping,
) -> Result<(), RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::System)?;
    runtime.block_on(async {
        let mut interrupts = Interrupts::catch().map_err(RunError::System)?;
        let opening = vec![
            Event::RunStarted { version: env!("CARGO_PKG_VERSION").to_owned(), wall: wall_clock() },
            Event::Planned { plan: Box::new(plan.clone()) },
        ];
        let (conductor, zone) = (Conductor::new(plan.clone()), Arc::new(zone));
        if let Some(footing) = footing {
            let lab = docker::start(plan, zone, footing, Some(control.path().to_owned()))?;
            drive(lab, conductor, opening, keeping, &mut interrupts).await;
        } else if ground == GroundKind::Simulated {
            drive(VirtualLab::new(plan, zone), conductor, opening, keeping, &mut interrupts).await;
        } else {
            let lab = embedded::start(plan, zone, ground, Some(control.path().to_owned()))?;
            drive(lab, conductor, opening, keeping, &mut interrupts).await;
        }
        Ok(())
    })
}

pub(super) fn wall_clock() -> String {
    OffsetDateTime::now_utc().format(&Rfc3339).unwrap_or_default()
}

pub(super) fn pretty(plan: &impl Serialize) -> Result<String, RunError> {
    Ok(serde_json::to_string_pretty(plan)? + "\n")
}

/// Keeps the journal and shows progress: the two readers that a run has while it runs.
struct Keeping {
    journal: Writer,
    progress: Progress,
    display: Display,
    trouble: Option<JournalError>,
}

impl Sink for Keeping {
    fn take(&mut self, stamped: Stamped) -> Result<(), Undurable> {
        if let Err(error) = self.journal.write(&stamped) {
            self.trouble.get_or_insert(error);
        }
        self.display.show(&self.progress.on(&stamped));
        self.display.await_for(&self.progress.awaiting(stamped.at));
        if self.journal.is_whole() { Ok(()) } else { Err(Undurable) }
    }
}

impl From<Ground> for GroundKind {
    fn from(ground: Ground) -> Self {
        match ground {
            Ground::Namespace => Self::Namespace,
            Ground::Loopback => Self::Loopback,
        }
    }
}
