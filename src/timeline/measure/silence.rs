//! What can be said of a client that tells nothing: where its requests arrive, and when none do.

use std::time::Duration;

use crate::clock::LabTime;
use crate::journal::event::{Event, Phase, Stamped};
use crate::plan::{ClientPlan, Plan};

/// Whether nothing tells how the requests of this client ended, so that only what arrived is known. Where muster's own
/// client stands for a program, it has told.
pub(crate) fn tells_nothing(events: &[Stamped], plan: &Plan, client: &str) -> bool {
    plan.clients.get(client).is_some_and(ClientPlan::is_black_box)
        && !events
            .iter()
            .any(|stamped| matches!(&stamped.event, Event::RequestEnded { client: who, .. } if who == client))
}

/// The moments at which nothing had arrived of a client anywhere for longer than it can be without one: since it was
/// last seen, again and again at its cadence, and up to one cadence before it is seen again. Counted from the steady
/// state, or its first arrival, to the last moment at which anybody looked: then the lab may be gone already.
pub(crate) fn silences(events: &[Stamped], client: &str, planned: &ClientPlan) -> Vec<LabTime> {
    let mut seen: Vec<LabTime> = events
        .iter()
        .filter_map(|stamped| match &stamped.event {
            Event::PhaseEntered { phase: Phase::Steady, .. } => Some(stamped.at),
            Event::RequestArrived { client: who, held, .. } if who == client => Some(stamped.at - *held),
            Event::StreamAlive { client: who, .. } if who == client => Some(stamped.at),
            _ => None,
        })
        .collect();
    let looked = events.iter().rev().find(|stamped| {
        matches!(stamped.event, Event::Observed { .. } | Event::FaultLooked { .. } | Event::RequestArrived { .. })
    });
    seen.sort_unstable();
    let every = planned.every.max(Duration::from_millis(1));
    let ends = seen.iter().skip(1).copied().chain(looked.map(|last| last.at));
    let mut silent = Vec::new();
    for (&from, to) in seen.iter().zip(ends) {
        let mut at = from + planned.silent_after();
        while at + every <= to {
            silent.push(at);
            at = at + every;
        }
    }
    silent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic::{self, NEW, at, secs};
    use crate::plan::{ClientRuns, ClientSoftware};

    #[test]
    fn who_is_not_seen_for_three_cadences_and_a_timeout_is_silent_until_shortly_before_it_is_seen_again() {
        let mut script = synthetic::passing();
        script.happened.clear();
        let script = script.request(10.0, "us-fresh", NEW, 200).request(50.0, "us-fresh", NEW, 200);
        let client = ClientPlan { every: secs(5.0), timeout: secs(4.0), ..script.plan.clients["us-fresh"].clone() };
        assert_eq!(client.silent_after(), secs(19.0));
        let events = script.events();
        assert_eq!(silences(&events, "us-fresh", &client), [29.0, 34.0, 39.0, 44.0].map(at));
        assert_eq!(silences(&events, "br-fresh", &client), []);
        let gone = synthetic::passing().without(|stamped| matches!(stamped.event, Event::RequestArrived { .. }));
        let silent = silences(&gone.add(500.0, Event::RunEnded).events(), "us-fresh", &client);
        assert_eq!(silent.first(), Some(&at(59.0)), "from the steady state on");
        assert_eq!(silent.last(), Some(&at(414.0)), "to the last look, and not to the end of the lab");
    }

    #[test]
    fn only_a_black_box_that_has_told_nothing_tells_nothing() {
        let mut script = synthetic::passing();
        assert!(!tells_nothing(&script.events(), &script.plan, "br-fresh"));
        script.plan.clients.get_mut("br-fresh").unwrap().runs = ClientRuns::Known(ClientSoftware::Curl);
        assert!(!tells_nothing(&script.events(), &script.plan, "br-fresh"), "muster's own client stands for it");
        let script = script.without(|stamped| matches!(stamped.event, Event::RequestEnded { .. }));
        assert!(tells_nothing(&script.events(), &script.plan, "br-fresh"));
        assert!(!tells_nothing(&script.events(), &script.plan, "us-fresh"), "it was to tell, and did not");
    }
}
