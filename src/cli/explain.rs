//! `muster explain`: what a tree answers, and why, without running anything.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use hickory_proto::rr::Name;

use crate::decide::{Question, Switches};
use crate::explain::{self, Explanation, Health, HealthError, SenderError, Status};
use crate::formats::{Format, Options, State};
use crate::health::HealthCheckDefinition;
use crate::report::{Style, explanation, explanation_dot};
use crate::source::{SourceError, SourceMap, TextError, read_text};
use crate::verdict::ExitCode;
use crate::zone::{HealthCheckId, SUPPORTED_TYPES, Zone, name_of_text, type_of_text};

use super::import::{self, Gathered, ImportError, gather, texts_of, zone_name};

/// Say what a name is answered in a state of health, and why, without running anything
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct ExplainArgs {
    /// The zone, and health checks where they are in a file of their own: in any format of `muster import`; `-` is
    /// standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Which format the files are [default: recognised from the content]
    #[arg(long)]
    pub format: Option<Format>,
    /// The zone that is meant, where there are several [default: the one that the name is in]
    #[arg(long, value_name = "NAME", value_parser = zone_name)]
    pub zone: Option<Name>,
    /// Which side of a plan: `before` or `after`
    #[arg(long, value_name = "SIDE", default_value = "after")]
    pub state: State,
    /// The name that is asked for
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// The type that is asked for
    #[arg(long = "type", value_name = "TYPE", default_value = "A")]
    pub rtype: String,
    /// Who asks: a country (`Brazil`, `BR`), a state (`US/CA`), an AWS Region, an address or a subnet; a place and an
    /// address together, too
    #[arg(long, value_name = "PLACE")]
    pub from: Vec<String>,
    /// What is unhealthy: ids of health checks and names of AWS resources, or a part that only one of them has
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub down: Vec<String>,
    /// What is healthy although `--health` says otherwise
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub up: Vec<String>,
    /// A file that says how everything is, in YAML: `alb-sa-east-1: unhealthy`, a line for each
    #[arg(long, value_name = "FILE")]
    pub health: Option<PathBuf>,
    /// Print the account as JSON in place of the page
    #[arg(long, conflicts_with = "dot")]
    pub json: bool,
    /// Print the tree for Graphviz in place of the page
    #[arg(long)]
    pub dot: bool,
}

const EXAMPLES: &str = "Examples:\n  muster explain zone.json --name api.example.com --from BR --down alb-sa-east-1\n  \
                        terraform show -json tfplan | muster explain - --name api.example.com --state after\n  \
                        muster explain zone.json health-checks.json --name api.example.com --from DE --from 203.0.113.7 --json\n  \
                        muster explain zone.json --name api.example.com --dot | dot -Tsvg > answer.svg\n\n\
                        What nothing is said of is healthy. ✓ a record that can be used, ✗ one that is unhealthy, · one that is \
                        not asked for or does not apply, ! one that is taken as a last resort; in brackets the rules that say so \
                        (`muster conform --coverage` lists them). Where another \
                        reading is known of a rule that AWS does not state in words, the answer under it is shown too.\n\n\
                        Not known here: the blocks of CIDR collections, so that an IP-based group answers as if it had none but \
                        its default; and, without `--from` a place, how near a Region is: then the order of names decides.\n\n\
                        Exit codes: 0, whatever is answered; 2 when the question cannot be put.";

/// Why nothing can be explained.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// A file cannot be read.
    #[error("{}: {problem}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        problem: TextError,
    },
    /// The files are none, or wrong.
    #[error(transparent)]
    Tree(#[from] ImportError),
    /// The zone answers by other rules.
    #[error("the zone {apex} is of Cloud DNS, by whose rules muster decides nothing yet; expected a zone of Route 53")]
    OtherDialect {
        /// Which zone.
        apex: String,
    },
    /// There is no zone in them that the name is in.
    #[error("there is no zone in {files} that the name is in; expected its record sets")]
    NoZone {
        /// The files.
        files: String,
    },
    /// The name is none.
    #[error("--name: `{name}` is no domain name: {problem}")]
    Name {
        /// As it was written.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The type is none.
    #[error("--type: `{found}` is no record type that is served; expected one of {expected}")]
    Type {
        /// As it was written.
        found: String,
        /// Those there are.
        expected: String,
    },
    /// The sender is nowhere.
    #[error("--from: {0}")]
    From(#[from] SenderError),
    /// What is said to be healthy or not is nothing.
    #[error("{place}: {problem}")]
    Health {
        /// The option, or the file and where in it.
        place: String,
        /// What is wrong.
        problem: HealthError,
    },
    /// The file of `--health` is none.
    #[error(transparent)]
    HealthFile(#[from] SourceError),
    /// It cannot be told in JSON.
    #[error("the account cannot be written as JSON: {0}; this is a defect of muster")]
    Json(#[from] serde_json::Error),
}

/// The page, and with which code muster ends.
///
/// # Errors
/// When the question cannot be put: see [`ExplainError`].
pub fn explain(args: &ExplainArgs, style: Style) -> Result<(String, ExitCode), ExplainError> {
    let told = account(args)?;
    let page = if args.json {
        serde_json::to_string_pretty(&told)? + "\n"
    } else if args.dot {
        explanation_dot::render(&told)
    } else {
        explanation::render(&told, style)
    };
    Ok((page, ExitCode::Passed))
}

fn account(args: &ExplainArgs) -> Result<Explanation, ExplainError> {
    let name = name(&args.name)?;
    let (zone, health_checks) = tree(args, &name)?;
    let known = || SUPPORTED_TYPES.iter().map(|(text, _)| *text).collect::<Vec<_>>().join(", ");
    let rtype = type_of_text(&args.rtype.to_ascii_uppercase())
        .filter(|rtype| SUPPORTED_TYPES.iter().any(|(_, known)| known == rtype))
        .ok_or_else(|| ExplainError::Type { found: args.rtype.clone(), expected: known() })?;
    let mut health = Health::of(&zone, &health_checks);
    if let Some(file) = &args.health {
        say_file(&mut health, file)?;
    }
    for (option, names, status) in [("--down", &args.down, Status::Unhealthy), ("--up", &args.up, Status::Healthy)] {
        for name in names {
            let problem = |problem| ExplainError::Health { place: option.to_owned(), problem };
            health.say(name, status).map_err(problem)?;
        }
    }
    let question = Question { name, rtype, viewpoint: explain::sender(&args.from)? };
    Ok(explain::explain(&zone, &question, &args.from, &health, Switches::default()))
}

/// The zone and the health checks of the files.
fn tree(args: &ExplainArgs, name: &Name) -> Result<Tree, ExplainError> {
    let texts = texts_of(&args.files)?;
    let options = Options { format: args.format, zone: args.zone.clone(), state: args.state };
    match gather(&args.files, &texts, &options, Some(args.zone.as_ref().unwrap_or(name))) {
        Ok(Gathered { tree: Some(import::Tree::Route53(zone)), health_checks, .. }) => Ok((zone, health_checks)),
        Ok(Gathered { tree: Some(import::Tree::CloudDns(zone)), .. }) => {
            Err(ExplainError::OtherDialect { apex: zone.apex.to_string() })
        }
        Ok(_) => {
            let files: Vec<String> = args.files.iter().map(|file| file.display().to_string()).collect();
            Err(ExplainError::NoZone { files: files.join(", ") })
        }
        Err(errors) => Err(ImportError::Content { errors, texts }.into()),
    }
}

type Tree = (Zone, BTreeMap<HealthCheckId, HealthCheckDefinition>);

fn name(written: &str) -> Result<Name, ExplainError> {
    let wrong = |problem: String| ExplainError::Name { name: written.to_owned(), problem };
    let mut name = name_of_text(written).map_err(wrong)?;
    name.set_fqdn(true);
    Ok(name)
}

fn read(path: &Path) -> Result<String, ExplainError> {
    read_text(path).map_err(|problem| ExplainError::Unreadable { path: path.to_path_buf(), problem })
}

fn say_file(health: &mut Health, path: &Path) -> Result<(), ExplainError> {
    let text = read(path)?;
    let map = SourceMap::of_yaml(path, &text)?;
    let said: BTreeMap<String, Status> = serde_yaml::from_str(&text).map_err(|error| SourceError {
        at: map.position(error.location().map_or((1, 1), |place| (place.line(), place.column()))),
        format: "YAML",
        problem: format!("{error}; expected a line `name: healthy` or `name: unhealthy` for each"),
    })?;
    for (name, status) in said {
        let place = map.key(&name).to_string();
        health.say(&name, status).map_err(|problem| ExplainError::Health { place, problem })?;
    }
    Ok(())
}
