use std::path::Path;
use std::time::Duration;

use super::{Command, Conductor, Output};
use crate::clock::LabTime;
use crate::drill::{PlanOptions, load};
use crate::fault::Fault;
use crate::journal::event::{Event, Phase, RequestOutcome, SeenAnswer, Server, Signal, Stamped};
use crate::plan::{CellKind, Family, Plan, WireTtl};

const DATABASE: &str = "the database of sa-east-1";

fn plan(control: bool) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills/database-down.yaml");
    load(&path).unwrap().plan(PlanOptions { seed: 7, speed: None, control, ..PlanOptions::default() })
}

/// A conductor in a lab that is played by hand.
struct Play {
    plan: Plan,
    conductor: Conductor,
    now: LabTime,
}

impl Play {
    fn new(control: bool) -> Self {
        Self::of(plan(control))
    }

    fn of(plan: Plan) -> Self {
        Self { conductor: Conductor::new(plan.clone()), plan, now: LabTime::START }
    }

    fn sees(&mut self, event: Event) -> Vec<Output> {
        self.now = self.now + Duration::from_millis(1);
        self.conductor.on_event(&Stamped { at: self.now, event })
    }

    fn ready(&mut self) -> Vec<Output> {
        self.sees(Event::LabReady {
            lab: "embedded".into(),
            ground: "loopback".into(),
            hosts: 1,
            took: Duration::ZERO,
            families: vec![Family::A],
            clock: None,
        })
    }

    fn looked(&mut self, broken: bool) -> Vec<Output> {
        let fault = Fault::KillDatabase("sa-east-1".into());
        self.sees(Event::FaultLooked { fault, part: DATABASE.into(), broken, detail: String::new() })
    }

    fn checks_pass(&mut self) -> Vec<Output> {
        let mut outputs = Vec::new();
        for (cell, plan) in self.plan.cells.clone() {
            let CellKind::Region(region) = plan.kind else { continue };
            for target in 0..region.targets {
                let signal = Signal::Target { cell: cell.clone(), target };
                outputs.extend(self.sees(Event::Checked {
                    signal,
                    by: "test".into(),
                    passed: true,
                    detail: String::new(),
                }));
            }
        }
        outputs
    }

    /// Everything is answered and served as before the fault.
    fn everybody_is_well(&mut self) -> Vec<Output> {
        let mut outputs = self.caches_hold(&SeenAnswer::NoData);
        outputs.extend(self.all_but_the_caches_are_well());
        outputs
    }

    /// Every resolver is seen to hold this for each of its clients.
    fn caches_hold(&mut self, answer: &SeenAnswer) -> Vec<Output> {
        let mut outputs = Vec::new();
        for client in self.plan.clients.clone().into_values() {
            for place in [client.place, self.plan.resolvers[&client.resolver].place.clone()] {
                outputs.extend(self.sees(Event::Observed {
                    server: Server::Resolver(client.resolver.clone()),
                    name: self.plan.name.clone(),
                    family: client.family,
                    place,
                    answer: answer.clone(),
                    late: Duration::ZERO,
                }));
            }
        }
        outputs
    }

    fn all_but_the_caches_are_well(&mut self) -> Vec<Output> {
        let mut outputs = Vec::new();
        let questions = self.plan.observe.questions.clone().into_iter();
        for (question, answer) in questions.zip(self.plan.prediction.failover.answers.clone()) {
            let cell = &self.plan.cells[&answer.from[0]];
            let addresses = cell.addresses.clone();
            outputs.extend(self.sees(Event::Observed {
                server: Server::Authoritative,
                name: question.name,
                family: question.family,
                place: question.place,
                answer: SeenAnswer::Addresses { addresses, ttl: 60 },
                late: Duration::ZERO,
            }));
        }
        for (client, step) in self.plan.prediction.failover.moves.clone() {
            let outcome = RequestOutcome::Served { cell: step.from[0].clone(), status: 200 };
            let began = self.now;
            outputs.extend(self.sees(Event::RequestEnded { client, began, address: None, outcome, attempts: 1 }));
        }
        outputs
    }

    /// The time that the conductor waits for comes.
    fn time_comes(&mut self) -> Vec<Output> {
        self.now = self.conductor.next_wakeup().unwrap();
        self.conductor.on_time(self.now)
    }

    fn up_to_the_fault(control: bool) -> (Self, Vec<Output>) {
        Self::new(control).until_the_fault()
    }

    fn until_the_fault(mut self) -> (Self, Vec<Output>) {
        self.ready();
        self.looked(false);
        self.checks_pass();
        self.everybody_is_well();
        let outputs = self.time_comes();
        (self, outputs)
    }

    fn up_to_the_hold() -> Self {
        let (mut play, _) = Self::up_to_the_fault(false);
        play.looked(true);
        play
    }
}

fn recorded(outputs: &[Output]) -> Vec<&Event> {
    outputs
        .iter()
        .filter_map(|output| match output {
            Output::Record(event) => Some(event),
            Output::Command(_) => None,
        })
        .collect()
}

fn commands(outputs: &[Output]) -> Vec<&Command> {
    outputs
        .iter()
        .filter_map(|output| match output {
            Output::Command(command) => Some(command),
            Output::Record(_) => None,
        })
        .collect()
}

fn enters(outputs: &[Output], wanted: Phase) -> bool {
    recorded(outputs).iter().any(|event| matches!(event, Event::PhaseEntered { phase, .. } if *phase == wanted))
}

#[test]
fn clients_start_when_everything_is_healthy_and_not_before() {
    let mut play = Play::new(false);
    assert!(commands(&play.ready()).is_empty());
    assert!(commands(&play.looked(false)).is_empty());
    assert_eq!(commands(&play.checks_pass()), [&Command::StartClients]);
}

#[test]
fn a_lab_that_never_gets_ready_is_not_waited_for_for_ever() {
    let mut play = Play::new(false);
    let outputs = play.time_comes();
    assert!(matches!(recorded(&outputs)[..], [Event::NeverSteady { .. }]));
    assert!(play.conductor.ended());
}

#[test]
fn the_fault_waits_for_the_steady_state() {
    let mut play = Play::new(false);
    play.ready();
    play.looked(false);
    play.checks_pass();
    let outputs = play.everybody_is_well();
    assert!(enters(&outputs, Phase::Steady));
    let fault_at = play.conductor.next_wakeup().unwrap();
    assert_eq!(fault_at.since(play.now), play.plan.schedule.fault_after);
}

#[test]
fn one_client_at_the_wrong_cell_keeps_the_steady_state_from_being_seen() {
    let mut play = Play::new(false);
    play.ready();
    play.looked(false);
    play.checks_pass();
    let outcome = RequestOutcome::Served { cell: "maintenance".into(), status: 200 };
    let stray = Event::RequestEnded { client: "us-web".into(), began: play.now, address: None, outcome, attempts: 1 };
    play.plan.prediction.failover.moves.remove("us-web");
    assert!(!enters(&play.everybody_is_well(), Phase::Steady));
    assert!(!enters(&play.sees(stray), Phase::Steady));
    let outputs = play.time_comes();
    let [Event::NeverSteady { detail: reason }] = recorded(&outputs)[..] else { panic!("{outputs:?}") };
    assert!(reason.contains("us-web should be served by us-east-1, and is served by maintenance"), "{reason}");
    assert!(play.conductor.ended());
}

#[test]
fn the_undo_is_written_down_before_the_fault_is_asked_for() {
    let (_, outputs) = Play::up_to_the_fault(false);
    let undo = outputs.iter().position(|output| matches!(output, Output::Record(Event::UndoWritten { .. }))).unwrap();
    let inject = outputs.iter().position(|output| matches!(output, Output::Command(Command::Inject(_)))).unwrap();
    assert!(undo < inject, "{outputs:?}");
}

#[test]
fn a_look_from_before_the_fault_does_not_confirm_it() {
    let (mut play, _) = Play::up_to_the_fault(false);
    assert!(!enters(&play.looked(false), Phase::Holding));
    let outputs = play.looked(true);
    assert!(recorded(&outputs).iter().any(|event| matches!(event, Event::FaultHeld { .. })));
    assert!(enters(&outputs, Phase::Holding));
}

#[test]
fn a_fault_that_is_not_seen_to_hold_is_told_undone_and_ends_the_run() {
    let (mut play, _) = Play::up_to_the_fault(false);
    play.looked(false);
    let outputs = play.time_comes();
    assert!(
        recorded(&outputs)
            .iter()
            .any(|event| matches!(event, Event::FaultDidNotHold { detail, .. } if detail.contains(DATABASE)))
    );
    assert!(matches!(commands(&outputs)[..], [Command::Heal(_)]));
    play.looked(false);
    assert!(play.conductor.ended());
}

#[test]
fn why_a_fault_could_not_be_brought_about_is_told_with_what_still_works() {
    let (mut play, _) = Play::up_to_the_fault(false);
    let fault = play.plan.faults[0].clone();
    play.sees(Event::FaultRefused { fault, detail: "the engine has no freezer".into() });
    play.looked(false);
    let outputs = play.time_comes();
    let told = recorded(&outputs).iter().any(|event| {
        matches!(event, Event::FaultDidNotHold { detail, .. }
            if detail.contains(DATABASE) && detail.contains("the engine has no freezer"))
    });
    assert!(told, "{outputs:?}");
}

#[test]
fn the_undo_counts_only_when_it_was_seen_and_the_steady_state_again() {
    let mut play = Play::up_to_the_hold();
    let outputs = play.time_comes();
    assert!(matches!(commands(&outputs)[..], [Command::Heal(_)]));
    let outputs = play.looked(false);
    assert!(recorded(&outputs).iter().any(|event| matches!(event, Event::Healed { .. })));
    assert!(!play.conductor.ended());
    play.everybody_is_well();
    assert!(play.conductor.ended());
}

#[test]
fn where_cells_are_processes_a_run_goes_on_until_they_have_told_who_came_back() {
    let (mut play, _) = Play::of(Plan { wire: WireTtl::WallSeconds, ..plan(false) }).until_the_fault();
    play.looked(true);
    play.time_comes();
    play.looked(false);
    play.everybody_is_well();
    assert!(!play.conductor.ended(), "the clients' own word is not enough");
    for (client, step) in play.plan.prediction.failover.moves.clone() {
        assert!(!play.conductor.ended(), "{client} has not arrived yet");
        let cell = step.from[0].clone();
        play.sees(Event::RequestArrived { cell, zone: None, client, status: 200, held: Duration::ZERO });
    }
    assert!(play.conductor.ended());
}

#[test]
fn a_run_goes_on_while_a_cache_holds_what_was_answered_during_the_fault() {
    let mut play = Play::up_to_the_hold();
    let addresses = play.plan.cells["us-east-1"].addresses.clone();
    play.caches_hold(&SeenAnswer::Addresses { addresses, ttl: 60 });
    play.time_comes();
    play.looked(false);
    play.all_but_the_caches_are_well();
    assert!(!play.conductor.ended());
    play.caches_hold(&SeenAnswer::NoData);
    assert!(play.conductor.ended());
}

#[test]
fn a_fault_that_stays_after_its_undo_is_an_undo_that_failed() {
    let mut play = Play::up_to_the_hold();
    play.time_comes();
    play.looked(true);
    let outputs = play.time_comes();
    assert!(matches!(recorded(&outputs)[..], [Event::UndoFailed { detail }] if detail.contains(DATABASE)));
}

#[test]
fn a_steady_state_that_does_not_come_back_is_an_undo_that_failed() {
    let mut play = Play::up_to_the_hold();
    let signal = Signal::Cell { cell: "sa-east-1".into() };
    play.sees(Event::HealthChanged { signal, healthy: false, reason: String::new() });
    play.time_comes();
    play.looked(false);
    play.everybody_is_well();
    let outputs = play.time_comes();
    assert!(
        matches!(recorded(&outputs)[..], [Event::UndoFailed { detail }] if detail.contains("sa-east-1 is unhealthy"))
    );
}

#[test]
fn an_interrupt_while_the_fault_holds_heals_and_ends_when_that_is_seen() {
    let mut play = Play::up_to_the_hold();
    let outputs = play.conductor.interrupt(play.now, "SIGINT");
    assert!(matches!(recorded(&outputs)[0], Event::Interrupted { signal } if signal == "SIGINT"));
    assert!(matches!(commands(&outputs)[..], [Command::Heal(_)]));
    let patience = play.conductor.next_wakeup().unwrap().since(play.now);
    assert!(play.plan.speed.to_wall(patience) < Duration::from_secs(2));
    assert!(!play.conductor.ended());
    play.looked(false);
    assert!(play.conductor.ended());
}

#[test]
fn an_interrupt_waits_longer_for_what_is_healed_by_starting_a_container() {
    let (mut play, _) = Play::of(Plan { wire: WireTtl::WallSeconds, ..plan(false) }).until_the_fault();
    play.looked(true);
    play.conductor.interrupt(play.now, "SIGINT");
    let patience = play.conductor.next_wakeup().unwrap().since(play.now);
    assert_eq!(patience, play.plan.schedule.confirm_within);
}

#[test]
fn an_interrupt_before_the_fault_ends_at_once() {
    let mut play = Play::new(false);
    play.ready();
    assert!(commands(&play.conductor.interrupt(play.now, "SIGTERM")).is_empty());
    assert!(play.conductor.ended());
}

#[test]
fn a_second_interrupt_does_not_wait_for_the_undo_to_be_seen() {
    let mut play = Play::up_to_the_hold();
    play.conductor.interrupt(play.now, "SIGINT");
    play.conductor.interrupt(play.now, "SIGINT");
    assert!(play.conductor.ended());
}

#[test]
fn a_lab_that_breaks_while_the_fault_holds_is_healed_all_the_same() {
    let mut play = Play::up_to_the_hold();
    let outputs = play.sees(Event::LabBroke { reason: "a node panicked".into() });
    assert!(matches!(commands(&outputs)[..], [Command::Heal(_)]));
}

#[test]
fn a_control_breaks_nothing_and_holds_as_long() {
    let (mut play, outputs) = Play::up_to_the_fault(true);
    assert!(commands(&outputs).is_empty());
    assert!(enters(&outputs, Phase::Holding));
    assert_eq!(play.conductor.next_wakeup().unwrap().since(play.now), play.plan.schedule.hold);
    let outputs = play.time_comes();
    assert!(commands(&outputs).is_empty());
    assert!(enters(&outputs, Phase::Recovering));
    play.everybody_is_well();
    assert!(!play.conductor.ended(), "the way back is looked at for a while");
    play.time_comes();
    assert!(play.conductor.ended());
}

#[test]
fn a_deadline_that_is_far_overdue_is_put_off_because_nobody_could_look() {
    let mut play = Play::up_to_the_hold();
    play.time_comes();
    play.now = play.conductor.next_wakeup().unwrap() + play.plan.speed.to_lab(Duration::from_secs(8));
    let outputs = play.conductor.on_time(play.now);
    assert!(enters(&outputs, Phase::Healing), "{outputs:?}");
    assert!(play.conductor.next_wakeup().unwrap() > play.now);
    let outputs = play.looked(false);
    assert!(recorded(&outputs).iter().any(|event| matches!(event, Event::Healed { .. })));
}
