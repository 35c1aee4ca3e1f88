//! `muster conform`: holds a server against the rules, scenario by scenario.

use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use gherkin::Feature;

use crate::conform::coverage::Coverage;
use crate::conform::inputs;
use crate::conform::mutants::run_mutants;
use crate::conform::{FeatureErrors, Features, Pace, RunTrouble, Selection, SelectionError, SuiteOutcome, run};
use crate::formats;
use crate::gherkin::catalogue::ExpressionError;
use crate::gherkin::{Catalogue, DrillRuns, Early, LabChoice, Setting, Stop, SubjectChoice};
use crate::lab::watch;
use crate::report::conform_terminal::{self, HeldAgainst};
use crate::report::destination::{self, Destination, DestinationError};
use crate::report::{Style, conform_coverage, conform_cucumber, conform_junit, conform_mutants, junit};
use crate::rulebook::Rulebook;
use crate::source::{TextError, read_text};
use crate::subject::mutants::mutants;
use crate::verdict::ExitCode;
use crate::zone::{Zone, ZoneErrors};

use super::Terminal;
use super::run::LabKind;

/// So many drills stand side by side in the embedded lab.
const DRILLS_AT_ONCE: usize = 4;

/// Hold an authoritative server against the rules: run the scenarios of feature files
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "Examples:\n  \
    muster conform                                     # the whole suite, against muster itself\n  \
    muster conform features/route53 --tags \"@failover and not @slow\" --junit out.xml\n  \
    muster conform --lab embedded                      # the same scenarios through real DNS messages\n  \
    muster conform --lab embedded --drills             # and whole drills there: some minutes\n  \
    muster conform my-features/ --zone zone.json --subject 192.0.2.1:53\n  \
    muster conform --coverage                          # which rule is exercised by which scenario\n  \
    muster conform --mutants                           # the suite's own test: every mutant must be killed")]
pub struct ConformArgs {
    /// Feature files, and folders of them
    #[arg(default_value = "features")]
    pub paths: Vec<PathBuf>,
    /// Run only the scenarios that these tags select: `@a and not (@b or @c)`
    #[arg(long, value_name = "EXPRESSION")]
    pub tags: Option<String>,
    /// Who is held against the rules: muster, mutant:<name>, or a server at <address>:<port>
    #[arg(long, default_value = "muster", value_name = "SUBJECT")]
    pub subject: SubjectChoice,
    /// Where a subject of muster's own is; virtual when not given
    #[arg(long, value_enum)]
    pub lab: Option<LabKind>,
    /// With `--lab embedded`: run the scenarios that run a drill there, too. Each takes some 16 s
    #[arg(long, requires = "lab")]
    pub drills: bool,
    /// The zone of the step `the zone under test`: Route 53's JSON
    #[arg(long, value_name = "FILE")]
    pub zone: Option<PathBuf>,
    /// What every random choice comes from
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// End the run at the first failure
    #[arg(long)]
    pub fail_fast: bool,
    /// Tell for each rule of the rulebook who exercises it; fail when a rule is missing that can be told
    #[arg(long, conflicts_with_all = ["mutants", "tags"])]
    pub coverage: bool,
    /// Run the suite against every mutant; fail when one survives
    #[arg(long)]
    pub mutants: bool,
    /// Write `JUnit` XML to this file
    #[arg(long, value_name = "FILE", conflicts_with = "mutants")]
    pub junit: Option<PathBuf>,
    /// Write Cucumber JSON to this file
    #[arg(long, value_name = "FILE", conflicts_with = "mutants")]
    pub cucumber_json: Option<PathBuf>,
    /// Print what became of every scenario as JSON in place of the page
    #[arg(long)]
    pub json: bool,
}

/// A suite that cannot be run, or not be told.
#[derive(Debug, thiserror::Error)]
pub enum ConformError {
    /// A feature file has mistakes.
    #[error(transparent)]
    Features(#[from] FeatureErrors),
    /// Nothing is selected.
    #[error(transparent)]
    Selection(#[from] SelectionError),
    /// The zone has mistakes.
    #[error(transparent)]
    Zone(#[from] ZoneErrors),
    /// A file cannot be read.
    #[error("{}{}: {problem}", path.display(), at(problem.place))]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why, and from where on.
        problem: TextError,
    },
    /// Mutants of what is none of muster's own.
    #[error(
        "--mutants holds muster's own mutants against the rules, and {subject} is another subject; expected one of the two"
    )]
    MutantsOf {
        /// The subject.
        subject: SubjectChoice,
    },
    /// A lab for what stands outside of it.
    #[error("--lab says where a subject of muster's own is, and {subject} is already serving; expected one of the two")]
    LabOfAServer {
        /// The subject.
        subject: SubjectChoice,
    },
    /// muster does not find itself, which is to run each drill, or has nowhere to put their reports.
    #[error("nothing was started: no process for the drills: {0}")]
    Program(io::Error),
    /// A zone that no selected scenario speaks of.
    #[error(
        "--zone {}: no scenario that is selected speaks of it, so nothing would be held against it; expected a scenario \
         with the step `Given the zone under test`, or no --zone. Nothing was started",
        path.display()
    )]
    UnusedZone {
        /// Its file.
        path: PathBuf,
    },
    /// A report cannot go where it is to.
    #[error(transparent)]
    Destination(#[from] DestinationError),
    /// The system does not let signals be caught.
    #[error("nothing was started: signals cannot be caught: {0}")]
    Signals(io::Error),
    /// The catalogue is broken.
    #[error(transparent)]
    Catalogue(#[from] ExpressionError),
    /// The runner is.
    #[error(transparent)]
    Run(#[from] RunTrouble),
    /// The outcome cannot be told in JSON.
    #[error("the outcome cannot be written as JSON: {0}; this is a defect of muster")]
    Json(#[from] serde_json::Error),
}

impl ConformError {
    /// How muster ends because of this.
    #[must_use]
    pub const fn exit_code(&self) -> ExitCode {
        match self {
            Self::Features(_)
            | Self::Selection(_)
            | Self::Zone(_)
            | Self::Unreadable { .. }
            | Self::LabOfAServer { .. }
            | Self::MutantsOf { .. }
            | Self::UnusedZone { .. }
            | Self::Destination(_) => ExitCode::CannotRun,
            Self::Program(_) | Self::Catalogue(_) | Self::Run(_) | Self::Json(_) | Self::Signals(_) => {
                ExitCode::LabBroke
            }
        }
    }
}

/// Runs the suite, and tells what came of it.
///
/// # Errors
/// When nothing can be run.
pub fn conform(args: &ConformArgs, terminal: &Terminal) -> Result<ExitCode, ConformError> {
    let lab = lab(args)?;
    let catalogue = Catalogue::new()?;
    if args.mutants && !matches!(args.subject, SubjectChoice::Muster) {
        return Err(ConformError::MutantsOf { subject: args.subject });
    }
    let selection = Selection::of(args.tags.as_deref())?;
    let zone = args.zone.as_deref().map(read_zone).transpose()?;
    let features = Features::read(&args.paths, &catalogue)?;
    let inputs = inputs::files(&features.parsed).into_iter().chain(args.zone.clone()).collect::<Vec<_>>();
    let selected = selection.among(features.parsed)?;
    if let Some(path) = args.zone.as_ref().filter(|_| !inputs::speak_of_zone_under_test(&selected, &catalogue)) {
        return Err(ConformError::UnusedZone { path: path.clone() });
    }
    destination::check(&args.destinations().collect::<Vec<_>>(), &inputs)?;
    let stop = Stop::default();
    let asked = stop.clone();
    watch(move |signal| asked.ask(Early::Interrupted(signal))).map_err(ConformError::Signals)?;
    let (drills, texts) = (Arc::new(drills(args, lab)?.until(stop.clone())), Arc::new(features.texts));
    let setting = Setting { texts, subject: args.subject, lab, zone, seed: args.seed, stop, drills };
    let suite = Suite { features: &selected, catalogue: &catalogue, setting, style: terminal.style };
    let outcome = suite.run(args.fail_fast)?;
    let code = outcome.exit_code();
    if args.mutants && code == ExitCode::Passed {
        let (page, code) = suite.mutants(args.json)?;
        terminal.print(&page);
        return Ok(code);
    }
    let (page, code) = if args.coverage && code == ExitCode::Passed {
        coverage(&outcome, args.json, terminal.style)?
    } else if args.json {
        (json(&outcome)?, code)
    } else {
        (conform_terminal::render(&outcome, &suite.held(), terminal.style), code)
    };
    terminal.print(&page);
    // After the page, so that a full disk cannot take it from whoever waits for it.
    Ok(code.told(suite.leave_reports(args, &outcome, terminal)))
}

/// What was selected, and against whom.
struct Suite<'s> {
    features: &'s [Feature],
    catalogue: &'s Catalogue,
    setting: Setting,
    style: Style,
}

impl Suite<'_> {
    fn run(&self, fail_fast: bool) -> Result<SuiteOutcome, RunTrouble> {
        let pace = Pace { threads: self.at_once(), fail_fast };
        run(self.features, self.catalogue, &Arc::new(self.setting.clone()), pace)
    }

    /// A drill in the embedded lab mostly waits, and more of them stand side by side than there are cores. One in
    /// containers has some thirty processes, which want to run when they are due.
    fn at_once(&self) -> usize {
        match self.setting.lab {
            LabChoice::Embedded if self.setting.runs_drills().is_ok() => threads().max(DRILLS_AT_ONCE),
            LabChoice::Docker => 1,
            LabChoice::Embedded | LabChoice::Virtual => threads(),
        }
    }

    fn mutants(&self, as_json: bool) -> Result<(String, ExitCode), ConformError> {
        let outcomes = run_mutants(mutants(), self.features, self.catalogue, &self.setting, threads())?;
        let killed = outcomes.iter().all(|outcome| outcome.fate.is_killed());
        let mut page = if as_json { json(&outcomes)? } else { conform_mutants::render(&outcomes, self.style) };
        let Some(early) = self.setting.stop.early() else {
            return Ok((page, if killed { ExitCode::Passed } else { ExitCode::Failed }));
        };
        if !as_json {
            let left = mutants().len() - outcomes.len();
            page = format!("{page}the run ended before its time: {early}; {left} more mutants were not told\n");
        }
        Ok((page, ExitCode::Interrupted))
    }

    fn held(&self) -> HeldAgainst {
        let lab = match self.setting.subject {
            SubjectChoice::Server(_) => "network".to_owned(),
            SubjectChoice::Muster | SubjectChoice::Mutant(_) => self.setting.lab.to_string(),
        };
        HeldAgainst { subject: self.setting.subject.to_string(), lab }
    }

    /// Writes every report that was asked for, and complains of what cannot be written; whether all are there.
    fn leave_reports(&self, args: &ConformArgs, outcome: &SuiteOutcome, terminal: &Terminal) -> bool {
        let mut whole = true;
        for destination in args.destinations() {
            let written = self.report(destination.option, outcome).and_then(|text| {
                destination.write(&text).map_err(|problem| {
                    let (option, path) = (destination.option, destination.path.display());
                    format!(
                        "{option} {path}: the report cannot be written: {problem}; make room, or write it elsewhere"
                    )
                })
            });
            if let Err(problem) = written {
                terminal.complain(&problem);
                whole = false;
            }
        }
        whole
    }

    fn report(&self, option: &str, outcome: &SuiteOutcome) -> Result<String, String> {
        if option == JUNIT {
            let suites = conform_junit::suites(outcome, &self.held(), self.setting.seed);
            return junit::render("conformance", suites).map_err(|error| error.to_string());
        }
        conform_cucumber::render(outcome)
            .map_err(|error| format!("the outcome cannot be written as JSON: {error}; this is a defect of muster"))
    }
}

const JUNIT: &str = "--junit";
const CUCUMBER_JSON: &str = "--cucumber-json";

impl ConformArgs {
    /// Where reports go.
    fn destinations(&self) -> impl Iterator<Item = Destination<'_>> {
        let junit = self.junit.as_deref().map(|path| Destination { option: JUNIT, path });
        let cucumber = self.cucumber_json.as_deref().map(|path| Destination { option: CUCUMBER_JSON, path });
        junit.into_iter().chain(cucumber)
    }
}

/// Where the drills of scenarios run. Over real sockets they take long, and are run when somebody asks for it.
fn drills(args: &ConformArgs, lab: LabChoice) -> Result<DrillRuns, ConformError> {
    match lab {
        LabChoice::Virtual => Ok(DrillRuns::in_the_virtual_lab()),
        LabChoice::Embedded if !args.drills => Ok(DrillRuns::nowhere()),
        LabChoice::Embedded => {
            let program = std::env::current_exe().map_err(ConformError::Program)?;
            DrillRuns::in_the_embedded_lab(program).map_err(ConformError::Program)
        }
        LabChoice::Docker => {
            let program = std::env::current_exe().map_err(ConformError::Program)?;
            DrillRuns::in_the_docker_lab(program).map_err(ConformError::Program)
        }
    }
}

fn coverage(outcome: &SuiteOutcome, as_json: bool, style: Style) -> Result<(String, ExitCode), ConformError> {
    let coverage = Coverage::of(Rulebook::route53(), outcome);
    let code = if coverage.is_whole() { ExitCode::Passed } else { ExitCode::Failed };
    let page = if as_json { json(&coverage)? } else { conform_coverage::render(&coverage, style) };
    Ok((page, code))
}

fn lab(args: &ConformArgs) -> Result<LabChoice, ConformError> {
    match (args.lab, args.subject) {
        (Some(_), subject @ SubjectChoice::Server(_)) => Err(ConformError::LabOfAServer { subject }),
        (Some(LabKind::Embedded), _) => Ok(LabChoice::Embedded),
        (Some(LabKind::Docker), _) => Ok(LabChoice::Docker),
        (Some(LabKind::Virtual) | None, _) => Ok(LabChoice::Virtual),
    }
}

/// `:3:14`, or nothing.
fn at(place: Option<(usize, usize)>) -> String {
    place.map_or_else(String::new, |(line, column)| format!(":{line}:{column}"))
}

fn read_zone(path: &Path) -> Result<Arc<Zone>, ConformError> {
    let text = read_text(path).map_err(|problem| ConformError::Unreadable { path: path.to_path_buf(), problem })?;
    Ok(Arc::new(formats::read_zone(path, &text, None)?))
}

fn json(told: &impl serde::Serialize) -> Result<String, serde_json::Error> {
    serde_json::to_string_pretty(told).map(|json| json + "\n")
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}
