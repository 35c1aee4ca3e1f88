//! Turns the crank of a health check that evaluates a metric, and of the alarm whose settings it copies. When they are
//! evaluated, and what the metric says, is decided in the health room.

use tokio::task::JoinSet;

use crate::clock::LabTime;
use crate::ground::Environment;
use crate::health::{AlarmCheck, AlarmRun, StatusSettings};
use crate::journal::event::{Event, Signal};
use crate::plan::AlarmPlan;
use crate::zone::HealthCheckId;

use super::metric_store::MetricStore;
use super::probe::wake_at;
use super::status_board::StatusBoard;

/// By whom its evaluations are journalled.
pub const EVALUATION: &str = "metric evaluation";

/// Starts the evaluations of one health check and of its alarm. They end when what is returned is dropped. To be called inside a
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
        alarm: AlarmRun::new(plan.alarm),
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
    /// Nothing of the health check looks at it (R53-139).
    alarm: AlarmRun,
    store: MetricStore,
    board: StatusBoard,
    environment: Environment,
}

impl Crank {
    async fn turn(mut self) {
        loop {
            // Both are evaluated at the same moments; a disabled health check never is (R53-105).
            wake_at(&self.environment.clock, Some(self.alarm.next_wakeup())).await;
            let now = self.environment.clock.now();
            self.evaluate_the_alarm(now);
            if !self.status.disabled {
                self.evaluate_the_check(now);
            }
        }
    }

    fn evaluate_the_alarm(&mut self, now: LabTime) {
        self.store.with(&self.plan.metric, |metric| self.alarm.evaluate(now, metric));
        let (copied_by, state) = (self.id.to_string(), self.alarm.state());
        self.environment.recorder.record(Event::AlarmEvaluated { copied_by, state });
    }

    fn evaluate_the_check(&mut self, now: LabTime) {
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

#[cfg(test)]
mod tests;
