//! What a client asks for, how it takes the answer, and what its workers share.

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;
use crate::node::engine::{self, EngineSwitch};
use crate::node::llm_gateway::LlmGateway;
use crate::node::process::{Process, Serving};
use crate::node::testbed::{EAST_TARGETS, roster};
use crate::node::{Arrivals, ENGINE_PORT, telemetry_gateway};
use crate::plan::{EnginePlan, GatewaySettings};
use crate::service::EngineSettings;

fn started(bind: impl Fn() -> std::io::Result<Serving> + 'static) -> Process {
    let mut process = Process::new(bind);
    process.start().unwrap();
    process
}

fn door(bed: &Testbed) -> SocketAddr {
    bed.environment.ground.here(SocketAddr::new(ip(EAST), HTTP_PORT)).unwrap()
}

fn arrivals(bed: &Testbed) -> Arrivals {
    Arrivals::new("east".to_owned(), roster(), bed.environment.recorder.clone())
}

/// An engine and its gateway, which sheds above so many.
fn llm(bed: &Testbed, sheds_above: Option<u32>) -> (Process, Process) {
    let (model, loads_for) = (MODEL.to_owned(), Duration::ZERO);
    let settings = EngineSettings { model, slots: 8, queue: 8, tokens_per_second: 32.0, loads_for };
    let plan = EnginePlan::Own { settings: settings.clone(), address: ip(EAST_TARGETS[0]) };
    let at = bed.environment.ground.here(SocketAddr::new(ip(EAST_TARGETS[0]), ENGINE_PORT)).unwrap();
    let (switch, environment) = (EngineSwitch::default(), bed.environment.clone());
    let engine = started(move || engine::bind(at, &settings, &switch, &environment));
    let limits = GatewaySettings { first_byte_within: secs(3), sheds_above };
    let gateway = LlmGateway::new(arrivals(bed), &plan, limits, None, &bed.environment).unwrap();
    let (door, environment) = (door(bed), bed.environment.clone());
    (engine, started(move || gateway.bind(&[door], &environment)))
}

fn asking(asks: Asks) -> ClientPlan {
    ClientPlan { asks, ..plan(ClientProfile::KeepAlivePool, secs(4)) }
}

#[test]
fn a_completion_is_served_when_all_its_tokens_are_there() {
    on_loopback(20.0, async |mut bed| {
        let _cell = llm(&bed, None);
        let _ana = ana(&bed, &asking(Asks::Completion(32)), &Answering::with(EAST));
        for _ in 0..2 {
            let ended = bed.ended().await;
            assert!(ended.is_served_by("east", EAST), "{ended:?}");
            assert!(ended.at.since(ended.began) >= secs(1), "{ended:?}");
        }
    });
}

#[test]
fn a_stream_is_read_to_its_end() {
    on_loopback(20.0, async |mut bed| {
        let _cell = llm(&bed, None);
        let _ana = ana(&bed, &asking(Asks::Stream(320)), &Answering::with(EAST));
        let ended = bed.ended().await;
        assert!(ended.is_served_by("east", EAST), "{ended:?}");
        assert!(ended.at.since(ended.began) >= secs(10), "{ended:?}");
    });
}

#[test]
fn the_timeout_bounds_a_stream_as_a_whole() {
    on_loopback(20.0, async |mut bed| {
        let _cell = llm(&bed, None);
        let _ana = ana(&bed, &asking(Asks::Stream(3200)), &Answering::with(EAST));
        let ended = bed.ended().await;
        assert_eq!((&ended.outcome, ended.address), (&RequestOutcome::TimedOut, Some(ip(EAST))));
        assert!(ended.at.since(ended.began) >= secs(20), "{ended:?}");
    });
}

#[test]
fn a_stream_without_its_last_event_has_failed() {
    on_loopback(20.0, async |mut bed| {
        let listener = TcpListener::bind(door(&bed)).await.unwrap();
        tokio::task::spawn_local(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let read = stream.read(&mut [0; 4096]).await.unwrap();
            assert!(read > 0);
            let half = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: {}\n\n";
            stream.write_all(half.as_bytes()).await.unwrap();
        });
        let _ana = ana(&bed, &asking(Asks::Stream(8)), &Answering::with(EAST));
        let ended = bed.ended().await;
        let RequestOutcome::Unconnected { reason } = &ended.outcome else { panic!("{ended:?}") };
        assert!(reason.contains("broke off"), "{reason}");
        assert_eq!(ended.address, Some(ip(EAST)));
    });
}

#[test]
fn telemetry_is_sent_as_otlp_and_taken() {
    on_loopback(20.0, async |mut bed| {
        let (door, arrivals, environment) = (door(&bed), arrivals(&bed), bed.environment.clone());
        let _cell = started(move || telemetry_gateway::bind(&[door], &arrivals, &environment));
        let _ana = ana(&bed, &asking(Asks::Telemetry), &Answering::with(EAST));
        let ended = bed.ended().await;
        assert!(ended.is_served_by("east", EAST), "{ended:?}");
    });
}

#[test]
fn a_tier_is_named_to_the_gateway() {
    on_loopback(20.0, async |mut bed| {
        let _cell = llm(&bed, Some(0));
        let free = ClientPlan { tier: Some("free".to_owned()), ..asking(Asks::Completion(1)) };
        {
            let _ana = ana(&bed, &free, &Answering::with(EAST));
            let refused = RequestOutcome::Refused { cell: "east".to_owned(), status: 503 };
            assert_eq!(bed.ended().await.outcome, refused);
        }
        let _ana = ana(&bed, &ClientPlan { tier: Some("paid".to_owned()), ..free }, &Answering::with(EAST));
        // The free client's last requests may still be told.
        while !bed.ended().await.is_served_by("east", EAST) {}
    });
}

#[test]
fn workers_ask_side_by_side_spread_over_the_cadence_each_with_a_cache_of_its_own() {
    on_loopback(20.0, async |mut bed| {
        let _site = bed.start_cell("site", &site());
        let resolver = Answering::with(SITE);
        let (every, start) = (secs(40), bed.environment.clock.now());
        let _ana = ana(&bed, &ClientPlan { workers: 4, ..plan(ClientProfile::CacheForever, every) }, &resolver);
        let mut began = Vec::new();
        for _ in 0..6 {
            let ended = bed.ended().await;
            assert!(ended.is_served_by("site", SITE), "{ended:?}");
            began.push(ended.began.since(start));
        }
        // Never before it is due: a quarter of the cadence after the one before.
        assert!(began.iter().zip(0..).all(|(began, place)| *began >= every / 4 * place), "{began:?}");
        assert_eq!(resolver.times_asked(), 4);
    });
}
