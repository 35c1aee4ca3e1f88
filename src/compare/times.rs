//! When two runs are looked at: while nothing moves, and on the way from one such time to the next.
//!
//! What is passed through on the way depends on which check falls first, which is chance. So a time at which nothing moves
//! begins once what is to change has changed, for the one who is looked at.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::clock::LabTime;
use crate::journal::event::Server;
use crate::plan::ObservePlan;
use crate::plan::expectation::Leg;
use crate::timeline::measure::{Interval, Measurement, Seen};

use super::run::Run;
use super::watched::{SILENT, Who};

/// When.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// From the steady state to the fault.
    Steady,
    /// From the fault on, until what is to change has changed.
    FailingOver,
    /// While the fault holds, once what is to change has changed.
    Held,
    /// From the heal on, until what is to change back has changed back.
    FailingBack,
    /// From then on.
    Healed,
}

/// The times at which nothing moves.
pub(super) const AT_REST: [When; 3] = [When::Steady, When::Held, When::Healed];
/// Those in between.
pub(super) const ON_THE_WAY: [When; 2] = [When::FailingOver, When::FailingBack];

impl When {
    /// The leg that it belongs to; `None`: neither.
    pub(super) const fn leg(self) -> Option<Leg> {
        match self {
            Self::Steady => None,
            Self::FailingOver | Self::Held => Some(Leg::Failover),
            Self::FailingBack | Self::Healed => Some(Leg::Failback),
        }
    }

    pub(super) const fn is_on_the_way(self) -> bool {
        matches!(self, Self::FailingOver | Self::FailingBack)
    }
}

/// From when to when; `None`: the leg never began.
pub(super) fn time(run: &Run, who: &Who<'_>, when: When) -> Option<(LabTime, LabTime)> {
    let failover = run.measured.failover.window;
    let fault = failover.start.map_or(failover.end, |start| start.after);
    let Some(leg) = when.leg() else { return Some((run.steady, fault)) };
    let end = run.measured.leg(leg).window.end;
    let from = rests(run, who, leg)?;
    Some(match when {
        When::FailingOver => (fault, from.min(end)),
        When::FailingBack => (failover.end, from.min(end)),
        When::Steady | When::Held | When::Healed => (from, end),
    })
}

/// From when on nothing is to move any more in a leg.
fn rests(run: &Run, who: &Who<'_>, leg: Leg) -> Option<LabTime> {
    let measured = run.measured.leg(leg);
    let own = match who {
        // The last of all questions is looked at below.
        Who::Answered(Seen { server: Server::Authoritative, .. }) => None,
        Who::Answered(Seen { server: Server::Resolver(name), .. }) => crossed(&measured.resolvers, name),
        Who::Served(client) => crossed(&measured.totals, client),
    };
    let start = measured.window.start?;
    let rest =
        [Some(start), measured.detection.moment, measured.authoritative.as_ref().and_then(|all| all.moment), own];
    let from = rest.into_iter().flatten().map(|moment| moment.until).max()?;
    // What was answered at that moment is told by the next look.
    let look = match who {
        Who::Answered(Seen { server: Server::Authoritative, .. }) => run.plan.observe.authoritative_every,
        Who::Answered(Seen { server: Server::Resolver(_), .. }) => run.plan.observe.resolver_every,
        Who::Served(_) => Duration::ZERO,
    };
    Some(from + look + run.late() + unanswered(run, who))
}

/// A question that nobody answers is known to be unanswered only when it is given up: until then the last answer seems to
/// hold.
fn unanswered(run: &Run, who: &Who<'_>) -> Duration {
    let Who::Answered(seen) = who else { return Duration::ZERO };
    let every = match seen.server {
        Server::Authoritative => run.plan.observe.authoritative_every,
        Server::Resolver(_) => run.plan.observe.resolver_every,
    };
    let fell_silent = seen.answers.iter().any(|(_, answer)| answer == SILENT);
    if fell_silent { ObservePlan::patience(every, run.plan.speed) } else { Duration::ZERO }
}

fn crossed(all: &[Measurement], of: &str) -> Option<Interval> {
    all.iter().find(|measured| measured.of == of).and_then(|measured| measured.moment)
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Steady => "before the fault",
            Self::FailingOver => "on the way over",
            Self::Held => "while the fault held",
            Self::FailingBack => "on the way back",
            Self::Healed => "once it was gone",
        })
    }
}
