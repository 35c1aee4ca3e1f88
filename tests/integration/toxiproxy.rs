//! A Toxiproxy of ours, driven over loopback by `toxiproxy_rust`, a client that was written for Shopify's.

mod bench;

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toxiproxy_rust::proxy::ProxyPack;

use bench::{Bench, PATIENCE, Server, ask, rest, said_once};

/// Long enough that whatever comes at once comes before; short enough to wait for.
const LONG: u32 = 1500;

#[test]
fn a_client_creates_finds_and_deletes_proxies() {
    let bench = Bench::new();
    assert!(bench.client.is_running());
    let version: Value = serde_json::from_str(&bench.client.version().unwrap()).unwrap();
    assert!(version["version"].as_str().unwrap().starts_with("2."));
    let echo = Server::echo();
    let proxy = bench.proxy("first", &echo);
    assert_eq!((&*proxy.proxy_pack.name, proxy.proxy_pack.enabled), ("first", true));
    assert!(!proxy.proxy_pack.listen.ends_with(":0"), "{}", proxy.proxy_pack.listen);
    bench.proxy("second", &echo);
    let mut names: Vec<String> = bench.client.all().unwrap().into_keys().collect();
    names.sort();
    assert_eq!(names, ["first", "second"]);
    assert_eq!(said_once(&mut bench.connect("first"), b"hello"), b"hello");
    proxy.delete().unwrap();
    assert!(bench.client.find_proxy("first").is_err());
    assert_eq!(TcpStream::connect(&proxy.proxy_pack.listen).unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn populating_again_keeps_what_is_the_same_and_replaces_what_is_not() {
    let bench = Bench::new();
    let (here, there) = (Server::saying(b"here"), Server::saying(b"there"));
    let proxy = bench.proxy("proxy", &here);
    proxy.with_latency("downstream".into(), 0, 0, 1.0);
    let listen = proxy.proxy_pack.listen.clone();
    let populate = |upstream: String| {
        let pack = ProxyPack::new("proxy".into(), listen.clone(), upstream);
        bench.client.populate(vec![pack]).unwrap().remove(0).proxy_pack
    };
    let mut open = bench.connect("proxy");
    let kept = populate(here.address.clone());
    assert_eq!((kept.listen, kept.toxics.len()), (listen.clone(), 1));
    assert_eq!(rest(&mut open), b"here");
    let replaced = populate(there.address.clone());
    assert_eq!((replaced.listen, replaced.toxics.len()), (listen.clone(), 0));
    assert_eq!(rest(&mut bench.connect("proxy")), b"there");
}

#[test]
fn a_proxy_that_is_down_refuses_and_cuts_and_comes_up_where_it_was() {
    let bench = Bench::new();
    let echo = Server::echo();
    let proxy = bench.proxy("proxy", &echo);
    let mut open = bench.connect("proxy");
    assert_eq!(said_once(&mut open, b"a"), b"a");
    let listen = proxy.proxy_pack.listen.clone();
    proxy
        .with_down(|| {
            assert_eq!(TcpStream::connect(&listen).unwrap_err().kind(), ErrorKind::ConnectionRefused);
            assert!(!bench.client.find_proxy("proxy").unwrap().proxy_pack.enabled);
            assert_eq!(rest(&mut open), b"");
        })
        .unwrap();
    assert_eq!(bench.client.find_proxy("proxy").unwrap().proxy_pack.listen, listen);
    assert_eq!(said_once(&mut bench.connect("proxy"), b"b"), b"b");
}

#[test]
fn a_reset_takes_everything_up_and_removes_every_toxic() {
    let bench = Bench::new();
    let echo = Server::echo();
    bench.proxy("toxic", &echo).with_timeout("upstream".into(), 0, 1.0).with_latency("downstream".into(), 9, 3, 0.5);
    bench.proxy("down", &echo).disable().unwrap();
    bench.client.reset().unwrap();
    for (name, proxy) in bench.client.all().unwrap() {
        assert!(proxy.proxy_pack.enabled && proxy.proxy_pack.toxics.is_empty(), "{name}");
        assert_eq!(said_once(&mut bench.connect(&name), b"a"), b"a");
    }
}

#[test]
fn toxics_are_listed_as_they_were_asked_for_and_removed_one_by_one() {
    let bench = Bench::new();
    let echo = Server::echo();
    let proxy = bench.proxy("proxy", &echo);
    proxy
        .with_latency("downstream".into(), 20, 5, 0.5)
        .with_bandwidth("upstream".into(), 500, 1.0)
        .with_slow_close("downstream".into(), 7, 1.0)
        .with_timeout("upstream".into(), 9, 0.0)
        .with_slicer("downstream".into(), 1024, 128, 500, 1.0)
        .with_limit_data("downstream".into(), 2048, 1.0);
    let toxics = proxy.toxics().unwrap();
    let names: Vec<&str> = toxics.iter().map(|toxic| &*toxic.name).collect();
    let upstream = ["bandwidth_upstream", "timeout_upstream"];
    let downstream = ["latency_downstream", "slow_close_downstream", "slicer_downstream", "limit_data_downstream"];
    assert_eq!(names, [&upstream[..], &downstream].concat());
    assert_eq!((toxics[2].attributes["latency"], toxics[2].attributes["jitter"]), (20, 5));
    assert!((toxics[2].toxicity - 0.5).abs() < f32::EPSILON && toxics[2].r#type == "latency");
    assert_eq!(toxics[4].attributes.len(), 3);
    let found = bench.client.find_and_reset_proxy("proxy").unwrap();
    assert!(found.toxics().unwrap().is_empty());
}

#[test]
fn latency_makes_an_answer_late_in_whichever_stream_and_only_there() {
    let bench = Bench::new();
    let echo = Server::echo();
    bench.proxy("plain", &echo);
    bench.proxy("late-answers", &echo).with_latency("downstream".into(), LONG, 0, 1.0);
    bench.proxy("late-questions", &echo).with_latency("upstream".into(), 2 * LONG, 0, 1.0);
    bench.proxy("spared", &echo).with_latency("upstream".into(), LONG, 0, 0.0);
    let order = bench.order_of_answers(&["late-questions", "late-answers", "spared", "plain"]);
    assert_eq!(order[2..], ["late-answers", "late-questions"]);
}

#[test]
fn toxics_come_and_go_on_an_open_connection() {
    let bench = Bench::new();
    let echo = Server::echo();
    let proxy = bench.proxy("proxy", &echo);
    let mut open = bench.connect("proxy");
    assert_eq!(said_once(&mut open, b"a"), b"a");
    proxy.with_latency("downstream".into(), 3_600_000, 0, 1.0);
    open.write_all(b"b").unwrap();
    assert!(bench::is_silent(&mut open));
    let change = json!({"attributes": {"latency": 1}}).to_string();
    assert_eq!(ask(&bench, "PATCH", "/proxies/proxy/toxics/latency_downstream", &change).0, 200);
    assert_eq!(bench::read(&mut open, 1), b"b");
    proxy.with_bandwidth("upstream".into(), 0, 1.0);
    open.write_all(b"c").unwrap();
    assert!(bench::is_silent(&mut open));
    proxy.delete_all_toxics().unwrap();
    assert_eq!(bench::read(&mut open, 1), b"c");
}

#[test]
fn bandwidth_is_what_a_transfer_takes_its_time_from() {
    let bench = Bench::new();
    let source = Server::saying(&[7; 8_000]);
    bench.proxy("slow", &source).with_bandwidth("downstream".into(), 10, 1.0);
    bench.proxy("fast", &source).with_bandwidth("downstream".into(), 160, 1.0);
    let took = |name| {
        let mut stream = bench.connect(name);
        let began = Instant::now();
        assert_eq!(rest(&mut stream), [7; 8_000]);
        began.elapsed()
    };
    // Side by side, so that the machine's load is on both.
    let (slow, fast) = std::thread::scope(|scope| {
        let slow = scope.spawn(|| took("slow"));
        let fast = scope.spawn(|| took("fast"));
        (slow.join().unwrap(), fast.join().unwrap())
    });
    assert!(slow > fast * 2, "{slow:?} at a sixteenth of the rate, {fast:?} at the whole");
}

#[test]
fn slow_close_makes_the_end_late_and_not_the_bytes() {
    let bench = Bench::new();
    let source = Server::saying(b"all");
    bench.proxy("slow", &source).with_slow_close("downstream".into(), LONG, 1.0);
    bench.proxy("plain", &source);
    let mut slow = bench.connect("slow");
    assert_eq!(bench::read(&mut slow, 3), b"all");
    assert!(bench::is_silent(&mut slow));
    assert_eq!(rest(&mut bench.connect("plain")), b"all");
    assert!(bench::is_open(&slow), "its end came before that of one that began later");
    assert_eq!(rest(&mut slow), b"");
}

#[test]
fn timeout_drops_everything_and_closes_sooner_or_later() {
    let bench = Bench::new();
    let source = Server::saying_and_staying(b"lost");
    bench.proxy("later", &source).with_timeout("downstream".into(), 2 * LONG, 1.0);
    bench.proxy("sooner", &source).with_timeout("downstream".into(), 1, 1.0);
    let (mut later, mut sooner) = (bench.connect("later"), bench.connect("sooner"));
    assert_eq!(rest(&mut sooner), b"");
    assert!(bench::is_open(&later));
    assert_eq!(rest(&mut later), b"");
}

#[test]
fn timeout_zero_holds_a_connection_until_it_is_removed_and_then_new_ones_flow() {
    let bench = Bench::new();
    let echo = Server::echo();
    let proxy = bench.proxy("proxy", &echo);
    let mut open = bench.connect("proxy");
    assert_eq!(said_once(&mut open, b"a"), b"a");
    proxy.with_timeout("upstream".into(), 0, 1.0);
    open.write_all(b"b").unwrap();
    assert!(bench::is_silent(&mut open));
    proxy.delete_all_toxics().unwrap();
    assert_eq!(rest(&mut open), b"", "a stream that lacks bytes does not go on");
    assert_eq!(said_once(&mut bench.connect("proxy"), b"c"), b"c");
}

#[test]
fn slicer_cuts_bytes_into_small_slices_and_loses_none() {
    let bench = Bench::new();
    let text: Vec<u8> = (0..=255).cycle().take(640).collect();
    let source = Server::saying(&text);
    bench.proxy("slices", &source).with_slicer("downstream".into(), 64, 16, 50_000, 1.0);
    let mut stream = bench.connect("slices");
    let (mut received, mut reads) = (Vec::new(), 0);
    let mut buffer = [0; 1024];
    loop {
        let count = stream.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        received.extend_from_slice(&buffer[..count]);
        reads += 1;
    }
    assert_eq!(received, text);
    assert!(reads > 2, "{reads} reads");
}

#[test]
fn limit_data_passes_so_many_bytes_and_closes() {
    let bench = Bench::new();
    let source = Server::saying_and_staying(&[7; 5_000]);
    bench.proxy("proxy", &source).with_limit_data("downstream".into(), 2_048, 1.0);
    assert_eq!(rest(&mut bench.connect("proxy")), [7; 2_048]);
}

#[test]
fn reset_peer_is_seen_as_a_reset_by_both_ends() {
    let bench = Bench::new();
    let echo = Server::echo();
    bench.proxy("proxy", &echo);
    bench.proxy("closing", &echo).with_timeout("downstream".into(), 1, 1.0);
    let toxic = json!({"type": "reset_peer", "attributes": {"timeout": 1}}).to_string();
    assert_eq!(ask(&bench, "POST", "/proxies/proxy/toxics", &toxic).0, 200);
    let mut stream = bench.connect("proxy");
    stream.write_all(b"a").unwrap();
    assert_eq!(stream.read(&mut [0; 8]).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(echo.end(), Some(ErrorKind::ConnectionReset));
    // Another toxic that ends connections does it without a reset.
    assert_eq!(rest(&mut bench.connect("closing")), b"");
    assert_eq!(echo.end(), None);
}

#[test]
fn toxics_of_a_chain_work_one_after_the_other() {
    let bench = Bench::new();
    let source = Server::saying_and_staying(&[7; 5_000]);
    bench.proxy("plain", &source);
    let proxy = bench.proxy("proxy", &source);
    proxy.with_limit_data("downstream".into(), 100, 1.0).with_slow_close("downstream".into(), LONG, 1.0);
    let mut stream = bench.connect("proxy");
    assert_eq!(bench::read(&mut stream, 100), [7; 100]);
    assert!(bench::is_silent(&mut stream));
    assert_eq!(bench::read(&mut bench.connect("plain"), 5_000), [7; 5_000]);
    assert!(bench::is_open(&stream));
    assert_eq!(rest(&mut stream), b"");
}

#[test]
fn taking_down_does_not_wait_for_who_takes_nothing_and_the_end_of_the_server_ends_all() {
    let bench = Bench::new();
    let flood = Server::flood();
    let proxy = bench.proxy("proxy", &flood);
    proxy.with_slow_close("downstream".into(), 3_600_000, 1.0).with_latency("downstream".into(), 5, 0, 1.0);
    let stuck = bench.connect("proxy");
    flood.stuck();
    proxy.disable().unwrap();
    assert!(flood.end().is_some(), "the server's connection is cut");
    drop(stuck);
    proxy.enable().unwrap();
    let _stuck = bench.connect("proxy");
    flood.stuck();
    let listen = proxy.proxy_pack.listen.clone();
    drop(bench);
    assert!(flood.end().is_some());
    assert_eq!(TcpStream::connect(listen).unwrap_err().kind(), ErrorKind::ConnectionRefused);
}

#[test]
fn statuses_and_bodies_are_those_of_toxiproxy() {
    let bench = Bench::new();
    let echo = Server::echo();
    bench.proxy("taken", &echo).with_latency("downstream".into(), 1, 0, 1.0);
    let listening = bench.client.find_proxy("taken").unwrap().proxy_pack.listen;
    let toxics = "/proxies/taken/toxics";
    let in_use = json!({"name": "new", "listen": listening, "upstream": "127.0.0.1:1"}).to_string();
    for (method, path, body, status, error) in [
        ("GET", "/proxies/none", "", 404, "proxy not found"),
        ("DELETE", "/proxies/none", "", 404, "proxy not found"),
        ("PATCH", "/proxies/none", "{}", 404, "proxy not found"),
        ("POST", "/proxies/none/toxics", "{}", 404, "proxy not found"),
        ("GET", "/proxies/none/toxics/latency_downstream", "", 404, "proxy not found"),
        ("POST", "/proxies", "{", 400, "bad request body: "),
        ("POST", "/proxies", r#"{"name": 7}"#, 400, "bad request body: "),
        ("POST", "/proxies", r#"{"upstream": "127.0.0.1:1"}"#, 400, "missing required field: name"),
        ("POST", "/proxies", r#"{"name": "new"}"#, 400, "missing required field: upstream"),
        ("POST", "/proxies", r#"{"name": "taken", "upstream": "127.0.0.1:1"}"#, 409, "proxy already exists"),
        ("POST", "/proxies", &in_use, 500, "cannot listen at "),
        ("POST", "/populate", r#"[{"name": "new"}]"#, 400, "missing required field: upstream at proxy 1"),
        ("POST", "/populate", "{}", 400, "bad request body: "),
        ("POST", toxics, r#"{"type": "fog"}"#, 400, "invalid toxic type"),
        ("POST", toxics, r#"{"type": "latency", "stream": "sideways"}"#, 400, "stream was invalid, "),
        ("POST", toxics, r#"{"type": "latency"}"#, 409, "toxic already exists"),
        ("POST", toxics, r#"{"type": "timeout", "attributes": {"timeout": "x"}}"#, 400, "bad request body: "),
        ("GET", "/proxies/taken/toxics/none", "", 404, "toxic not found"),
        ("POST", "/proxies/taken/toxics/none", "{}", 404, "toxic not found"),
        ("DELETE", "/proxies/taken/toxics/none", "", 404, "toxic not found"),
    ] {
        let (is, said) = ask(&bench, method, path, body);
        assert_eq!(is, status, "{method} {path} {body}: {said}");
        let said: Value = serde_json::from_str(&said).unwrap();
        assert!(said["error"].as_str().unwrap().starts_with(error), "{method} {path} {body}: {said}");
        assert_eq!(said["status"], status);
    }
    assert_eq!(bench.client.all().unwrap().len(), 1, "what went wrong left nothing behind");
    assert_eq!(ask(&bench, "GET", "/nowhere", "").0, 404);
    assert_eq!(ask(&bench, "DELETE", "/version", "").0, 405);
    let browser = bench::ask_as(&bench, "Mozilla/5.0", "POST", "/reset", "");
    assert_eq!(browser, (403, "User agent not allowed\n".to_owned()));
}

#[test]
fn what_goes_well_has_toxiproxys_statuses_and_bodies_too() {
    let bench = Bench::new();
    let proxy = json!({"name": "p", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:1", "enabled": false}).to_string();
    let (status, created) = ask(&bench, "POST", "/proxies", &proxy);
    let due = json!({"name": "p", "listen": "127.0.0.1:0", "upstream": "127.0.0.1:1", "enabled": false, "toxics": []});
    assert_eq!((status, serde_json::from_str::<Value>(&created).unwrap()), (201, due.clone()));
    assert_eq!(serde_json::from_str::<Value>(&ask(&bench, "GET", "/proxies", "").1).unwrap(), json!({"p": due}));
    let toxic = r#"{"name": "slow", "type": "latency", "stream": "UPSTREAM", "attributes": {"latency": 5}}"#;
    let (status, added) = ask(&bench, "POST", "/proxies/p/toxics", toxic);
    let due = |latency, toxicity| {
        json!({
            "attributes": {"latency": latency, "jitter": 0}, "name": "slow", "type": "latency", "stream": "upstream",
            "toxicity": toxicity
        })
    };
    assert_eq!((status, serde_json::from_str::<Value>(&added).unwrap()), (200, due(5, 1.0)));
    let (status, changed) = ask(&bench, "POST", "/proxies/p/toxics/slow", r#"{"toxicity": 0.25}"#);
    assert_eq!((status, serde_json::from_str::<Value>(&changed).unwrap()), (200, due(5, 0.25)));
    let (status, listed) = ask(&bench, "GET", "/proxies/p/toxics", "");
    assert_eq!((status, serde_json::from_str::<Value>(&listed).unwrap()), (200, json!([due(5, 0.25)])));
    assert_eq!(ask(&bench, "DELETE", "/proxies/p/toxics/slow", ""), (204, String::new()));
    let (status, up) = ask(&bench, "PATCH", "/proxies/p", r#"{"enabled": true}"#);
    let up: Value = serde_json::from_str(&up).unwrap();
    assert!(status == 200 && up["enabled"] == true && up["listen"] != "127.0.0.1:0", "{up}");
    let populated = ask(&bench, "POST", "/populate", r#"[{"name": "q", "upstream": "127.0.0.1:1", "enabled": false}]"#);
    assert_eq!(populated.0, 201);
    assert_eq!(serde_json::from_str::<Value>(&populated.1).unwrap()["proxies"][0]["name"], "q");
    assert_eq!(ask(&bench, "DELETE", "/proxies/q", ""), (204, String::new()));
    assert_eq!(ask(&bench, "POST", "/reset", ""), (204, String::new()));
}

#[test]
fn a_lab_controls_proxies_without_http() {
    use muster::toxiproxy::toxics::Latency;
    use muster::toxiproxy::{Kind, ProxyPlan, Stream, Toxic, without_api};

    let echo = Server::echo();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let controlled = async {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};

        let (proxies, serving) = without_api(7);
        let mut running = tokio::task::JoinSet::new();
        running.spawn_local(serving);
        let plan = ProxyPlan {
            name: "proxy".to_owned(),
            listen: "localhost:0".to_owned(),
            upstream: echo.address.clone(),
            enabled: true,
        };
        let listen = proxies.create(plan.clone()).await.unwrap().listen;
        let mut stream = tokio::net::TcpStream::connect(&listen).await.unwrap();
        let hour = Kind::Latency(Latency { latency: 3_600_000, jitter: 0 });
        proxies.add_toxic("proxy", &Toxic::new(hour, Stream::Upstream)).unwrap();
        stream.write_all(b"a").await.unwrap();
        let mut read = [0];
        let late = tokio::time::timeout(Duration::from_millis(200), stream.read(&mut read)).await;
        assert!(late.is_err(), "{late:?}");
        proxies.remove_toxic("proxy", "latency_upstream").unwrap();
        stream.read_exact(&mut read).await.unwrap();
        assert_eq!(&read, b"a");
        running.shutdown().await;
        assert!(matches!(stream.read(&mut read).await, Ok(0) | Err(_)));
        assert!(tokio::net::TcpStream::connect(&listen).await.is_err());
        let late = proxies.create(ProxyPlan { name: "late".to_owned(), ..plan }).await.unwrap_err();
        assert!(late.to_string().contains("has ended"), "{late}");
    };
    let patient = async { tokio::time::timeout(PATIENCE, controlled).await };
    tokio::task::LocalSet::new().block_on(&runtime, patient).unwrap();
}
