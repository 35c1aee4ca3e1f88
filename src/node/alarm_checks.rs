//! Turns the crank of a health check that evaluates a metric. When it is evaluated, and what the metric says, is
//! decided in the health room.

use tokio::task::JoinSet;

use crate::ground::Environment;
use crate::health::{AlarmCheck, StatusSettings};
use crate::journal::event::{Event, Signal};
use crate::plan::AlarmPlan;
use crate::zone::HealthCheckId;

use super::metric_store::MetricStore;
use super::probe::wake_at;
use super::status_board::StatusBoard;

/// By whom its evaluations are journalled.
pub const EVALUATION: &str = "metric evaluation";

/// Starts the evaluations of one health check. They end when what is returned is dropped. To be called inside a
/// `LocalSet`.
#[must_use]
pub fn start(
    id: &HealthCheckId,
    plan: &AlarmPlan,
    status: StatusSettings,
    store: &MetricStore,
    board: &StatusBoard,
    environment: &Environment,
) -> JoinSet<()> {
    let check = AlarmCheck::new(&plan.alarm, plan.insufficient_data, status);
    board.set(id, check.is_healthy(), "the check is inverted");
    let crank = Crank {
        id: id.clone(),
        plan: plan.clone(),
        status,
        check,
        store: store.clone(),
        board: board.clone(),
        environment: environment.clone(),
    };
    let mut running = JoinSet::new();
    running.spawn_local(crank.turn());
    running
}

struct Crank {
    id: HealthCheckId,
    plan: AlarmPlan,
    status: StatusSettings,
    check: AlarmCheck,
    store: MetricStore,
    board: StatusBoard,
    environment: Environment,
}

impl Crank {
    async fn turn(mut self) {
        loop {
            wake_at(&self.environment.clock, self.check.next_wakeup()).await;
            let now = self.environment.clock.now();
            let evaluation = self.store.with(&self.plan.metric, |metric| self.check.evaluate(now, metric));
            self.environment.recorder.record(Event::Checked {
                signal: Signal::HealthCheck { id: self.id.to_string() },
                by: EVALUATION.to_owned(),
                // What insufficient data count as, as well.
                passed: evaluation.healthy != self.status.inverted,
                detail: evaluation.detail.clone(),
            });
            if evaluation.changed {
                self.board.set(&self.id, evaluation.healthy, &evaluation.detail);
            }
        }
    }
}

#[cfg(test)]
mod tests;
