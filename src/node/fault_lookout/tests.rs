use std::collections::BTreeSet;

use axum::body::Bytes;
use axum::http::{Request, header};

use super::*;
use crate::authoritative::Authoritative;
use crate::authoritative::test_zone::{authoritative, ip};
use crate::node::authoritative::AuthoritativeServer;
use crate::node::testbed::{Journal, SITE, Testbed, east, east_with_a_queue, llm, on_loopback, site};

fn look(bed: &Testbed, fault: &Fault, cell: &CellPlan) -> JoinSet<()> {
    start(fault, Some(cell), &bed.standpoint(), Duration::from_secs(1), &bed.environment).unwrap()
}

/// Breaks and mends a cell, and sees both in these parts.
async fn is_seen(mut bed: Testbed, fault: Fault, plan: CellPlan, parts: &[&str]) {
    let mut cell = bed.start_cell(fault.of(), &plan);
    let _lookouts = look(&bed, &fault, &plan);
    assert_eq!(all_seen(&mut bed.journal, parts.len(), false).await, parts);
    cell.apply(&fault).await;
    assert_eq!(all_seen(&mut bed.journal, parts.len(), true).await, parts);
    cell.undo(&fault).unwrap();
    assert_eq!(all_seen(&mut bed.journal, parts.len(), false).await, parts);
}

/// Waits until each part was seen broken, or whole; their names.
async fn all_seen(journal: &mut Journal, parts: usize, broken: bool) -> Vec<String> {
    let mut seen = BTreeSet::new();
    journal
        .wait_for("every part", |stamped| {
            let Event::FaultLooked { part, broken: found, .. } = &stamped.event else { return None };
            if *found == broken {
                seen.insert(part.clone());
            } else {
                seen.remove(part);
            }
            (seen.len() == parts).then_some(())
        })
        .await;
    seen.into_iter().collect()
}

#[test]
fn a_killed_region_is_seen_part_by_part_before_during_and_after() {
    on_loopback(20.0, async |mut bed| {
        let mut cell = bed.start_cell("east", &east());
        let fault = Fault::KillRegion("east".to_owned());
        let _lookouts = look(&bed, &fault, &east());
        let parts =
            ["target 0 of east", "target 1 of east", "the database of east", "the load balancer of east at 192.0.2.10"];
        assert_eq!(all_seen(&mut bed.journal, 4, false).await, parts);
        cell.apply(&fault).await;
        assert_eq!(all_seen(&mut bed.journal, 4, true).await, parts);
        cell.undo(&fault).unwrap();
        assert_eq!(all_seen(&mut bed.journal, 4, false).await, parts);
    });
}

#[test]
fn a_killed_database_has_one_part_and_its_looks_say_what_they_saw() {
    on_loopback(20.0, async |mut bed| {
        let mut cell = bed.start_cell("east", &east());
        let fault = Fault::KillDatabase("east".to_owned());
        cell.apply(&fault).await;
        let _lookouts = look(&bed, &fault, &east());
        let detail = bed.journal.wait_for("a look", |stamped| match &stamped.event {
            Event::FaultLooked { part, broken: true, detail, .. } if part == "the database of east" => {
                Some(detail.clone())
            }
            _ => None,
        });
        assert!(detail.await.contains("refused"));
    });
}

#[test]
fn a_stalled_way_is_seen_to_be_stalled_and_then_to_lead_to_the_database_again() {
    on_loopback(20.0, async |bed| {
        let proxied = CellPlan { proxied: true, ..east() };
        let parts = ["the way to the database of east"];
        is_seen(bed, Fault::StallDatabase("east".to_owned()), proxied, &parts).await;
    });
}

#[test]
fn a_quiet_queue_is_its_producer_and_its_worker() {
    on_loopback(20.0, async |bed| {
        let parts = ["the producer of east", "the worker of east"];
        is_seen(bed, Fault::QuietQueue("east".to_owned()), east_with_a_queue(), &parts).await;
    });
}

#[test]
fn an_abandoned_queue_is_its_producer_and_its_worker() {
    on_loopback(20.0, async |bed| {
        let parts = ["the producer of east", "the worker of east"];
        is_seen(bed, Fault::AbandonQueue("east".to_owned()), east_with_a_queue(), &parts).await;
    });
}

#[test]
fn a_firewall_is_seen_from_a_checkers_address() {
    on_loopback(20.0, async |bed| {
        let parts = ["the firewall of site at 192.0.2.30"];
        is_seen(bed, Fault::LockOutCheckers("site".to_owned()), site(), &parts).await;
    });
}

#[test]
fn a_firewall_that_no_checker_can_be_seen_at_is_refused() {
    on_loopback(20.0, async |bed| {
        let nobody = Standpoint { checkers: Vec::new(), ..bed.standpoint() };
        let fault = Fault::LockOutCheckers("site".to_owned());
        let refused = start(&fault, Some(&site()), &nobody, Duration::from_secs(1), &bed.environment).unwrap_err();
        assert!(refused.to_string().contains("the firewall of site"), "{refused}");
    });
}

#[test]
fn a_switch_is_read_back_from_the_control_plane() {
    on_loopback(20.0, async |mut bed| {
        let from = bed.standpoint();
        for (fault, part) in [
            (Fault::TurnOff("east".to_owned()), "the switch east"),
            (Fault::DrainCheck("hc-drain".to_owned()), "the switch hc-drain"),
        ] {
            let _lookouts = start(&fault, None, &from, Duration::from_secs(1), &bed.environment).unwrap();
            assert_eq!(all_seen(&mut bed.journal, 1, false).await, [part]);
            from.control.apply(&fault).unwrap();
            assert_eq!(all_seen(&mut bed.journal, 1, true).await, [part]);
            from.control.undo(&fault).unwrap();
            assert_eq!(all_seen(&mut bed.journal, 1, false).await, [part]);
        }
    });
}

#[test]
fn a_region_that_refuses_is_not_cut_off() {
    on_loopback(20.0, async |mut bed| {
        let mut cell = bed.start_cell("east", &east());
        cell.apply(&Fault::KillRegion("east".to_owned())).await;
        let _lookouts = look(&bed, &Fault::PartitionRegion("east".to_owned()), &east());
        let seen = bed.journal.wait_for("a look", |stamped| match &stamped.event {
            Event::FaultLooked { broken, detail, .. } => Some((*broken, detail.clone())),
            _ => None,
        });
        assert_eq!(seen.await, (false, "refuses connections".to_owned()));
    });
}

#[test]
fn a_silent_authoritative_server_is_asked_in_vain_until_it_answers_again() {
    on_loopback(20.0, async |mut bed| {
        let core = Authoritative::new(authoritative()).unwrap();
        let at = [ip(SITE)];
        let server = AuthoritativeServer::start(&bed.environment, &at, core, bed.evidence.clone());
        let server = server.await.unwrap();
        let parts = ["the authoritative server"];
        let fault = Fault::SilenceAuthoritative;
        let _lookouts = start(&fault, None, &bed.standpoint(), Duration::from_secs(1), &bed.environment).unwrap();
        assert_eq!(all_seen(&mut bed.journal, 1, false).await, parts);
        server.silence(true);
        assert_eq!(all_seen(&mut bed.journal, 1, true).await, parts);
        server.silence(false);
        assert_eq!(all_seen(&mut bed.journal, 1, false).await, parts);
    });
}

#[test]
fn every_harm_to_an_llm_region_is_seen_and_seen_to_be_gone() {
    type Breaks = fn(String) -> Fault;
    let harms: [(Breaks, &[&str]); 8] = [
        (Fault::KillEngine, &["the engine of llm"]),
        (Fault::WedgeEngine, &["the engine of llm"]),
        (Fault::FreezeEngine, &["the engine of llm"]),
        (Fault::StarveEngine, &["the engine of llm"]),
        (Fault::ThrottleEngine, &["the engine of llm"]),
        (Fault::WrongModel, &["the engine of llm"]),
        (Fault::KillProber, &["the prober of llm"]),
        (Fault::Drain, &["/healthz of llm at 192.0.2.10"]),
    ];
    for (breaks, parts) in harms {
        on_loopback(20.0, async |bed| is_seen(bed, breaks("llm".to_owned()), llm(), parts).await);
    }
}

#[test]
fn a_stalled_way_to_an_engine_is_seen_from_before_it() {
    on_loopback(20.0, async |bed| {
        let proxied = CellPlan { proxied: true, ..llm() };
        is_seen(bed, Fault::StallEngine("llm".to_owned()), proxied, &["the way to the engine of llm"]).await;
    });
}

#[test]
fn an_engine_that_is_wedged_and_wrong_is_wrong_when_it_is_unwedged() {
    on_loopback(20.0, async |mut bed| {
        let mut cell = bed.start_cell("llm", &llm());
        let (wedged, wrong) = (Fault::WedgeEngine("llm".to_owned()), Fault::WrongModel("llm".to_owned()));
        cell.apply(&wrong).await;
        cell.apply(&wedged).await;
        cell.undo(&wedged).unwrap();
        let _lookouts = look(&bed, &wrong, &llm());
        assert_eq!(all_seen(&mut bed.journal, 1, true).await, ["the engine of llm"]);
        cell.undo(&wrong).unwrap();
        assert_eq!(all_seen(&mut bed.journal, 1, false).await, ["the engine of llm"]);
    });
}

#[test]
fn an_engine_whose_slots_are_all_taken_is_not_wedged_until_it_is() {
    for queue in [0, 64] {
        on_loopback(20.0, async |mut bed| {
            let mut plan = llm();
            let CellKind::Llm(LlmPlan { engine: EnginePlan::Own { settings, address }, .. }) = &mut plan.kind else {
                panic!("{plan:?}")
            };
            (settings.slots, settings.queue) = (1, queue);
            let here = bed.environment.ground.here(SocketAddr::new(*address, ENGINE_PORT)).unwrap();
            let mut cell = bed.start_cell("llm", &plan);
            let hour = serde_json::json!({"model": "chat-model", "prompt": "", "max_tokens": 115_200, "stream": true});
            let stream = Request::post(format!("http://{here}/v1/completions"))
                .header(header::CONTENT_TYPE, "application/json")
                .body(Bytes::from(hour.to_string()));
            let http = HttpClient::fresh(&bed.environment.ground, None).unwrap();
            let stream = http.ask(stream.unwrap()).await.unwrap();
            let fault = Fault::WedgeEngine("llm".to_owned());
            let _lookouts = look(&bed, &fault, &plan);
            let looks = bed.journal.wait_for("a few looks", {
                let mut looks = Vec::new();
                move |stamped| {
                    let Event::FaultLooked { broken, detail, .. } = &stamped.event else { return None };
                    looks.push((*broken, detail.clone()));
                    (looks.len() == 4).then(|| std::mem::take(&mut looks))
                }
            });
            assert_eq!(looks.await, vec![(false, "makes tokens for others".to_owned()); 4]);
            cell.apply(&fault).await;
            assert_eq!(all_seen(&mut bed.journal, 1, true).await, ["the engine of llm"]);
            drop(stream);
        });
    }
}
