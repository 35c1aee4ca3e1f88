//! A run in the virtual lab that nobody watches and nobody stops: a plan in, its events out. Nothing is written.

use std::io;
use std::sync::Arc;

use crate::conduct::Conductor;
use crate::journal::event::{Event, Stamped};
use crate::plan::Plan;
use crate::zone::Zone;

use super::{Interrupts, Sink, Undurable, VirtualLab, drive};

/// Leads this plan from the lab's start to its end; every event, in order, the plan first.
///
/// # Errors
/// When the system gives no runtime.
pub fn rehearse(plan: Plan, zone: Arc<Zone>) -> io::Result<Vec<Stamped>> {
    let mut kept = Kept::default();
    tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
        let opening = vec![Event::Planned { plan: Box::new(plan.clone()) }];
        let lab = VirtualLab::new(plan.clone(), zone);
        drive(lab, Conductor::new(plan), opening, &mut kept, &mut Interrupts::none()).await;
    });
    Ok(kept.0)
}

#[derive(Default)]
struct Kept(Vec<Stamped>);

impl Sink for Kept {
    fn take(&mut self, stamped: Stamped) -> Result<(), Undurable> {
        self.0.push(stamped);
        Ok(())
    }
}
