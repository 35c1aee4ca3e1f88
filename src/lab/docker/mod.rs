//! The Docker lab: containers in place of tasks, and in them real resolvers, a real database, real clients.
//!
//! It reaches its containers through the engine and through one published port, the hub's, and never by their
//! addresses, so the engine may be anywhere. Whatever way it ends, it removes everything it made.

mod blow;
mod clock_reading;
#[cfg(test)]
mod drills;
mod error;
mod in_order;
mod layout;
mod leading;
mod raising;
mod software;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task::LocalSet;

use crate::clock::Speed;
use crate::conduct::Command;
use crate::containers::{AddressPlan, Containers, ContainersError, MAKES_WITHIN, NoAddressPlan, Owner, Removed, Why};
use crate::ground::{Recorder, WallClock};
use crate::images::{Engine, ImagesError, Progress, Wanted, build, own_image};
use crate::journal::event::{Event, Stamped};
use crate::plan::Plan;
use crate::zone::Zone;

use super::embedded::NoThread;
use super::{LabHandle, panics};

pub use error::LayoutError;
pub use layout::{Container, Images, Layout, Start, lay_out, wires};
pub use software::{Software, foreign, needed};

/// How long the lab may take to come up, wall time; it is added to what a plan allows for its settling.
pub const COMES_UP_WITHIN: Duration = Duration::from_secs(90);
/// How long its containers and networks may take to be removed. Wall time.
const COMES_DOWN_WITHIN: Duration = Duration::from_secs(45);
/// Where a person says out of which addresses the networks of labs are, instead of out of the default plan.
pub const NETWORKS: &str = "MUSTER_NETWORKS";
/// From one attempt at that to the next. Wall time.
const AGAIN: Duration = Duration::from_millis(500);
/// How long it may take to stop, at most: the engine ends what it is at, the hub says its last word, everything is
/// removed. Wall time.
pub const STOPS_WITHIN: Duration = MAKES_WITHIN
    .saturating_add(leading::LAST_WORD_WITHIN)
    .saturating_add(COMES_DOWN_WITHIN)
    .saturating_add(Duration::from_secs(5));

/// What a Docker lab stands on.
#[derive(Clone, Debug)]
pub struct Footing {
    images: Images,
    run: String,
    keep: bool,
    addresses: AddressPlan,
}

/// Why there is nothing to stand on.
#[derive(Debug, thiserror::Error)]
pub enum FootingError {
    /// No engine, or no images.
    #[error(transparent)]
    Images(#[from] ImagesError),
    /// A client is an image that there is not.
    #[error(
        "client {client} is the image {image}, which the Docker engine does not have; fetch it (`docker pull {image}`), \
         build it, or name another in the drill"
    )]
    NoSuchImage {
        /// The client.
        client: String,
        /// The image, as the drill names it.
        image: String,
    },
    /// What an earlier run left cannot be removed.
    #[error(transparent)]
    Containers(#[from] ContainersError),
    /// The networks of the lab cannot have the addresses that they are to have.
    #[error("{NETWORKS}: {0}")]
    Addresses(#[from] NoAddressPlan),
}

impl Footing {
    /// Reaches the engine, removes what runs have left whose process is gone, and has the images that the plan needs.
    /// `run` names the run on the engine; `keep`: the lab is left standing.
    ///
    /// # Errors
    /// When there is no engine, or an image cannot be built.
    pub async fn make(plan: &Plan, run: String, keep: bool, tell: &dyn Fn(Progress<'_>)) -> Result<Self, FootingError> {
        let addresses = match std::env::var(NETWORKS) {
            Ok(plan) if !plan.is_empty() => plan.parse()?,
            _ => AddressPlan::default(),
        };
        let engine = Engine::reach().await?;
        for left in Containers::runs(&engine.docker()).await?.into_iter().filter(|found| found.why() == Why::LeftBehind)
        {
            tell(Progress::Line(&format!("removing what run {} left behind", left.run)));
            // What is another run's is in nobody's way.
            if let Err(error) = Containers::of_run(engine.docker(), left.run, Owner::this()).remove_all().await {
                tell(Progress::Line(&error.to_string()));
            }
        }
        for (client, image) in foreign(plan) {
            if !engine.has(&image).await? {
                return Err(FootingError::NoSuchImage { client, image });
            }
        }
        let at_once = std::thread::available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN);
        let names = needed(plan);
        let mut images = Images { muster: own_image(&engine).await?, ..Images::default() };
        if !names.is_empty() {
            let built = build(&engine, &Wanted { names, again: false, at_once }, tell).await?;
            images.others = built.into_iter().map(|built| (built.image.name.to_owned(), built.tag)).collect();
        }
        Ok(Self { images, run, keep, addresses })
    }

    /// The name of the run on the engine, when its lab is left standing.
    #[must_use]
    pub fn kept(&self) -> Option<&str> {
        self.keep.then_some(self.run.as_str())
    }
}

/// Starts a lab on a thread of its own. What happens in it, its own failure included, is told by its events. Its
/// switches are turned at `control`, a path that nothing has yet, if one is given.
///
/// # Errors
/// When the system gives no thread.
pub fn start(plan: Plan, zone: Arc<Zone>, footing: Footing, control: Option<PathBuf>) -> Result<LabHandle, NoThread> {
    let (drill, speed, stage) = (plan.drill.clone(), plan.speed, footing.clone());
    on_its_thread(&drill, speed, stage, move |clock, sink, orders| {
        run(&plan, &zone, &footing, control.as_deref(), clock, sink, orders)
    })
}

/// Has `lead` lead a lab on a thread of its own, by this clock: it tells what happens, and does what is ordered. On
/// whichever way it ends, by a panic too, everything is removed that the engine has of the run, and what cannot be is
/// told.
///
/// # Errors
/// When the system gives no thread.
pub fn on_its_thread(
    drill: &str,
    speed: Speed,
    footing: Footing,
    lead: impl FnOnce(WallClock, &mpsc::UnboundedSender<Stamped>, mpsc::UnboundedReceiver<Command>) -> Result<(), String>
    + Send
    + 'static,
) -> Result<LabHandle, NoThread> {
    let clock = WallClock::start(speed);
    let (commands, orders) = mpsc::unbounded_channel();
    let (sink, events) = mpsc::unbounded_channel();
    let overdue = overdue(&footing);
    let thread = std::thread::Builder::new().name(format!("lab-{drill}")).spawn(move || {
        let recorder = Recorder::new(clock, sink.clone());
        let _told = panics::tell(&recorder);
        let swept = (!footing.keep).then(|| Sweep { run: Some(footing.run.clone()), recorder: recorder.clone() });
        if let Err(reason) = lead(clock, &sink, orders) {
            recorder.record(Event::LabBroke { reason });
        }
        if let Some((Removed { containers, networks }, took)) = swept.and_then(Sweep::now) {
            recorder.record(Event::LabRemoved { containers, networks, took });
        }
    })?;
    Ok(LabHandle::new(clock, commands, events, thread).stopping_within(STOPS_WITHIN, overdue))
}

/// What is told of a lab that does not stop.
fn overdue(footing: &Footing) -> String {
    format!(
        "run {} was not taken down within {} s; remove what is left with `muster clean`",
        footing.run,
        STOPS_WITHIN.as_secs()
    )
}

fn run(
    plan: &Plan,
    zone: &Zone,
    footing: &Footing,
    control: Option<&Path>,
    clock: WallClock,
    sink: &mpsc::UnboundedSender<Stamped>,
    orders: mpsc::UnboundedReceiver<Command>,
) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime for the lab: {error}"))?;
    let result = LocalSet::new().block_on(&runtime, leading::lead(plan, zone, footing, control, clock, sink, orders));
    runtime.shutdown_background();
    result
}

/// Removes every container and network of a run, at the latest when it is dropped, on whichever way that comes about: also
/// when the thread that holds it panics. What cannot be removed is told: an undo that failed.
#[derive(Debug)]
#[must_use = "everything of the run is removed when this is dropped"]
struct Sweep {
    /// The run; nothing when it was seen to.
    run: Option<String>,
    recorder: Recorder,
}

impl Drop for Sweep {
    fn drop(&mut self) {
        self.sweep();
    }
}

impl Sweep {
    /// Removes it now: what there was, and how long its removal took, wall time. `None` when it could not be removed, which
    /// is told: then it carries its labels, and is removed by the next run or by `muster clean`.
    fn now(mut self) -> Option<(Removed, Duration)> {
        let began = Instant::now();
        Some((self.sweep()?, began.elapsed()))
    }

    fn sweep(&mut self) -> Option<Removed> {
        let run = self.run.take()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let swept = match runtime {
            Ok(runtime) => runtime.block_on(swept(&run)),
            Err(error) => Err(error.to_string()),
        };
        match swept {
            Ok(removed) => Some(removed),
            Err(problem) => {
                let detail = format!("run {run} is not removed from the Docker engine: {problem}; run `muster clean`");
                self.recorder.record(Event::NotUndone { detail });
                None
            }
        }
    }
}

/// Tries until it is done, or the time is over; then why it is not.
async fn swept(run: &str) -> Result<Removed, String> {
    let mut problem = "the engine does not answer".to_owned();
    let trying = async {
        loop {
            match sweep(run).await {
                Ok(removed) => return removed,
                Err(error) => problem = error.to_string(),
            }
            tokio::time::sleep(AGAIN).await;
        }
    };
    tokio::time::timeout(COMES_DOWN_WITHIN, trying).await.map_err(|_| problem)
}

async fn sweep(run: &str) -> Result<Removed, FootingError> {
    // Anew: the connections of another runtime ended with it.
    let engine = Engine::reach().await?;
    Ok(Containers::of_run(engine.docker(), run.to_owned(), Owner::this()).remove_all().await?)
}
