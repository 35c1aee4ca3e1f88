//! The crank of the virtual lab: what it gives first, and what becomes of a lab that fails.

use std::path::Path;

use super::*;
use crate::clock::Speed;
use crate::drill::{LoadedDrill, PlanOptions, load};
use crate::plan::Fault;

fn drill(name: &str) -> LoadedDrill {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("drills/{name}.yaml"))).unwrap()
}

fn plan(drill: &LoadedDrill) -> Plan {
    drill.plan(PlanOptions { seed: 1, speed: Some(Speed::REAL), control: false, ..PlanOptions::default() })
}

fn led(lab: VirtualLab, lead: impl AsyncFnOnce(VirtualLab)) {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(lead(lab));
}

#[test]
fn time_passes_until_what_was_waited_for_and_no_event_is_later() {
    let drill = drill("database-down");
    led(VirtualLab::new(plan(&drill), Arc::new(drill.zone)), async |mut lab| {
        let until = LabTime::secs(20);
        let mut last = LabTime::START;
        while let Next::Event(Stamped { at, .. }) = lab.next(Some(until)).await {
            assert!(last <= at && at <= until, "{at} after {last}");
            last = at;
        }
        assert_eq!(lab.now(), until);
        assert!(last > LabTime::secs(19), "observers ask every second");
    });
}

#[test]
fn an_order_has_its_effect_after_it_was_given() {
    let drill = drill("manual-drain");
    let plan = plan(&drill);
    let Some(fault @ Fault::DrainCheck(_)) = plan.faults.first().cloned() else { panic!("{:?}", plan.faults) };
    led(VirtualLab::new(plan, Arc::new(drill.zone)), async |mut lab| {
        while let Next::Event(_) = lab.next(Some(LabTime::secs(5))).await {}
        lab.command(Command::Inject(fault));
        let turned = loop {
            match lab.next(None).await {
                Next::Event(Stamped { at, event: Event::HealthChanged { healthy: false, .. } }) => break at,
                Next::Event(_) => {}
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(turned, LabTime::secs(5) + ORDER_TAKES);
    });
}

#[test]
fn an_engine_that_runs_elsewhere_is_none_for_simulated_time() {
    let drill = drill("wedged-engine");
    let mut plan = plan(&drill);
    for cell in plan.cells.values_mut() {
        if let CellKind::Llm(llm) = &mut cell.kind {
            let base_url = "http://llm.example.com".to_owned();
            llm.engine = EnginePlan::Real { base_url, model: "chat-model".to_owned(), api_key_from: None };
        }
    }
    led(VirtualLab::new(plan, Arc::new(drill.zone)), async |mut lab| {
        let Next::Event(Stamped { event: Event::LabBroke { reason }, .. }) = lab.next(None).await else {
            panic!("it was built")
        };
        assert!(reason.contains("http://llm.example.com") && reason.contains("--lab embedded"), "{reason}");
        assert_eq!(lab.next(None).await, Next::Ended);
    });
}

#[test]
fn a_lab_that_is_stopped_says_how_late_it_was_and_lets_no_time_pass() {
    let drill = drill("database-down");
    led(VirtualLab::new(plan(&drill), Arc::new(drill.zone)), async |mut lab| {
        while let Next::Event(_) = lab.next(Some(LabTime::secs(5))).await {}
        let rest = lab.stop().await;
        assert!(rest.iter().any(|stamped| matches!(stamped.event, Event::Lateness { count: 1.., .. })), "{rest:?}");
        assert_eq!(lab.now(), LabTime::secs(5));
    });
}
