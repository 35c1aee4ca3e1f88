//! When a leg began and ended.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clock::LabTime;
use crate::journal::event::{Event, Phase, Stamped};
use crate::plan::expectation::Leg;
use crate::plan::{Fault, Plan};
use crate::timeline::measure::{Interval, clock};

/// When a leg was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// t0: the fault was seen to hold, or to be gone, all its parts; `None`: it was not seen.
    pub start: Option<Interval>,
    /// The heal's request, or the journal's last event.
    pub end: LabTime,
    /// Whether the leg ran to its planned end: nobody stopped the run, and the lab did not break.
    pub complete: bool,
}

impl Window {
    pub(super) fn of(events: &[Stamped], plan: &Plan, leg: Leg) -> Self {
        let last = events.last().map_or(LabTime::START, |stamped| stamped.at);
        let stopped = first(events, |event| {
            matches!(event, Event::Interrupted { .. } | Event::LabBroke { .. } | Event::NeverSteady { .. })
        });
        let heal = first(events, |event| match event {
            Event::HealRequested { .. } => true,
            Event::PhaseEntered { phase, .. } => matches!(phase, Phase::Healing | Phase::Recovering),
            _ => false,
        });
        let start = if plan.control { control_start(events, leg) } else { seen_start(events, plan, leg, heal) };
        match leg {
            Leg::Failover => {
                let cut = stopped.is_some_and(|stop| heal.is_none_or(|heal| stop <= heal));
                // Asked for by one clock and seen by another: what is seen from here on may have been healed already.
                let surely = heal.map(|heal| heal - clock::apart(events));
                let end = surely.into_iter().chain(stopped).min().unwrap_or(last);
                Self { start, end, complete: heal.is_some() && !cut }
            }
            Leg::Failback => {
                let ended = first(events, |event| *event == Event::RunEnded);
                let end = stopped.filter(|&stop| heal.is_none_or(|heal| stop > heal)).unwrap_or(last);
                Self { start, end, complete: heal.is_some() && ended.is_some() && stopped.is_none() }
            }
        }
    }

    /// Whether a moment lies in the leg, or in the time in which it began.
    pub(crate) fn holds(&self, moment: LabTime) -> bool {
        self.start.is_some_and(|start| moment >= start.after) && moment <= self.end
    }

    /// Whether a moment surely lies in the leg.
    pub(crate) fn surely_holds(&self, moment: LabTime) -> bool {
        self.start.is_some_and(|start| moment >= start.until) && moment <= self.end
    }
}

fn first(events: &[Stamped], is: impl Fn(&Event) -> bool) -> Option<LabTime> {
    events.iter().find(|stamped| is(&stamped.event)).map(|stamped| stamped.at)
}

/// A control has no fault to be seen: its legs begin when those of the drill would.
fn control_start(events: &[Stamped], leg: Leg) -> Option<Interval> {
    let entered =
        |wanted| first(events, |event| matches!(event, Event::PhaseEntered { phase, .. } if *phase == wanted));
    let moment = match leg {
        Leg::Failover => entered(Phase::Holding),
        Leg::Failback => entered(Phase::Recovering),
    };
    moment.map(Interval::exactly)
}

/// The last part of all faults that turned, by the looks of the observers.
fn seen_start(events: &[Stamped], plan: &Plan, leg: Leg, heal: Option<LabTime>) -> Option<Interval> {
    let wanted = leg == Leg::Failover;
    let asked = match leg {
        Leg::Failover => first(events, |event| matches!(event, Event::FaultRequested { .. }))?,
        Leg::Failback => heal?,
    };
    // What is asked for and what is seen are stamped by two clocks.
    let asked = asked - clock::apart(events);
    let end = if wanted { heal } else { None };
    let mut parts: BTreeMap<(&Fault, &str), Part> = BTreeMap::new();
    for stamped in events {
        if end.is_some_and(|end| stamped.at > end) {
            break;
        }
        let Event::FaultLooked { fault, part, broken, .. } = &stamped.event else { continue };
        let part = parts.entry((fault, part)).or_default();
        if *broken != wanted && part.turned.is_none() {
            part.before = Some(stamped.at);
        } else if *broken == wanted && stamped.at >= asked && part.turned.is_none() {
            part.turned = Some(Interval { after: part.before.unwrap_or(asked), until: stamped.at });
        }
    }
    if plan.faults.iter().any(|fault| !parts.keys().any(|(looked, _)| *looked == fault)) {
        return None;
    }
    parts
        .into_iter()
        .filter(|((fault, _), _)| plan.faults.contains(fault))
        .map(|(_, part)| part.turned)
        .reduce(|a, b| a.zip(b).map(|(a, b)| a.latest(b)))
        .flatten()
}

#[derive(Default)]
struct Part {
    before: Option<LabTime>,
    turned: Option<Interval>,
}
