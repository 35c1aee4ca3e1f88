//! `muster matrix`: runs a drill once for each resolver, with every client in it, in the Docker lab, and tells who takes
//! how long to follow.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use time::OffsetDateTime;

use crate::campaign::{Runner, run_alone};
use crate::clock::Speed;
use crate::drill::{LoadedDrill, PlanOptions, load};
use crate::ground::GroundKind;
use crate::lab::{Interrupts, PrivateFolder};
use crate::matrix::{
    BUILT_IN, BUILT_IN_ZONE, BUILT_IN_ZONE_AT, Base, BaseError, CLIENTS, Client, Left, MatrixSummary, RESOLVERS, Ran,
    Resolver, ResolverSummary, name,
};
use crate::plan::{Plan, WireTtl};
use crate::report::folder::{self, Folder, FolderError};
use crate::report::{Display, matrix as page};
use crate::source::read_text;
use crate::verdict::ExitCode;

use super::run::{RunError, in_its_lab, pretty, speed, wall_clock};
use super::{Terminal, footing};

/// A run that could not tell is run once more at this share of its speed.
const SLOWER: f64 = 0.5;
/// Nothing runs slower than this: the pools of some programs let go of a connection that nobody uses for some seconds of
/// wall time (CLI-NODE-2, CLI-PY-3), and would then look up anew.
const SLOWEST: f64 = 1.0;
/// The matrix's own file in its folder, beside the folders of the runs.
const OWN_FILE: &str = "matrix.json";
/// Where the zone lies, seen from the drills.
const ZONE: &str = "zone.json";

/// Measure which resolver, and which client, takes how long to follow a failover
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag of the command line")]
#[command(after_help = "Examples:\n  \
    muster matrix\n  \
    muster matrix --resolvers unbound,dnsmasq --clients curl,jvm,python-recycling --speed 3\n  \
    muster matrix --control --json > control.json\n\n\
    It runs in the Docker lab, once for each resolver with all the clients in it, one run after another, some two minutes \
    each. A run that could not tell is run once more at half the speed. Of each resolver it tells how long it held the old \
    answer (t3 - t2), of each client how long it took from there (t4 - t3) and from the fault (t4 - t0): at least, at most, \
    and ± half of what lies between; and beside it what is predicted, and the rule that says so. `never in 170 s`: it was \
    still at the old place at the end, so long after the fault. `--json` has the same with the requests that arrived at \
    the cells: `resolvers[].told.clients[]` has `own`, `total`, `never_in`, `standing`, `arrived`, `refused`, `stale`; all \
    times are lab seconds.\n\n\
    Exit codes: 0 everything is as predicted, 1 something is not; as a control 1 when nobody moved, as it must be, and 0 \
    when somebody did. Else the worst of the runs, in this order: 130, 6, 4, 5, 2, 3, 1, 0.")]
pub struct MatrixArgs {
    /// The drill whose zone, cells and fault are used; its first client that moves says where all stand [default: drills/matrix.yaml, which is built in]
    #[arg(long, value_name = "FILE")]
    pub drill: Option<PathBuf>,
    /// Which resolvers, separated by commas [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME", value_parser = resolver_names())]
    pub resolvers: Vec<&'static Resolver>,
    /// Which clients, separated by commas [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME", value_parser = client_names())]
    pub clients: Vec<&'static Client>,
    /// Lab seconds per wall second, 1 to 1000, as `3` or `3x` [default: at most 5]
    #[arg(long, value_parser = not_slower)]
    pub speed: Option<Speed>,
    /// What every random choice comes from; each resolver gets one more than the one before [default: drawn and printed]
    #[arg(long)]
    pub seed: Option<u64>,
    /// Leave the fault out: then nobody must move
    #[arg(long)]
    pub control: bool,
    /// Where the report folder is made
    #[arg(long, value_name = "DIR", default_value = "reports")]
    pub out: PathBuf,
    /// Show no live progress
    #[arg(long)]
    pub quiet: bool,
    /// Only plan and predict; run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print everything as JSON in place of the page
    #[arg(long)]
    pub json: bool,
}

fn resolver_names() -> impl TypedValueParser<Value = &'static Resolver> {
    PossibleValuesParser::new(RESOLVERS.iter().map(|one| one.name))
        .try_map(|name| Resolver::named(&name).ok_or("no such resolver"))
}

fn client_names() -> impl TypedValueParser<Value = &'static Client> {
    PossibleValuesParser::new(CLIENTS.iter().map(|one| one.name))
        .try_map(|name| Client::named(&name).ok_or("no such client"))
}

fn not_slower(text: &str) -> Result<Speed, String> {
    let speed = speed(text)?;
    if speed.factor() < SLOWEST {
        let why = "some pools let go of a connection that nobody uses for 4 s of wall time, and would look up anew";
        return Err(format!("expected at least {SLOWEST}: {why}"));
    }
    Ok(speed)
}

/// A matrix that could not be run.
#[derive(Debug, thiserror::Error)]
pub enum MatrixError {
    /// As for any run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The drill is none to make a matrix of.
    #[error(transparent)]
    Base(#[from] BaseError),
    /// The drill or its zone cannot be read.
    #[error("{path}: {problem}; name another with --drill")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
    /// A drill cannot be written.
    #[error("{path}: cannot be written: {problem}; check that there is room, or name another --out")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        problem: io::Error,
    },
    /// A drill cannot be told in YAML.
    #[error("the drill of {resolver} cannot be written as YAML: {problem}; this is a defect of muster")]
    Yaml {
        /// Whose.
        resolver: &'static str,
        /// Why not.
        problem: serde_yaml::Error,
    },
}

impl MatrixError {
    /// With which code muster ends.
    #[must_use]
    pub const fn exit_code(&self) -> ExitCode {
        match self {
            Self::Run(error) => error.exit_code(),
            Self::Base(_) | Self::Read { .. } | Self::Write { .. } => ExitCode::CannotRun,
            Self::Yaml { .. } => ExitCode::LabBroke,
        }
    }
}

/// A resolver's drill, planned.
struct Member {
    resolver: &'static Resolver,
    file: PathBuf,
    drill: LoadedDrill,
    plan: Plan,
}

/// Runs the matrix.
///
/// # Errors
/// When nothing could be run, or what was found could not be told.
pub fn matrix(args: &MatrixArgs, terminal: &Terminal) -> Result<ExitCode, MatrixError> {
    let resolvers = without_repeats(&args.resolvers, RESOLVERS.iter());
    let clients = without_repeats(&args.clients, CLIENTS.iter());
    let seed = args.seed.unwrap_or_else(rand::random);
    let options = PlanOptions { seed, speed: args.speed, control: args.control, wire: WireTtl::WallSeconds };
    let scratch = PrivateFolder::create().map_err(RunError::System)?;
    let (drill, base, zone) = base(args.drill.as_deref(), scratch.path(), options)?;
    let write = |folder: &Path| members(folder, &base, &zone, &resolvers, &clients, options);
    let planned = write(scratch.path())?;
    if args.dry_run {
        let plans: Vec<&Plan> = planned.iter().map(|member| &member.plan).collect();
        terminal.print(&if args.json { pretty(&plans)? } else { page::dry_run(&plans, &clients, terminal.style) });
        return Ok(ExitCode::Passed);
    }
    let display = terminal.display(args.quiet);
    if let Some(all) = together(&planned)
        && footing::make(&all, false, &display).map_err(RunError::Footing)?.is_none()
    {
        return Ok(ExitCode::Interrupted);
    }
    let folder = Folder::create(&args.out, "matrix", OffsetDateTime::now_utc()).map_err(RunError::Folder)?;
    let members = write(folder.path())?;
    let runner = Runner {
        program: std::env::current_exe().map_err(RunError::Program)?,
        folder: folder.path().to_path_buf(),
        speed: None,
        ground: Some(GroundKind::Container),
        control: args.control,
    };
    let (started, began) = (wall_clock(), Instant::now());
    // The footing took the moving line away.
    let display = terminal.display(args.quiet);
    let (rows, interrupted) = lead(&members, &clients, options, &runner, &display)?;
    display.finish();
    let summary = MatrixSummary::of(drill, args.control, started, began.elapsed(), interrupted, rows);
    let json = summary.to_json().map_err(RunError::Summary)?;
    terminal.print(&if args.json { json.clone() } else { page::render(&summary, folder.path(), terminal.style) });
    let path = folder.path().join(OWN_FILE);
    let written = std::fs::write(&path, json).map_err(|source| FolderError { path, source });
    if let Err(error) = &written {
        terminal.complain(&error.to_string());
    }
    Ok(summary.exit_code.told(written.is_ok()))
}

/// Those that were asked for, each once; all when none was.
fn without_repeats<T: PartialEq>(asked: &[&'static T], all: impl Iterator<Item = &'static T>) -> Vec<&'static T> {
    let mut chosen: Vec<&'static T> = Vec::new();
    let asked: Vec<&'static T> = if asked.is_empty() { all.collect() } else { asked.to_vec() };
    for one in asked {
        if !chosen.contains(&one) {
            chosen.push(one);
        }
    }
    chosen
}

/// The name and the title of the drill that the matrix is made of, the drill, and the text of its zone. The one that is
/// built in lies in `scratch`.
fn base(
    file: Option<&Path>,
    scratch: &Path,
    options: PlanOptions,
) -> Result<((String, String), Base, String), MatrixError> {
    let file = if let Some(file) = file {
        file.to_path_buf()
    } else {
        write(&scratch.join(BUILT_IN_ZONE_AT), BUILT_IN_ZONE)?;
        write(&scratch.join("base.yaml"), BUILT_IN)?
    };
    let drill = load(&file).map_err(RunError::Drill)?;
    let base = Base::of(&read(&file)?, &drill.plan(options))?;
    let zone = read(&file.parent().unwrap_or(Path::new("")).join(base.zone()))?;
    Ok(((drill.name, drill.title), base, zone))
}

fn read(path: &Path) -> Result<String, MatrixError> {
    read_text(path).map_err(|error| MatrixError::Read { path: path.to_path_buf(), problem: error.to_string() })
}

/// Writes a file, and the folder in which it lies.
fn write(path: &Path, text: &str) -> Result<PathBuf, MatrixError> {
    let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(path, text));
    written.map_err(|problem| MatrixError::Write { path: path.to_path_buf(), problem })?;
    Ok(path.to_path_buf())
}

/// Writes the drill of each resolver into a folder, where it can be run again by itself, and plans it.
fn members(
    folder: &Path,
    base: &Base,
    zone: &str,
    resolvers: &[&'static Resolver],
    clients: &[&'static Client],
    options: PlanOptions,
) -> Result<Vec<Member>, MatrixError> {
    write(&folder.join(ZONE), zone)?;
    let mut members = Vec::new();
    for (resolver, seed) in resolvers.iter().zip((0..).map(|index| options.seed.wrapping_add(index))) {
        let text = base.with(resolver, clients, ZONE);
        let text = text.map_err(|problem| MatrixError::Yaml { resolver: resolver.name, problem })?;
        let file = write(&folder.join(format!("{}.yaml", name(resolver))), &text)?;
        let drill = load(&file).map_err(RunError::Drill)?;
        let plan = in_its_lab(&drill, PlanOptions { seed, ..options }, GroundKind::Container)?;
        members.push(Member { resolver, file, drill, plan });
    }
    Ok(members)
}

/// A plan that needs what any of them needs: so that images are built once, before the first run.
fn together(members: &[Member]) -> Option<Plan> {
    let mut plans = members.iter().map(|member| member.plan.clone());
    let mut all = plans.next()?;
    for plan in plans {
        all.resolvers.extend(plan.resolvers);
    }
    Some(all)
}

/// Runs one after another; what each said, and the signal that stopped them.
fn lead(
    members: &[Member],
    clients: &[&'static Client],
    options: PlanOptions,
    runner: &Runner,
    display: &Display,
) -> Result<(Vec<ResolverSummary>, Option<&'static str>), RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(RunError::System)?;
    runtime.block_on(async {
        let mut runs = Runs {
            runner,
            control: options.control,
            clients,
            interrupts: Interrupts::catch().map_err(RunError::System)?,
            interrupted: None,
            display,
            began: Instant::now(),
        };
        let mut rows = Vec::new();
        for member in members {
            rows.push(runs.of(member, options).await);
        }
        Ok((rows, runs.interrupted))
    })
}

struct Runs<'a> {
    runner: &'a Runner,
    control: bool,
    clients: &'a [&'static Client],
    interrupts: Interrupts,
    interrupted: Option<&'static str>,
    display: &'a Display,
    began: Instant,
}

impl Runs<'_> {
    /// Runs a resolver; once more, slower, when it could not tell.
    async fn of(&mut self, member: &Member, options: PlanOptions) -> ResolverSummary {
        let first = self.once(member, &member.plan).await;
        let slower = Speed::new((member.plan.speed.factor() * SLOWER).max(SLOWEST)).ok();
        if first.exit_code != ExitCode::Inconclusive || self.interrupted.is_some() {
            return first;
        }
        let options = PlanOptions { seed: member.plan.seed, speed: slower, ..options };
        match in_its_lab(&member.drill, options, GroundKind::Container) {
            Ok(plan) => self.once(member, &plan).await.after(first),
            Err(_) => first,
        }
    }

    async fn once(&mut self, member: &Member, plan: &Plan) -> ResolverSummary {
        let resolver = member.resolver;
        let row = |left, folder| {
            let ran = Ran { seed: plan.seed, speed: plan.speed.factor(), folder, left };
            ResolverSummary::of(resolver, self.clients, ran, self.control)
        };
        if self.interrupted.is_some() {
            return row(Left::NotRun, None);
        }
        self.display.say(&page::starts(self.began.elapsed(), plan, resolver));
        self.display.await_for(&format!("{} and {} clients", resolver.name, self.clients.len()));
        let before = folder::of_drill(&self.runner.folder, &plan.drill);
        let stop = Arc::new(AtomicBool::new(false));
        let (runner, file, planned, told) = (
            Runner { speed: Some(plan.speed), ..self.runner.clone() },
            member.file.clone(),
            plan.clone(),
            Arc::clone(&stop),
        );
        // It waits with a runtime of its own.
        let run = move || run_alone(&runner, &file, &planned, || told.load(Ordering::Relaxed));
        let mut run = tokio::task::spawn_blocking(run);
        let left = loop {
            tokio::select! {
                ended = &mut run => break match ended {
                    Ok(Ok(Some(reading))) => Left::Journal(reading.events),
                    Ok(Ok(None)) => Left::NotRun,
                    Ok(Err(problem)) => Left::Nothing(problem),
                    Err(_) => Left::Nothing("its supervisor panicked; this is a defect of muster".to_owned()),
                },
                signal = self.interrupts.next(), if self.interrupted.is_none() => {
                    self.interrupted = Some(signal);
                    stop.store(true, Ordering::Relaxed);
                    self.display.say(&page::stops(self.began.elapsed(), signal));
                }
            }
        };
        let folders = folder::of_drill(&self.runner.folder, &plan.drill);
        let made = folders.difference(&before).last().and_then(|path| path.file_name());
        let row = row(left, made.map(|name| name.to_string_lossy().into_owned()));
        self.display.say(&page::ended(self.began.elapsed(), &row));
        row
    }
}
