//! A region's queue, its producer and its worker. The queue itself is a cloud service: no fault ends it.

use rand::Rng;

use crate::fault::Part;
use crate::node::process::Process;
use crate::node::queue::{Producer, QueueLink, QueueNode, Worker};
use crate::node::{HTTP_PORT, LIFE_PORT};
use crate::plan::QueuePlan;
use crate::service::Queue;

use super::blueprint::Blueprint;
use super::{CellError, Organs};

impl Blueprint<'_> {
    /// Adds the queue and who uses it. `rng` draws how long the queue takes to publish again after a silence (R53-202).
    pub(super) fn add_queue(&self, plan: &QueuePlan, rng: &mut impl Rng, organs: &mut Organs) -> Result<(), CellError> {
        let environment = self.around.environment.clone();
        let clock = environment.clock.clone();
        let here = self.inside(&format!("the queue of {}", self.name), plan.queue_address, HTTP_PORT)?;
        let worker_here = self.here(Part::Worker, plan.worker_address, LIFE_PORT)?;
        let producer_here = self.here(Part::Producer, plan.producer_address, LIFE_PORT)?;
        let link = |from| {
            let base = format!("http://{here}");
            Ok::<_, CellError>(QueueLink { base, http: self.http_client(Some(from))?, clock: clock.clone() })
        };
        let worker = Worker { queue: link(worker_here.ip())?, work_takes: plan.work_takes };
        let producer = Producer { queue: link(producer_here.ip())?, every: plan.message_every };

        let ground = environment.ground.clone();
        let queue = QueueNode::new(Queue::new(&plan.settings, clock.now(), rng), clock);
        organs.queue = Some(queue.clone());
        organs.next_message_within = plan.message_every * 2;
        organs.queue_door = Some(Process::new(move || queue.bind(here, &environment)));
        let of_worker = ground.clone();
        organs.processes.push((Part::Worker, Process::new(move || worker.bind(worker_here, &of_worker))));
        organs.processes.push((Part::Producer, Process::new(move || producer.bind(producer_here, &ground))));
        Ok(())
    }
}
