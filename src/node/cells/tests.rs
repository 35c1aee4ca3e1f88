use std::net::SocketAddr;

use axum::http::StatusCode;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::watch;

use super::*;
use crate::journal::event::Event;
use crate::node::grpc::tests as grpc;
use crate::node::haproxy_log::HEARD_AT;
use crate::node::testbed::{
    ANA, EAST, EAST_TARGETS, SITE, STRANGER, Testbed, chance, east, http_client, on_loopback, site, url,
};
use crate::node::{CELL_HEADER, HTTP_PORT};
use crate::plan::LoadBalancerSoftware;

fn routable(targets: &[usize]) -> watch::Receiver<Vec<usize>> {
    watch::channel(targets.to_vec()).1
}

/// The region without its checks: only the test says which targets are routable.
fn region(bed: &Testbed, routable: watch::Receiver<Vec<usize>>) -> Cell {
    let plan = east();
    let CellKind::Region(region) = &plan.kind else { unreachable!("east is a region") };
    let around = bed.around();
    let organs = Blueprint::new("east", &plan, &around).region(region, vec![routable], &mut chance()).unwrap();
    Cell::of("east", plan.kind.anatomy(), organs).unwrap()
}

#[test]
fn a_dead_database_turns_the_health_endpoint_503_and_its_restart_at_the_same_address_turns_it_back() {
    on_loopback(10.0, async |bed| {
        let mut cell = region(&bed, routable(&[0, 1]));
        let http = http_client(&bed.environment.ground, STRANGER, false);
        let ask = async || {
            let answer = http.get(url(&bed.environment.ground, EAST_TARGETS[0], "/health")).send().await.unwrap();
            (answer.status(), answer.json::<Value>().await.unwrap())
        };
        let well = (StatusCode::OK, serde_json::json!({"status": "ok", "db": "ok"}));
        assert_eq!(ask().await, well);
        let fault = Fault::KillDatabase("east".to_owned());
        for _ in 0..2 {
            cell.apply(&fault).await;
            let (status, body) = ask().await;
            assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(body["status"], "fail");
            assert!(body["db"].as_str().unwrap().contains("refused"), "{body}");
            cell.undo(&fault).unwrap();
            assert_eq!(ask().await, well);
        }
    });
}

#[test]
fn the_load_balancer_takes_the_routable_targets_in_turn_and_no_other() {
    on_loopback(10.0, async |bed| {
        let (routes, routable) = watch::channel(vec![0, 1]);
        let _cell = region(&bed, routable);
        let http = http_client(&bed.environment.ground, ANA, true);
        let ask = async || {
            let answer = http.get(url(&bed.environment.ground, EAST, "/")).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::OK);
            assert_eq!(answer.headers()[CELL_HEADER], "east");
            answer.json::<Value>().await.unwrap()["target"].as_u64().unwrap()
        };
        let (one, other) = (ask().await, ask().await);
        assert_ne!(one, other);
        routes.send(vec![1]).unwrap();
        assert_eq!((ask().await, ask().await), (1, 1));
        routes.send(vec![]).unwrap();
        let answer = http.get(url(&bed.environment.ground, EAST, "/")).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    });
}

#[test]
fn grpc_is_told_unavailable_while_the_database_is_dead_and_loses_its_connection_with_the_cell() {
    on_loopback(10.0, async |mut bed| {
        let mut cell = region(&bed, routable(&[0, 1]));
        let mut channel = grpc::channel(&bed, EAST).await;
        let check = || grpc::call("/grpc.health.v1.Health/Check", "");
        let arrival = |status| ("east".to_owned(), "ana".to_owned(), status);
        assert_eq!(grpc::answered(&mut channel, check()).await, (0, Some(1)));
        assert_eq!(grpc::arrived(&mut bed).await, arrival(200));
        let dead = Fault::KillDatabase("east".to_owned());
        cell.apply(&dead).await;
        assert_eq!(grpc::answered(&mut channel, check()).await, (14, None));
        assert_eq!(grpc::arrived(&mut bed).await, arrival(503));
        cell.undo(&dead).unwrap();
        assert_eq!(grpc::answered(&mut channel, check()).await, (0, Some(1)));
        // And what is no call of gRPC passes the load balancer, too.
        let plain = axum::http::Request::get("http://api.example/pay").body(http_body_util::Full::default()).unwrap();
        let answer = channel.send_request(plain).await.unwrap();
        assert_eq!((answer.version(), answer.status()), (axum::http::Version::HTTP_2, StatusCode::OK));
        cell.apply(&Fault::KillRegion("east".to_owned())).await;
        assert!(channel.send_request(check()).await.is_err());
    });
}

#[test]
fn arrivals_name_the_client_by_its_address_and_leave_strangers_out() {
    on_loopback(10.0, async |mut bed| {
        let _east = region(&bed, routable(&[0]));
        let _site = bed.start_cell("site", &site());
        let ground = &bed.environment.ground;
        for (from, at) in [(STRANGER, EAST), (ANA, EAST), (STRANGER, SITE), (ANA, SITE)] {
            let answer = http_client(ground, from, false).get(url(ground, at, "/")).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::OK);
        }
        let arrivals = bed.journal.drain().into_iter().map(|event| match event {
            Event::RequestArrived { cell, client, status, .. } => (cell, client, status),
            other => panic!("{other:?}"),
        });
        let arrival = |cell: &str| (cell.to_owned(), "ana".to_owned(), 200);
        assert_eq!(arrivals.collect::<Vec<_>>(), [arrival("east"), arrival("site")]);
    });
}

#[test]
fn a_killed_region_refuses_drops_open_connections_and_serves_again_after_the_undo() {
    on_loopback(10.0, async |bed| {
        let mut cell = region(&bed, routable(&[0]));
        let here = bed.environment.ground.here(SocketAddr::new(EAST.parse().unwrap(), HTTP_PORT)).unwrap();
        let mut kept = tokio::net::TcpStream::connect(here).await.unwrap();
        kept.write_all(b"GET / HTTP/1.1\r\nHost: east\r\n\r\n").await.unwrap();
        let mut answer = [0; 4096];
        assert!(kept.read(&mut answer).await.unwrap() > 0);
        assert!(answer.starts_with(b"HTTP/1.1 200"));

        let fault = Fault::KillRegion("east".to_owned());
        cell.apply(&fault).await;
        assert_eq!(kept.read(&mut answer).await.unwrap(), 0, "the open connection lives on");
        let http = http_client(&bed.environment.ground, ANA, false);
        for address in [EAST, EAST_TARGETS[0], EAST_TARGETS[1]] {
            let refused = http.get(url(&bed.environment.ground, address, "/")).send().await.unwrap_err();
            assert!(refused.is_connect(), "{refused:?}");
        }
        cell.apply(&fault).await;
        cell.undo(&fault).unwrap();
        cell.undo(&fault).unwrap();
        let answer = http.get(url(&bed.environment.ground, EAST, "/")).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
    });
}

#[test]
fn what_two_faults_break_stays_broken_until_both_are_undone() {
    on_loopback(10.0, async |bed| {
        let mut cell = region(&bed, routable(&[0]));
        let (database, region) = (Fault::KillDatabase("east".to_owned()), Fault::KillRegion("east".to_owned()));
        cell.apply(&database).await;
        cell.apply(&region).await;
        cell.undo(&region).unwrap();
        let http = http_client(&bed.environment.ground, ANA, false);
        let ask = async || http.get(url(&bed.environment.ground, EAST, "/")).send().await.unwrap().status();
        assert_eq!(ask().await, StatusCode::SERVICE_UNAVAILABLE);
        cell.undo(&database).unwrap();
        assert_eq!(ask().await, StatusCode::OK);
    });
}

#[test]
fn a_fault_of_another_cell_leaves_this_one_alone() {
    on_loopback(10.0, async |bed| {
        let mut cell = bed.start_cell("site", &site());
        cell.apply(&Fault::KillStaticSite("other".to_owned())).await;
        let http = http_client(&bed.environment.ground, ANA, false);
        http.get(url(&bed.environment.ground, SITE, "/")).send().await.unwrap();
        cell.apply(&Fault::KillStaticSite("site".to_owned())).await;
        http.get(url(&bed.environment.ground, SITE, "/")).send().await.unwrap_err();
    });
}

#[test]
fn a_target_that_refuses_is_a_bad_gateway_with_the_cells_name_on_it() {
    on_loopback(10.0, async |bed| {
        let mut cell = region(&bed, routable(&[0]));
        for (part, process) in &mut cell.organs.processes {
            if matches!(part, Part::Target(_)) {
                process.kill().await;
            }
        }
        let http = http_client(&bed.environment.ground, ANA, false);
        let answer = http.get(url(&bed.environment.ground, EAST, "/")).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::BAD_GATEWAY);
        assert_eq!(answer.headers()[CELL_HEADER], "east");
    });
}

#[test]
fn a_firewall_answers_checkers_403_and_lets_clients_in_until_it_is_undone() {
    on_loopback(10.0, async |bed| {
        let mut cell = bed.start_cell("site", &site());
        let ask = async |from| {
            let http = http_client(&bed.environment.ground, from, false);
            http.get(url(&bed.environment.ground, SITE, "/")).send().await.unwrap().status()
        };
        let fault = Fault::LockOutCheckers("site".to_owned());
        cell.apply(&fault).await;
        cell.apply(&fault).await;
        assert_eq!((ask(STRANGER).await, ask(ANA).await), (StatusCode::FORBIDDEN, StatusCode::OK));
        cell.undo(&fault).unwrap();
        assert_eq!((ask(STRANGER).await, ask(ANA).await), (StatusCode::OK, StatusCode::OK));
    });
}

#[test]
fn a_connection_that_a_checker_holds_open_is_locked_out_as_well() {
    on_loopback(10.0, async |bed| {
        let mut cell = bed.start_cell("site", &site());
        let http = http_client(&bed.environment.ground, STRANGER, true);
        let ask = async || http.get(url(&bed.environment.ground, SITE, "/")).send().await.unwrap().status();
        assert_eq!(ask().await, StatusCode::OK);
        cell.apply(&Fault::LockOutCheckers("site".to_owned())).await;
        assert_eq!(ask().await, StatusCode::FORBIDDEN);
    });
}

#[test]
fn a_part_that_is_killed_and_locked_out_comes_back_locked_out() {
    on_loopback(10.0, async |bed| {
        let mut cell = bed.start_cell("site", &site());
        let (killed, locked) = (Fault::KillStaticSite("site".to_owned()), Fault::LockOutCheckers("site".to_owned()));
        cell.apply(&killed).await;
        cell.apply(&locked).await;
        cell.undo(&killed).unwrap();
        let http = http_client(&bed.environment.ground, STRANGER, false);
        let answer = http.get(url(&bed.environment.ground, SITE, "/")).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::FORBIDDEN);
    });
}

/// The status that a request from a client is given, if somebody is there.
async fn status(bed: &Testbed, at: &str) -> Option<StatusCode> {
    let http = http_client(&bed.environment.ground, ANA, false);
    match http.get(url(&bed.environment.ground, at, "/")).send().await {
        Ok(answer) => Some(answer.status()),
        Err(error) => {
            assert!(error.is_connect(), "{error:?}");
            None
        }
    }
}

fn part(bed: &Testbed, part: Part) -> Result<Cell, CellError> {
    Cell::start_part(part, "east", &east(), &bed.around(), &mut chance())
}

#[test]
fn a_part_by_itself_serves_and_nothing_else_of_its_cell_does() {
    on_loopback(10.0, async |bed| {
        let _target = part(&bed, Part::Target(0)).unwrap();
        // Without its database: it is there, and says that it is not well.
        let page = status(&bed, EAST_TARGETS[0]).await;
        assert_eq!(page, Some(StatusCode::SERVICE_UNAVAILABLE));
        assert_eq!((status(&bed, EAST_TARGETS[1]).await, status(&bed, EAST).await), (None, None));
        let _database = part(&bed, Part::Database).unwrap();
        assert_eq!(status(&bed, EAST_TARGETS[0]).await, Some(StatusCode::OK));
    });
}

#[test]
fn a_cell_without_its_parts_leaves_their_addresses_to_who_serves_them_elsewhere() {
    on_loopback(10.0, async |bed| {
        let parts = [Part::Database, Part::Target(0), Part::Target(1)];
        let around = bed.around();
        let rest = Cell::start_without(&parts.into(), "east", &east(), &around, &mut chance());
        let _rest = rest.unwrap();
        assert_eq!((status(&bed, EAST_TARGETS[0]).await, status(&bed, EAST_TARGETS[1]).await), (None, None));
        assert_eq!(status(&bed, EAST).await, Some(StatusCode::BAD_GATEWAY), "a load balancer without its targets");
        // Nothing of the rest holds their addresses, so all can be bound.
        let _parts = parts.map(|own| part(&bed, own).unwrap());
        assert_eq!(status(&bed, EAST).await, Some(StatusCode::OK));
        assert!(part(&bed, Part::Target(0)).is_err(), "there is one already");
    });
}

#[test]
fn a_part_by_itself_is_broken_by_faults_of_that_part_and_mended_by_their_undo() {
    on_loopback(10.0, async |bed| {
        let mut target = part(&bed, Part::Target(0)).unwrap();
        let there = async || status(&bed, EAST_TARGETS[0]).await.is_some();
        let others = [
            Fault::KillDatabase("east".to_owned()),
            Fault::KillTargets { cell: "east".to_owned(), targets: [1].into() },
            Fault::KillRegion("west".to_owned()),
        ];
        for fault in others {
            target.apply(&fault).await;
            assert!(there().await, "{fault:?}");
        }
        let region = Fault::KillRegion("east".to_owned());
        target.apply(&region).await;
        assert!(!there().await);
        target.undo(&region).unwrap();
        assert!(there().await);
    });
}

#[test]
fn a_part_that_a_cell_does_not_have_is_told() {
    on_loopback(10.0, async |bed| {
        let told = part(&bed, Part::Engine).unwrap_err();
        assert!(matches!(&told, CellError::NoSuchPart { cell, .. } if cell == "east"), "{told}");
    });
}

#[test]
fn where_haproxy_is_the_load_balancer_its_log_is_heard_in_the_cell_and_in_none_of_its_parts() {
    on_loopback(10.0, async |mut bed| {
        let mut plan = east();
        let CellKind::Region(region) = &mut plan.kind else { unreachable!("east is a region") };
        region.load_balancer_software = Some(LoadBalancerSoftware::Haproxy);
        let around = bed.around();
        let elsewhere = [Part::Database, Part::Target(0), Part::Target(1), Part::LoadBalancer];
        let _cell = Cell::start_without(&elsewhere.into(), "east", &plan, &around, &mut chance()).unwrap();
        // It would not be bound twice.
        let _target = Cell::start_part(Part::Target(0), "east", &plan, &around, &mut chance()).unwrap();
        assert_eq!(status(&bed, EAST).await, None, "the door is HAProxy's");
        let ended = std::time::SystemTime::now().duration_since(std::time::SystemTime::UNIX_EPOCH).unwrap();
        let line = format!("arrival {ANA} {} 3 200 -- targets/target-0", ended.as_micros());
        let haproxy = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        haproxy.send_to(line.as_bytes(), HEARD_AT).unwrap();
        let arrived = bed.journal.wait_for("the arrival", |stamped| match &stamped.event {
            Event::RequestArrived { cell, client, status, .. } => Some((cell.clone(), client.clone(), *status)),
            _ => None,
        });
        assert_eq!(arrived.await, ("east".to_owned(), "ana".to_owned(), 200));
    });
}
