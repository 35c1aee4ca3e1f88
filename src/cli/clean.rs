//! `muster clean`: removes what runs in the Docker lab have left on the engine.

use clap::Args;

use crate::containers::{Containers, Found, Owner};
use crate::images::Engine;
use crate::lab::docker::FootingError;

/// Remove what runs in the Docker lab have left on the engine
#[derive(Clone, Copy, Debug, Args)]
#[command(
    after_help = "Every container and network of a run carries its label and that of its process. Those are removed \
    whose process is gone, and those that `--keep` left standing; a run that is under way is not touched.\n\n\
    Examples:\n  muster clean --dry-run   # say what would be removed\n  muster clean"
)]
pub struct CleanArgs {
    /// Only say what would be removed
    #[arg(long)]
    pub dry_run: bool,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

/// Removes it; the page.
///
/// # Errors
/// When the engine cannot be reached, or refuses.
pub fn clean(args: CleanArgs) -> Result<String, FootingError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(crate::images::ImagesError::from)?;
    let found = runtime.block_on(remove(args.dry_run))?;
    if args.json {
        let text = serde_json::to_string_pretty(&found).map_err(std::io::Error::from);
        return Ok(text.map_err(crate::images::ImagesError::from)? + "\n");
    }
    Ok(page(&found, args.dry_run))
}

async fn remove(dry_run: bool) -> Result<Vec<Found>, FootingError> {
    let engine = Engine::reach().await?;
    let mut found = Containers::runs(&engine.docker()).await?;
    found.retain(|run| run.is_left_behind() || run.owner == Some(Owner::Kept));
    for run in found.iter().filter(|_| !dry_run) {
        Containers::of_run(engine.docker(), run.run.clone(), Owner::this()).remove_all().await?;
    }
    Ok(found)
}

fn page(found: &[Found], dry_run: bool) -> String {
    if found.is_empty() {
        return "nothing to remove\n".to_owned();
    }
    let done = if dry_run { "would remove" } else { "removed" };
    found.iter().fold(String::new(), |page, Found { run, containers, networks, owner }| {
        let why = if *owner == Some(Owner::Kept) { "kept" } else { "its process is gone" };
        format!("{page}{done} run {run}: {containers} containers, {networks} networks ({why})\n")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_removed_is_told_and_why() {
        let found = |run: &str, owner| Found { run: run.to_owned(), containers: 26, networks: 6, owner };
        let page = page(&[found("1a", Some(Owner::Kept)), found("2b", None)], true);
        assert_eq!(
            page,
            "would remove run 1a: 26 containers, 6 networks (kept)\n\
             would remove run 2b: 26 containers, 6 networks (its process is gone)\n"
        );
        assert_eq!(super::page(&[], false), "nothing to remove\n");
    }
}
