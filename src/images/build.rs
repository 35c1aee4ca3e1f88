//! Leads the building: the Debian, then wave after wave, several images at a time.

use std::num::NonZeroUsize;
use std::time::Instant;

use futures_util::{StreamExt, TryStreamExt, stream};

use super::catalogue::Recipe;
use super::engine::{Order, tag};
use super::work::{self, Targets};
use super::{CATALOGUE, Engine, Image, ImagesError, debian};

/// What is said while images are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'p> {
    /// Something is done, or begins.
    Line(&'p str),
    /// What is awaited now.
    Awaits(&'p str),
}

/// An image that is there as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    /// Which.
    pub image: &'static Image,
    /// Its tag.
    pub tag: String,
    /// Whether it had to be built.
    pub anew: bool,
}

/// Which images are wanted, and how they are built.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Their names; all when there are none. What they stand on comes with them.
    pub names: Vec<String>,
    /// Build those that are named though nothing changed, all but the Debian when none is.
    pub again: bool,
    /// How many are built at a time.
    pub at_once: NonZeroUsize,
}

/// Has the engine have these images; those that it has as they are to be are left alone.
///
/// # Errors
/// When one cannot be built; those that were done by then stay, the others are given up.
pub async fn build(engine: &Engine, wanted: &Wanted, tell: &dyn Fn(Progress<'_>)) -> Result<Vec<Built>, ImagesError> {
    let again = again(wanted);
    let needed = work::needed(&wanted.names);
    let held = engine.held().await?;
    let debian = debian(engine, &held, &again, tell).await?;
    let targets = Targets::on(&debian);
    let waves = work::waves(&needed, &targets, &held, &again);
    let total: usize = waves.iter().map(Vec::len).sum();
    if total > 0 {
        tell(Progress::Line(&format!("{total} to build, at most {} at a time", wanted.at_once)));
    }
    let mut done = Ok(());
    for wave in &waves {
        let building = wave
            .iter()
            .map(|image| one(engine, image, &targets, &debian, again.contains(&image.name.to_owned()), tell));
        done = stream::iter(building).buffer_unordered(wanted.at_once.get()).try_collect::<()>().await;
        if done.is_err() {
            break;
        }
    }
    let forgotten = if total > 0 { engine.forget_stages().await } else { Ok(()) };
    done.and(forgotten)?;
    let built = needed.into_iter().filter(|image| image.on().is_some()).filter_map(|image| {
        let anew = waves.iter().flatten().any(|one| one.name == image.name);
        Some(Built { image, tag: tag(image.name, targets.of(image.name)?), anew })
    });
    Ok(built.collect())
}

/// The names of what is built though nothing changed.
fn again(wanted: &Wanted) -> Vec<String> {
    match (wanted.again, wanted.names.is_empty()) {
        (false, _) => Vec::new(),
        (true, false) => wanted.names.clone(),
        (true, true) => CATALOGUE.iter().filter(|image| image.on().is_some()).map(|i| i.name.to_owned()).collect(),
    }
}

async fn debian(
    engine: &Engine,
    held: &[super::Held],
    again: &[String],
    tell: &dyn Fn(Progress<'_>),
) -> Result<String, ImagesError> {
    let image = CATALOGUE.iter().find(|image| image.recipe == Recipe::Import);
    let image =
        image.ok_or_else(|| std::io::Error::other("the catalogue has no Debian; this is a defect of muster"))?;
    let present = debian::present(engine, held).await?;
    match present {
        Some(id) if !again.iter().any(|name| name == image.name) => Ok(id),
        _ => debian::fetch(engine, image, tell).await,
    }
}

async fn one(
    engine: &Engine,
    image: &'static Image,
    targets: &Targets,
    debian: &str,
    anew: bool,
    tell: &dyn Fn(Progress<'_>),
) -> Result<(), ImagesError> {
    let (Recipe::Dockerfile { on, argument }, Some(made_from)) = (image.recipe, targets.of(image.name)) else {
        return Ok(());
    };
    let below = match (Image::named(on).map(|below| below.recipe), targets.of(on)) {
        (Some(Recipe::Dockerfile { .. }), Some(made_from)) => tag(on, made_from),
        _ => debian.to_owned(),
    };
    let start = Instant::now();
    tell(Progress::Line(&format!("{}: building", image.name)));
    let order = Order { image, made_from, on: (argument, &below), anew };
    engine.build(&order, |line| tell(Progress::Awaits(&format!("{}: {line}", image.name)))).await?;
    tell(Progress::Line(&format!("{}: built in {:.1} s", image.name, start.elapsed().as_secs_f64())));
    Ok(())
}
