//! What an endpoint check asks, and how one answer is judged.

use super::*;

const NANOSECOND: Duration = Duration::from_nanos(1);

fn http() -> EndpointCheck {
    EndpointCheck {
        protocol: CheckProtocol::Http { path: "/health".into(), host: None, tls: None, search: None },
        port: 80,
        interval: Duration::from_secs(30),
        failure_threshold: 3,
    }
}

fn tcp() -> EndpointCheck {
    EndpointCheck { protocol: CheckProtocol::Tcp, ..http() }
}

fn report(connected_after: Duration, status: u16, after_connect: Duration) -> ProbeReport {
    let response = Some(ProbeResponse { status, after_connect, headers: 0, body: None });
    ProbeReport { connected_after: Some(connected_after), response, ..ProbeReport::default() }
}

fn searching(string: &str) -> EndpointCheck {
    let protocol = CheckProtocol::Http { path: "/".into(), host: None, tls: None, search: Some(string.to_owned()) };
    EndpointCheck { protocol, ..http() }
}

/// A 200 at once, and its body.
fn with_body(body: &[u8], after_status: Duration) -> ProbeReport {
    let mut content = SearchedBody::new(None);
    content.push(body);
    let body = Some(ProbeBody { content, after_status });
    let response = Some(ProbeResponse { status: 200, after_connect: Duration::ZERO, headers: 0, body });
    ProbeReport { response, ..report(Duration::ZERO, 200, Duration::ZERO) }
}

fn failure(check: &EndpointCheck, report: &ProbeReport) -> Option<String> {
    match check.judge(report) {
        Verdict::Passed => None,
        Verdict::Failed(failure) => Some(failure.to_string()),
    }
}

#[test]
fn r53_111_http_passes_exactly_at_both_limits() {
    let verdict = http().judge(&report(HTTP_CONNECT_LIMIT, 200, HTTP_STATUS_LIMIT));
    assert_eq!(verdict, Verdict::Passed);
}

#[test]
fn r53_111_http_fails_just_beyond_either_limit() {
    let late = HTTP_CONNECT_LIMIT + NANOSECOND;
    let verdict = http().judge(&report(late, 200, Duration::ZERO));
    assert_eq!(verdict, Verdict::Failed(ProbeFailure::ConnectedLate(late)));
    let late = HTTP_STATUS_LIMIT + NANOSECOND;
    let verdict = http().judge(&report(Duration::ZERO, 200, late));
    assert_eq!(verdict, Verdict::Failed(ProbeFailure::StatusLate(late)));
}

#[test]
fn r53_111_http_passes_with_200_to_399_only() {
    for (status, passes) in [(199, false), (200, true), (301, true), (399, true), (400, false), (503, false)] {
        let verdict = http().judge(&report(Duration::ZERO, status, Duration::ZERO));
        assert_eq!(verdict.passed(), passes, "{status}: {verdict}");
    }
}

#[test]
fn r53_111_http_fails_without_connection_or_status() {
    let refused = ProbeReport { error: Some("connection refused".into()), ..ProbeReport::default() };
    assert_eq!(http().judge(&refused).to_string(), "not connected: connection refused");
    let wedged = ProbeReport { connected_after: Some(Duration::ZERO), ..ProbeReport::default() };
    assert_eq!(http().judge(&wedged), Verdict::Failed(ProbeFailure::NoStatus(None)));
}

#[test]
fn r53_112_tcp_passes_by_a_connection_within_ten_seconds() {
    let at = |connected_after| ProbeReport { connected_after: Some(connected_after), ..ProbeReport::default() };
    assert_eq!(tcp().judge(&at(TCP_CONNECT_LIMIT)), Verdict::Passed);
    let late = TCP_CONNECT_LIMIT + NANOSECOND;
    assert_eq!(tcp().judge(&at(late)), Verdict::Failed(ProbeFailure::ConnectedLate(late)));
    assert!(!tcp().judge(&ProbeReport::default()).passed());
}

#[test]
fn r53_113_the_body_may_take_two_seconds_more_and_must_hold_the_string() {
    let check = searching("ready");
    assert_eq!(check.judge(&with_body(b"all ready now", HTTP_BODY_LIMIT)), Verdict::Passed);
    let late = HTTP_BODY_LIMIT + NANOSECOND;
    let verdict = check.judge(&with_body(b"all ready now", late));
    assert_eq!(verdict, Verdict::Failed(ProbeFailure::BodyLate(late)));
    let verdict = check.judge(&with_body(b"all steady now", Duration::ZERO));
    assert_eq!(verdict, Verdict::Failed(ProbeFailure::NoMatch));
    let expected = "the string is not in the first 5120 bytes of the body";
    assert_eq!(verdict.to_string(), expected);
}

#[test]
fn r53_113_a_string_match_needs_what_http_needs_first_and_then_a_body() {
    let check = searching("ready");
    let seen = |report| failure(&check, &report).unwrap();
    assert_eq!(seen(report(Duration::ZERO, 503, Duration::ZERO)), "status 503");
    assert!(seen(report(Duration::ZERO, 200, HTTP_STATUS_LIMIT + NANOSECOND)).starts_with("the status came only"));
    let cut = ProbeReport { error: Some("cut".into()), ..report(Duration::ZERO, 200, Duration::ZERO) };
    assert_eq!(seen(cut.clone()), "the status came, but no whole body: cut");
    assert_eq!(failure(&http(), &cut), None, "who searches for nothing needs no body");
}

#[test]
fn r53_113_r53_114_the_string_has_1_to_255_characters() {
    // Characters, not bytes: each of these has two.
    for (length, possible) in [(0, false), (1, true), (255, true), (256, false)] {
        let expected = if possible { Ok(()) } else { Err(CheckSettingsError::Search(length)) };
        assert_eq!(searching(&"é".repeat(length)).validate(), expected);
    }
}

#[test]
fn r53_114_the_string_is_matched_case_and_all() {
    assert_eq!(searching("Ready").judge(&with_body(b"Ready", Duration::ZERO)), Verdict::Passed);
    assert!(!searching("Ready").judge(&with_body(b"ready", Duration::ZERO)).passed());
}

#[test]
fn r53_115_response_headers_above_16384_bytes_fail() {
    let of = |headers| {
        let response = Some(ProbeResponse { status: 200, after_connect: Duration::ZERO, headers, body: None });
        failure(&http(), &ProbeReport { response, ..report(Duration::ZERO, 200, Duration::ZERO) })
    };
    assert_eq!(of(16_384), None);
    assert_eq!(of(16_385).unwrap(), "the response headers have 16385 bytes, more than 16384");
}

#[test]
fn r53_119_a_name_without_an_address_fails_in_route_53s_words() {
    let unresolved = ProbeReport { unresolved: true, ..ProbeReport::default() };
    for check in [http(), tcp()] {
        assert_eq!(failure(&check, &unresolved).unwrap(), "DNS resolution failed");
    }
    let with_reason = ProbeReport { error: Some("no such name".into()), ..unresolved };
    assert_eq!(failure(&http(), &with_reason).unwrap(), "DNS resolution failed: no such name");
}

#[test]
fn the_deadline_is_the_longest_probe_that_can_pass() {
    assert_eq!(http().deadline(), Duration::from_secs(6));
    assert_eq!(searching("ready").deadline(), Duration::from_secs(8));
    assert_eq!(tcp().deadline(), Duration::from_secs(10));
}

#[test]
fn r53_121_the_interval_is_exactly_10_or_30_s() {
    for (millis, possible) in
        [(10_000, true), (30_000, true), (0, false), (10_001, false), (20_000, false), (60_000, false)]
    {
        let interval = Duration::from_millis(millis);
        let expected = if possible { Ok(()) } else { Err(CheckSettingsError::Interval(interval)) };
        assert_eq!(EndpointCheck { interval, ..http() }.validate(), expected);
    }
}

#[test]
fn r53_122_the_threshold_is_1_to_10() {
    for (failure_threshold, possible) in [(0, false), (1, true), (10, true), (11, false)] {
        let check = EndpointCheck { failure_threshold, ..http() };
        let expected = if possible { Ok(()) } else { Err(CheckSettingsError::FailureThreshold(failure_threshold)) };
        assert_eq!(check.validate(), expected);
    }
}

#[test]
fn a_port_path_or_host_that_cannot_be_asked_is_refused() {
    assert_eq!(EndpointCheck { port: 0, ..http() }.validate(), Err(CheckSettingsError::Port));
    let asking = |path: &str, host: Option<&str>| EndpointCheck {
        protocol: CheckProtocol::Http { path: path.into(), host: host.map(Into::into), tls: None, search: None },
        ..http()
    };
    let long = format!("/{}", "a".repeat(TEXT_LIMIT));
    assert_eq!(asking("health", None).validate(), Err(CheckSettingsError::Path("health".into())));
    assert_eq!(asking(&long, None).validate(), Err(CheckSettingsError::Path(long.clone())));
    assert_eq!(asking("/", Some("")).validate(), Err(CheckSettingsError::Host(String::new())));
    assert_eq!(asking(&long[..TEXT_LIMIT], Some("api.example.com")).validate(), Ok(()));
}

#[test]
fn r53_127_a_wedged_endpoint_takes_longer_to_detect_than_a_dead_one() {
    let check = EndpointCheck { interval: Duration::from_secs(10), ..http() };
    let secs = Duration::from_secs;
    assert_eq!(check.turns_within(Duration::ZERO, Duration::ZERO), (secs(20), secs(30)));
    assert_eq!(check.turns_within(Duration::ZERO, HTTP_STATUS_LIMIT), (secs(26), secs(36)));
}
