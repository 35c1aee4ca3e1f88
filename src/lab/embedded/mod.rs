//! The embedded lab: real sockets on this machine. One thread, one current-thread runtime, one ground.
//!
//! It knows how to build what a plan asks for and how to break it. When to break it is the conductor's to say.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::task::LocalSet;

use crate::conduct::Command;
use crate::journal::event::Event;
use crate::plan::Plan;
use crate::zone::Zone;

use crate::ground::GroundKind;
use crate::ground::{Recorder, WallClock};

use super::Share;
use super::building::{Building, Order};
use super::{LabHandle, panics};

/// The lab could not even get a thread.
#[derive(Debug, thiserror::Error)]
#[error("no thread for the lab: {0}; free some memory or raise the limit of processes (`ulimit -u`)")]
pub struct NoThread(#[from] std::io::Error);

/// Starts a lab on a thread of its own. What happens in it, its own failure included, is told by its events. Its
/// control plane listens at `control`, a path that nothing has yet, if one is given.
///
/// # Errors
/// When the system gives no thread.
pub fn start(plan: Plan, zone: Arc<Zone>, ground: GroundKind, control: Option<PathBuf>) -> Result<LabHandle, NoThread> {
    let clock = WallClock::start(plan.speed);
    let (commands, orders) = mpsc::unbounded_channel();
    let (sink, events) = mpsc::unbounded_channel();
    let thread = std::thread::Builder::new().name(format!("lab-{}", plan.drill)).spawn(move || {
        let recorder = Recorder::new(clock, sink);
        let _told = panics::tell(&recorder);
        if let Err(reason) = run(&plan, zone, ground, control.as_deref(), clock, &recorder, orders) {
            recorder.record(Event::LabBroke { reason });
        }
    })?;
    Ok(LabHandle::new(clock, commands, events, thread))
}

fn run(
    plan: &Plan,
    zone: Arc<Zone>,
    ground: GroundKind,
    control: Option<&Path>,
    clock: WallClock,
    recorder: &Recorder,
    orders: mpsc::UnboundedReceiver<Command>,
) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("no runtime for the lab: {error}"))?;
    let result = LocalSet::new().block_on(&runtime, async {
        let started = std::time::Instant::now();
        let (share, clock) = (Share::Whole, clock.into());
        let (zone, control_socket, resources) = (Some(zone), control, None);
        let order = Order { plan, zone, share, ground, control_socket, clock, recorder, resources };
        let building = Building::build(order).await?;
        recorder.record(building.ready("embedded", started.elapsed()));
        recorder.record(building.obey(orders).await?);
        Ok(())
    });
    // Not waited for: a blocking thread that is stuck must not keep the lab from ending.
    runtime.shutdown_background();
    result
}
