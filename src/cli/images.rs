//! `muster images`: builds, lists and removes the images of the Docker lab.

use std::num::NonZeroUsize;
use std::time::Instant;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};

use crate::clock::LabTime;
use crate::images::inventory::{inventory, out_of_date};
use crate::images::{Built, CATALOGUE, Engine, Held, ImagesError, Progress, Wanted, build, debian};
use crate::lab::Interrupts;
use crate::report::progress::Line;
use crate::report::{Display, Style, images as page};
use crate::verdict::ExitCode;

use super::Terminal;

/// Build, list or remove the images of the Docker lab
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:\n  \
    muster images build                    # every image that is not built yet, or out of date\n  \
    muster images build unbound client-go  # these two, and what they stand on\n  \
    muster images build --again debian     # take what Debian has now, and with it build all anew\n  \
    muster images list\n  \
    muster images remove --old             # those that are out of date")]
pub struct ImagesArgs {
    /// What to do with them.
    #[command(subcommand)]
    pub what: What,
}

/// What to do with images.
#[derive(Clone, Debug, Subcommand)]
pub enum What {
    /// Build images, where what they are made from has changed
    Build(BuildArgs),
    /// List every image: whether it is built, its size, whether it is out of date
    List(ListArgs),
    /// Remove images from the engine
    Remove(RemoveArgs),
}

/// Build images.
#[derive(Clone, Debug, Args)]
pub struct BuildArgs {
    /// Which [default: all]; what they stand on is built with them
    #[arg(value_name = "NAME", value_parser = names())]
    pub names: Vec<String>,
    /// Build them though nothing changed
    #[arg(long)]
    pub again: bool,
    /// How many are built at a time [default: the cores of this machine, at most 4]
    #[arg(long, value_name = "COUNT")]
    pub at_once: Option<NonZeroUsize>,
    /// Show no live progress
    #[arg(long)]
    pub quiet: bool,
}

/// List images.
#[derive(Clone, Copy, Debug, Args)]
pub struct ListArgs {
    /// Print the list as JSON in place of the table
    #[arg(long)]
    pub json: bool,
}

/// Remove images.
#[derive(Clone, Debug, Args)]
pub struct RemoveArgs {
    /// Which [default: all that muster built]
    #[arg(value_name = "NAME", value_parser = names())]
    pub names: Vec<String>,
    /// Only those that are out of date
    #[arg(long)]
    pub old: bool,
}

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(CATALOGUE.iter().map(|image| image.name))
}

/// Does it; the page, and how muster ends.
///
/// # Errors
/// When the engine cannot be reached, or an image cannot be built or removed.
pub fn images(args: &ImagesArgs, terminal: &Terminal) -> Result<(String, ExitCode), ImagesError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut interrupts = Interrupts::catch()?;
        let work = async {
            match &args.what {
                What::Build(args) => build_images(args, &terminal.display(args.quiet)).await,
                What::List(args) => list(*args, terminal.style).await,
                What::Remove(args) => remove(args).await,
            }
        };
        // What is given up is cancelled: the engine ends a build that nobody listens to.
        tokio::select! {
            done = work => Ok((done?, ExitCode::Passed)),
            signal = interrupts.next() => {
                Ok((format!("{signal}: what was not done by then was given up\n"), ExitCode::Interrupted))
            }
        }
    })
}

async fn build_images(args: &BuildArgs, display: &Display) -> Result<String, ImagesError> {
    let engine = Engine::reach().await?;
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let at_once = args.at_once.unwrap_or_else(|| cores.min(const { NonZeroUsize::new(4).unwrap() }));
    let wanted = Wanted { names: args.names.clone(), again: args.again, at_once };
    let start = Instant::now();
    let tell = |progress: Progress<'_>| match progress {
        Progress::Line(text) => display.show(&[Line { at: LabTime::at(start.elapsed()), text: text.to_owned() }]),
        Progress::Awaits(text) => display.await_for(text),
    };
    let built = build(&engine, &wanted, &tell).await;
    display.finish();
    Ok(summary(&built?))
}

fn summary(built: &[Built]) -> String {
    let anew = built.iter().filter(|one| one.anew).count();
    let said = match (anew, built.len() - anew) {
        (0, all) => format!("{all} up to date, nothing to do"),
        (some, 0) => format!("{some} built"),
        (some, others) => format!("{some} built, {others} were up to date"),
    };
    lines(built.iter().map(|one| one.tag.clone()).chain([said]))
}

fn lines(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().fold(String::new(), |page, line| page + &line + "\n")
}

async fn list(args: ListArgs, style: Style) -> Result<String, ImagesError> {
    let engine = Engine::reach().await?;
    let held = engine.held().await?;
    let debian = debian::present(&engine, &held).await?;
    let entries = inventory(&held, debian.as_deref());
    if args.json {
        return Ok(serde_json::to_string_pretty(&entries).map_err(std::io::Error::from)? + "\n");
    }
    Ok(page::render(&entries, style))
}

async fn remove(args: &RemoveArgs) -> Result<String, ImagesError> {
    let engine = Engine::reach().await?;
    let held = engine.held().await?;
    let mut chosen: Vec<&Held> = if args.old {
        out_of_date(&held, debian::present(&engine, &held).await?.as_deref())
    } else {
        held.iter().collect()
    };
    chosen.retain(|held| args.names.is_empty() || args.names.contains(&held.name));
    // Whoever stands on another goes before it.
    let place = |held: &Held| CATALOGUE.iter().position(|image| image.name == held.name).unwrap_or(usize::MAX);
    chosen.sort_by_key(|held| std::cmp::Reverse(place(held)));
    let (mut removed, mut refused) = (Vec::new(), Vec::new());
    for held in chosen {
        match engine.remove(held).await {
            Ok(()) => removed.push(format!("removed {}", held.tag)),
            Err(ImagesError::InUse(problem)) => refused.push(problem),
            Err(error) => return Err(error),
        }
    }
    if !refused.is_empty() {
        return Err(ImagesError::InUse(refused.join("; ")));
    }
    if removed.is_empty() {
        removed.push("nothing to remove".to_owned());
    }
    Ok(lines(removed))
}

#[cfg(test)]
mod tests {
    use crate::images::Image;

    use super::*;

    #[test]
    fn a_build_says_what_it_did_and_when_there_was_nothing_to_do() {
        let built = |name, anew| Built { image: Image::named(name).unwrap(), tag: format!("muster/{name}:1"), anew };
        assert_eq!(summary(&[built("bind", false)]), "muster/bind:1\n1 up to date, nothing to do\n");
        let both = summary(&[built("base", false), built("bind", true)]);
        assert_eq!(both, "muster/base:1\nmuster/bind:1\n1 built, 1 were up to date\n");
    }
}
