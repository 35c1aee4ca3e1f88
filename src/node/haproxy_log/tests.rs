use super::super::testbed::{ANA, STRANGER, Testbed, ip, on_loopback, roster};
use super::*;

const SERVED: &str = "arrival 192.0.2.7 1796071076265339 12 200 -- targets/target-1";

fn line(state: &str, status: &str) -> Line {
    format!("arrival 192.0.2.7 1796071076265339 12 {status} {state} targets/<NOSRV>").parse().unwrap()
}

/// What was heard of these datagrams.
fn heard(datagrams: &[String]) -> Vec<Event> {
    let datagrams = datagrams.to_vec();
    let (tell, told) = std::sync::mpsc::channel();
    on_loopback(10.0, async move |mut bed| {
        for datagram in &datagrams {
            hear(datagram, &arrivals(&bed), &bed.environment);
        }
        tell.send(bed.journal.drain()).unwrap();
    });
    told.recv().unwrap()
}

fn arrivals(bed: &Testbed) -> Arrivals {
    Arrivals::new("east".to_owned(), roster(), bed.environment.recorder.clone())
}

fn now() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap()
}

#[test]
fn a_line_says_who_asked_when_it_ended_how_long_it_took_and_how() {
    let expected = Line {
        client: ip("192.0.2.7"),
        ended: Duration::from_micros(1_796_071_076_265_339),
        took: Duration::from_millis(12),
        status: 200,
        state: ['-', '-'],
    };
    assert_eq!(SERVED.parse(), Ok(expected));
}

#[test]
fn a_client_of_the_other_family_and_one_whose_address_is_wrapped_in_it_are_known() {
    let of = |address: &str| SERVED.replace("192.0.2.7", address).parse::<Line>().unwrap().client;
    assert_eq!(of("2001:db8::7"), ip("2001:db8::7"));
    assert_eq!(of("::ffff:192.0.2.7"), ip("192.0.2.7"));
}

#[test]
fn what_is_no_line_of_a_request_is_refused() {
    for garbage in [
        "",
        "arrival",
        "arrival 192.0.2.7 1796071076265339 12 200 --",
        "arrival 192.0.2.7 1796071076265339 12 200 -- targets",
        "arrival 192.0.2.7 1796071076265339 12 200 -- targets/a more",
        "arrival unix:1 1796071076265339 12 200 -- targets/a",
        "arrival 192.0.2.7 -1 12 200 -- targets/a",
        "arrival 192.0.2.7 1796071076265339 soon 200 -- targets/a",
        "arrival 192.0.2.7 1796071076265339 12 OK -- targets/a",
        "arrival 192.0.2.7 1796071076265339 12 200 ---- targets/a",
        "arrival 192.0.2.7 1796071076265339 12 200 - targets/a",
        "departure 192.0.2.7 1796071076265339 12 200 -- targets/a",
    ] {
        assert_eq!(garbage.parse::<Line>(), Err(Unreadable), "{garbage}");
    }
}

#[test]
fn a_client_that_is_gone_before_the_answer_was_given_none_whatever_haproxy_notes() {
    for (state, noted, given) in [
        ("--", "200", 200),
        ("SC", "503", 503),
        ("sH", "504", 504),
        ("SH", "502", 502),
        ("CD", "200", 200),
        ("CH", "-1", GONE_BEFORE_ANSWER),
        ("CH", "400", GONE_BEFORE_ANSWER),
        ("CC", "503", GONE_BEFORE_ANSWER),
        ("cQ", "503", GONE_BEFORE_ANSWER),
        ("IH", "-1", GONE_BEFORE_ANSWER),
        ("--", "0", GONE_BEFORE_ANSWER),
    ] {
        assert_eq!(line(state, noted).given(), given, "{state} {noted}");
    }
}

#[test]
fn a_request_that_never_came_whole_has_not_arrived() {
    for state in ["CR", "cR", "PR"] {
        assert!(!line(state, "400").has_arrived(), "{state}");
    }
    assert!(line("PC", "503").has_arrived());
}

#[test]
fn an_arrival_is_as_long_ago_as_the_request_took_and_its_line_was_under_way() {
    let line: Line = SERVED.parse().unwrap();
    let millis = Duration::from_millis;
    assert_eq!(line.held(line.ended), millis(12));
    assert_eq!(line.held(line.ended + millis(3)), millis(15));
    assert_eq!(line.held(line.ended.saturating_sub(millis(3))), millis(12), "a clock that was set back");
    assert_eq!(line.held(line.ended + Duration::from_secs(3600)), millis(1012), "and one that was set forward");
    let unknown: Line = SERVED.replace(" 12 ", " -1 ").parse().unwrap();
    assert_eq!(unknown.took, Duration::ZERO);
}

#[test]
fn arrivals_of_clients_are_written_down_and_nothing_else_that_haproxy_says() {
    let ended = now().as_micros();
    let of = |client: &str, status: &str| format!("arrival {client} {ended} 12 {status} -- targets/target-0\n");
    let events = heard(&[
        of(ANA, "200"),
        of(STRANGER, "200"),
        "Server targets/target-0 is DOWN, reason: Layer7 wrong status".to_owned(),
        "arrivals of another kind".to_owned(),
        String::new(),
        format!("arrival {ANA} {ended} 0 400 CR public/<NOSRV>"),
        of(ANA, "503"),
    ]);
    let seen: Vec<(String, String, u16)> = events
        .into_iter()
        .map(|event| match event {
            Event::RequestArrived { cell, zone: None, client, status, held } => {
                assert!(held >= Duration::from_millis(120), "12 ms are 120 of the lab: {held:?}");
                (cell, client, status)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    let arrival = |status| ("east".to_owned(), "ana".to_owned(), status);
    assert_eq!(seen, [arrival(200), arrival(503)]);
}

#[test]
fn a_line_of_a_request_that_cannot_be_read_breaks_the_lab_and_is_told() {
    let events = heard(&["arrival \u{1b}[2J".to_owned()]);
    let [Event::LabBroke { reason }] = &events[..] else { panic!("{events:?}") };
    assert!(reason.starts_with(r"HAProxy of east logged `arrival \u{1b}[2J`; expected `arrival <address>"), "{reason}");
}

#[test]
fn what_is_sent_to_its_address_is_heard() {
    on_loopback(10.0, async |mut bed| {
        let free = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let at = free.local_addr().unwrap();
        drop(free);
        let serving = bind(at, arrivals(&bed), bed.environment.clone()).unwrap();
        let mut hearing = tokio::task::JoinSet::new();
        hearing.spawn_local(serving);
        let haproxy = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        let line = format!("arrival {ANA} {} 0 200 -- targets/target-0", now().as_micros());
        haproxy.send_to(line.as_bytes(), at).unwrap();
        let arrived = bed.journal.wait_for("the arrival", |stamped| match &stamped.event {
            Event::RequestArrived { client, status, .. } => Some((client.clone(), *status)),
            _ => None,
        });
        assert_eq!(arrived.await, ("ana".to_owned(), 200));
    });
}
