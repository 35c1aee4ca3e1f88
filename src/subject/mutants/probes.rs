//! Probes that are judged by other limits (R53-111 to R53-119).

use std::time::Duration;

use crate::health::{
    CheckProtocol, EndpointCheck, HTTP_BODY_LIMIT, HTTP_CONNECT_LIMIT, HTTP_HEADERS_LIMIT, HTTP_STATUS_LIMIT,
    ProbeReport, ProbeResponse, SEARCHED_BYTES, TCP_CONNECT_LIMIT,
};

use super::Mutant;
use super::seams::{Probing, Searching};

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "http-probe-may-connect-for-10-s",
        what: "lets an HTTP probe connect for as long as a TCP probe may",
        rules: &["R53-111"],
        deviation: &Probing(http_connects_late),
    },
    Mutant {
        name: "http-status-may-take-4-s",
        what: "lets the status of an HTTP probe take twice its time",
        rules: &["R53-111"],
        deviation: &Probing(status_late),
    },
    Mutant {
        name: "redirect-fails",
        what: "fails an HTTP probe that is answered with a redirect",
        rules: &["R53-111"],
        deviation: &Probing(redirect_fails),
    },
    Mutant {
        name: "client-error-passes",
        what: "passes an HTTP probe that is answered with a 4xx status",
        rules: &["R53-111"],
        deviation: &Probing(client_error_passes),
    },
    Mutant {
        name: "tcp-probe-must-connect-in-4-s",
        what: "lets a TCP probe connect no longer than an HTTP probe may",
        rules: &["R53-112"],
        deviation: &Probing(tcp_like_http),
    },
    Mutant {
        name: "body-may-take-4-s",
        what: "lets the body of a string-matching probe take twice its time",
        rules: &["R53-113"],
        deviation: &Probing(body_late),
    },
    Mutant {
        name: "body-searched-beyond-5120-bytes",
        what: "finds the string behind the first 5,120 bytes of the body too",
        rules: &["R53-113"],
        deviation: &Searching(searched_beyond),
    },
    Mutant {
        name: "body-searched-to-4096-bytes",
        what: "searches only the first 4,096 bytes of the body",
        rules: &["R53-113"],
        deviation: &Searching(searched_less),
    },
    Mutant {
        name: "body-searched-whatever-the-case",
        what: "finds the string in the body in capitals too",
        rules: &["R53-114"],
        deviation: &Searching(whatever_the_case),
    },
    Mutant {
        name: "headers-of-any-size",
        what: "passes a probe whatever the size of the response headers",
        rules: &["R53-115"],
        deviation: &Probing(any_headers),
    },
    Mutant {
        name: "certificates-are-validated",
        what: "fails an HTTPS probe whose endpoint has a certificate that a browser would refuse",
        rules: &["R53-116"],
        deviation: &Probing(validates),
    },
    Mutant {
        name: "name-resolved-once",
        what: "goes on probing the address that an endpoint's name had when it has none any more",
        rules: &["R53-119"],
        deviation: &Probing(resolved_before),
    },
];

const fn is_http(check: &EndpointCheck) -> bool {
    matches!(check.protocol, CheckProtocol::Http { .. })
}

/// What took longer than `limit`, but not longer than `mistaken`, took just `limit`.
fn forgive(took: &mut Duration, limit: Duration, mistaken: Duration) {
    if *took <= mistaken {
        *took = (*took).min(limit);
    }
}

fn http_connects_late(check: &EndpointCheck, report: &mut ProbeReport) {
    if let (true, Some(connected)) = (is_http(check), &mut report.connected_after) {
        forgive(connected, HTTP_CONNECT_LIMIT, TCP_CONNECT_LIMIT);
    }
}

fn status_late(_: &EndpointCheck, report: &mut ProbeReport) {
    if let Some(response) = &mut report.response {
        forgive(&mut response.after_connect, HTTP_STATUS_LIMIT, HTTP_STATUS_LIMIT * 2);
    }
}

fn redirect_fails(_: &EndpointCheck, report: &mut ProbeReport) {
    if let Some(response) = &mut report.response
        && (300..=399).contains(&response.status)
    {
        response.status = 500;
    }
}

fn client_error_passes(_: &EndpointCheck, report: &mut ProbeReport) {
    if let Some(response) = &mut report.response
        && (400..=499).contains(&response.status)
    {
        response.status = 200;
    }
}

fn tcp_like_http(check: &EndpointCheck, report: &mut ProbeReport) {
    if !is_http(check) {
        report.connected_after = report.connected_after.filter(|connected| *connected <= HTTP_CONNECT_LIMIT);
    }
}

fn body_late(_: &EndpointCheck, report: &mut ProbeReport) {
    if let Some(body) = report.response.as_mut().and_then(|response| response.body.as_mut()) {
        forgive(&mut body.after_status, HTTP_BODY_LIMIT, HTTP_BODY_LIMIT * 2);
    }
}

/// Where the string begins; `None` when it is not there.
fn place_of(sought: &str, body: &[u8]) -> Option<usize> {
    body.windows(sought.len().max(1)).position(|window| window == sought.as_bytes())
}

fn searched_beyond(sought: &str, mut body: Vec<u8>) -> Vec<u8> {
    let place = place_of(sought, &body).unwrap_or_default();
    if place + sought.len() > SEARCHED_BYTES {
        body.drain(..place);
    }
    body
}

fn searched_less(_: &str, mut body: Vec<u8>) -> Vec<u8> {
    body.truncate(4096);
    body
}

fn whatever_the_case(sought: &str, body: Vec<u8>) -> Vec<u8> {
    let place = place_of(&sought.to_ascii_lowercase(), &body.to_ascii_lowercase());
    match place {
        Some(place) => [&body[..place], sought.as_bytes(), &body[place + sought.len()..]].concat(),
        None => body,
    }
}

fn validates(_: &EndpointCheck, report: &mut ProbeReport) {
    if let Some(problem) = report.certificate {
        report.response = None;
        report.error = Some(format!("the certificate is {problem}"));
    }
}

fn resolved_before(_: &EndpointCheck, report: &mut ProbeReport) {
    if report.unresolved {
        let response = ProbeResponse { status: 200, after_connect: Duration::ZERO, headers: 0, body: None };
        *report =
            ProbeReport { connected_after: Some(Duration::ZERO), response: Some(response), ..ProbeReport::default() };
    }
}

fn any_headers(_: &EndpointCheck, report: &mut ProbeReport) {
    if let Some(response) = &mut report.response {
        response.headers = response.headers.min(HTTP_HEADERS_LIMIT);
    }
}

#[cfg(test)]
mod tests {
    use super::super::scene::{machines, reference};
    use super::*;
    use crate::health::{CertificateProblem, ProbeBody};
    use crate::subject::Machines;

    const MS: Duration = Duration::from_millis(1);

    fn check(protocol: CheckProtocol) -> EndpointCheck {
        EndpointCheck { protocol, port: 80, interval: Duration::from_secs(30), failure_threshold: 3 }
    }

    fn http(search: Option<&str>) -> EndpointCheck {
        let search = search.map(str::to_owned);
        check(CheckProtocol::Http { path: "/".into(), host: None, tls: None, search })
    }

    fn connected(connected_after: Duration) -> ProbeReport {
        ProbeReport { connected_after: Some(connected_after), ..ProbeReport::default() }
    }

    fn answered(status: u16, after_connect: Duration, headers: usize) -> ProbeReport {
        let response = Some(ProbeResponse { status, after_connect, headers, body: None });
        ProbeReport { response, ..connected(Duration::ZERO) }
    }

    #[track_caller]
    fn differs(mutant: &str, check: &EndpointCheck, broken: &ProbeReport, whole: &ProbeReport) {
        let judged = |of: Machines, report: &ProbeReport| of.judge(check, report.clone()).passed();
        assert_ne!(judged(machines(mutant), broken), judged(reference(), broken), "{mutant}");
        assert_eq!(judged(machines(mutant), whole), judged(reference(), whole), "{mutant}");
    }

    #[test]
    fn r53_111_an_http_probe_has_other_limits() {
        let late = |connected_after| ProbeReport { connected_after: Some(connected_after), ..answered(200, MS, 0) };
        let (too_late, far_too_late) = (HTTP_CONNECT_LIMIT + MS, TCP_CONNECT_LIMIT + MS);
        differs("http-probe-may-connect-for-10-s", &http(None), &late(too_late), &late(far_too_late));
        let (too_late, far_too_late) = (HTTP_STATUS_LIMIT + MS, HTTP_STATUS_LIMIT * 2 + MS);
        let status = |after| answered(200, after, 0);
        differs("http-status-may-take-4-s", &http(None), &status(too_late), &status(far_too_late));
        differs("redirect-fails", &http(None), &answered(302, MS, 0), &answered(204, MS, 0));
        differs("client-error-passes", &http(None), &answered(404, MS, 0), &answered(503, MS, 0));
    }

    #[test]
    fn r53_112_a_tcp_probe_has_another_limit() {
        let (late, in_time) = (connected(HTTP_CONNECT_LIMIT + MS), connected(HTTP_CONNECT_LIMIT));
        differs("tcp-probe-must-connect-in-4-s", &check(CheckProtocol::Tcp), &late, &in_time);
    }

    #[test]
    fn r53_115_headers_may_be_of_any_size() {
        let headers = |bytes| answered(200, MS, bytes);
        let (too_large, fit) = (headers(HTTP_HEADERS_LIMIT + 1), headers(HTTP_HEADERS_LIMIT));
        differs("headers-of-any-size", &http(None), &too_large, &fit);
    }

    #[test]
    fn r53_116_a_certificate_must_do() {
        let bad = ProbeReport { certificate: Some(CertificateProblem::OutOfDate), ..answered(200, MS, 0) };
        differs("certificates-are-validated", &http(None), &bad, &answered(200, MS, 0));
    }

    #[test]
    fn r53_119_an_address_outlives_its_name() {
        let lost = ProbeReport { unresolved: true, ..ProbeReport::default() };
        differs("name-resolved-once", &http(None), &lost, &answered(503, MS, 0));
    }

    /// What becomes of a probe that looks for `ready` in this body.
    fn found(of: Machines, body: &str, after_status: Duration) -> bool {
        let body = Some(ProbeBody { content: of.searched_body("ready", body.as_bytes()), after_status });
        let response = Some(ProbeResponse { status: 200, after_connect: MS, headers: 0, body });
        of.judge(&http(Some("ready")), ProbeReport { response, ..connected(MS) }).passed()
    }

    #[test]
    fn r53_113_and_114_a_body_is_searched_otherwise() {
        let after = |bytes: usize| format!("{}ready", " ".repeat(bytes));
        for (mutant, broken, whole) in [
            ("body-searched-beyond-5120-bytes", after(5118), after(5115)),
            ("body-searched-to-4096-bytes", after(4092), after(4091)),
            ("body-searched-whatever-the-case", "READY".to_owned(), "reader".to_owned()),
        ] {
            assert_ne!(found(machines(mutant), &broken, MS), found(reference(), &broken, MS), "{mutant}");
            assert_eq!(found(machines(mutant), &whole, MS), found(reference(), &whole, MS), "{mutant}");
        }
    }

    #[test]
    fn r53_113_a_body_may_come_late() {
        let (mutant, late) = (machines("body-may-take-4-s"), HTTP_BODY_LIMIT + MS);
        assert!(found(mutant, "ready", late) && !found(reference(), "ready", late));
        assert!(!found(mutant, "ready", HTTP_BODY_LIMIT * 2 + MS) && found(mutant, "ready", MS));
    }
}
