//! `muster clean`: removes what runs in the Docker lab have left on the engine.

use clap::Args;
use serde::Serialize;

use crate::containers::{Containers, Found, Owner, Why};
use crate::images::Engine;
use crate::lab::docker::FootingError;
use crate::verdict::ExitCode;

/// Remove what runs in the Docker lab have left on the engine
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Every container and network of a run carries its label and that of its process. Those are removed \
    whose process is gone, also when `--keep` left them standing; a run that is under way is not touched, and neither \
    is one of which that cannot be told: of another machine or container that shares the engine, or of another \
    muster. Those are listed, and removed when they are named.\n\n\
    Examples:\n  muster clean --dry-run   # say what would be removed\n  muster clean\n  \
    muster clean --run 1f0e9a3c\n  muster clean --all       # every run, even one that is under way"
)]
pub struct CleanArgs {
    /// Remove this run, and no other, even if it is under way; may be given several times
    #[arg(long = "run", value_name = "NAME")]
    pub runs: Vec<String>,
    /// Remove every run, even those that are under way
    #[arg(long, conflicts_with = "runs")]
    pub all: bool,
    /// Only say what would be removed
    #[arg(long)]
    pub dry_run: bool,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

/// A run that was found, and what became of it.
#[derive(Debug, Serialize)]
struct Line {
    #[serde(flatten)]
    found: Found,
    why: Why,
    became: Became,
    /// Why it was not removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Became {
    Removed,
    WouldBeRemoved,
    PassedOver,
    NotRemoved,
}

/// Removes it; the page, and what muster ends with: a run that cannot be removed is told, and the others are removed.
///
/// # Errors
/// When the engine cannot be reached, or refuses to list what it has.
pub fn clean(args: &CleanArgs) -> Result<(String, ExitCode), FootingError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(crate::images::ImagesError::from)?;
    let lines = runtime.block_on(remove(args))?;
    let is_left = lines.iter().any(|line| line.became == Became::NotRemoved);
    let code = if is_left { ExitCode::LabBroke } else { ExitCode::Passed };
    if args.json {
        let text = serde_json::to_string_pretty(&lines).map_err(std::io::Error::from);
        return Ok((text.map_err(crate::images::ImagesError::from)? + "\n", code));
    }
    Ok((page(&lines, &args.runs), code))
}

async fn remove(args: &CleanArgs) -> Result<Vec<Line>, FootingError> {
    let engine = Engine::reach().await?;
    let mut lines = Vec::new();
    for found in Containers::runs(&engine.docker()).await? {
        let why = found.why();
        let (mut became, mut problem) = (Became::PassedOver, None);
        if is_wanted(args, &found.run, why) {
            became = Became::WouldBeRemoved;
            if !args.dry_run {
                let containers = Containers::of_run(engine.docker(), found.run.clone(), Owner::this());
                problem = containers.remove_all().await.err().map(|error| error.to_string());
                became = if problem.is_none() { Became::Removed } else { Became::NotRemoved };
            }
        }
        lines.push(Line { found, why, became, problem });
    }
    Ok(lines)
}

fn is_wanted(args: &CleanArgs, run: &String, why: Why) -> bool {
    if args.runs.is_empty() { args.all || matches!(why, Why::LeftBehind | Why::Kept) } else { args.runs.contains(run) }
}

fn page(lines: &[Line], named: &[String]) -> String {
    // Who names a run asks for that one alone.
    let told = lines.iter().filter(|line| named.is_empty() || line.became != Became::PassedOver);
    let unknown = named.iter().filter(|run| lines.iter().all(|line| line.found.run != **run));
    let unknown =
        unknown.map(|run| format!("there is no run {run}; `muster clean --dry-run` lists those that there are\n"));
    let page: String = told.map(sentence).chain(unknown).collect();
    if page.is_empty() { "nothing to remove\n".to_owned() } else { page }
}

fn sentence(line: &Line) -> String {
    let Line { found: Found { run, containers, networks, .. }, why, became, problem } = line;
    let done = match became {
        Became::Removed => "removed",
        Became::WouldBeRemoved => "would remove",
        Became::PassedOver => "passed over",
        Became::NotRemoved => "could not remove",
    };
    let why = match why {
        Why::LeftBehind => "its process is gone",
        Why::Kept => "kept",
        Why::UnderWay => "it is under way",
        Why::NotTold => "whether its process lives cannot be told from here",
    };
    let next = match (became, problem) {
        (Became::PassedOver, _) => format!("; to remove it all the same: `muster clean --run {run}`"),
        (_, Some(problem)) => format!(": {problem}"),
        (_, None) => String::new(),
    };
    format!("{done} run {run}: {containers} containers, {networks} networks ({why}){next}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(runs: &[&str], all: bool) -> CleanArgs {
        CleanArgs { runs: runs.iter().map(|&run| run.to_owned()).collect(), all, dry_run: true, json: false }
    }

    fn line(run: &str, why: Why, became: Became) -> Line {
        let found = Found { run: run.to_owned(), containers: 26, networks: 6, owner: None };
        Line { found, why, became, problem: None }
    }

    #[test]
    fn what_is_removed_is_told_and_why_and_so_is_what_is_passed_over() {
        let kept = line("1a", Why::Kept, Became::WouldBeRemoved);
        let left = line("2b", Why::LeftBehind, Became::WouldBeRemoved);
        let other = line("3c", Why::NotTold, Became::PassedOver);
        assert_eq!(
            page(&[kept, left, other], &[]),
            "would remove run 1a: 26 containers, 6 networks (kept)\n\
             would remove run 2b: 26 containers, 6 networks (its process is gone)\n\
             passed over run 3c: 26 containers, 6 networks (whether its process lives cannot be told from here); \
             to remove it all the same: `muster clean --run 3c`\n"
        );
        assert_eq!(page(&[], &[]), "nothing to remove\n");
        assert!(page(&[], &["1a".to_owned()]).starts_with("there is no run 1a"));
    }

    #[test]
    fn only_what_certainly_has_no_process_is_removed_unless_it_is_named() {
        let wanted = |args: &CleanArgs| {
            [Why::LeftBehind, Why::Kept, Why::UnderWay, Why::NotTold].map(|why| is_wanted(args, &"1a".to_owned(), why))
        };
        assert_eq!(wanted(&args(&[], false)), [true, true, false, false]);
        assert_eq!(wanted(&args(&["1a"], false)), [true; 4]);
        assert_eq!(wanted(&args(&["2b"], false)), [false; 4]);
        assert_eq!(wanted(&args(&[], true)), [true; 4]);
    }
}
