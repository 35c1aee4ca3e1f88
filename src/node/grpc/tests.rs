use std::net::SocketAddr;

use axum::body::Bytes;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};

use super::super::HTTP_PORT;
use super::super::connections::connect;
use super::super::testbed::{ANA, SITE, Testbed, http_client, ip, on_loopback, site, url};
use super::*;
use crate::journal::event::{Event, Stamped};

/// A connection of HTTP/2, with prior knowledge, from Ana to the door of a cell.
pub(in crate::node) async fn channel(bed: &Testbed, to: &str) -> SendRequest<Full<Bytes>> {
    let ground = &bed.environment.ground;
    let from = ground.here(SocketAddr::new(ip(ANA), 0)).unwrap().ip();
    let door = ground.here(SocketAddr::new(ip(to), HTTP_PORT)).unwrap();
    let stream = connect(Some(from), door).await.unwrap();
    let (sends, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::task::spawn_local(connection);
    sends
}

pub(in crate::node) fn call(path: &str, service: &str) -> Request<Full<Bytes>> {
    let asked = Asked { service: service.to_owned() }.encode_to_vec();
    let length = u32::try_from(asked.len()).unwrap().to_be_bytes();
    let body: Vec<u8> = [0].into_iter().chain(length).chain(asked).collect();
    let request = Request::builder().method(Method::POST).uri(format!("http://api.example{path}"));
    request.header(header::CONTENT_TYPE, CONTENT_TYPE).header("te", "trailers").body(Full::from(body)).unwrap()
}

/// The status of a call, and the health that it told.
pub(in crate::node) async fn answered(
    channel: &mut SendRequest<Full<Bytes>>,
    call: Request<Full<Bytes>>,
) -> (u16, Option<i32>) {
    let (head, body) = channel.send_request(call).await.unwrap().into_parts();
    assert_eq!(
        (head.status, &head.headers[header::CONTENT_TYPE]),
        (StatusCode::OK, &HeaderValue::from_static(CONTENT_TYPE))
    );
    let body = body.collect().await.unwrap();
    let trailers = body.trailers().cloned();
    let status = head.headers.get(STATUS).cloned().or_else(|| trailers?.get(STATUS).cloned()).unwrap();
    let bytes = body.to_bytes();
    let told = (!bytes.is_empty()).then(|| Told::decode(&bytes[PREFIX..]).unwrap().status);
    if let Some(length) = bytes.get(1..PREFIX) {
        assert_eq!(usize::try_from(u32::from_be_bytes(length.try_into().unwrap())).unwrap(), bytes.len() - PREFIX);
    }
    (status.to_str().unwrap().parse().unwrap(), told)
}

pub(in crate::node) async fn arrived(bed: &mut Testbed) -> (String, String, u16) {
    let arrival = |stamped: &Stamped| match &stamped.event {
        Event::RequestArrived { cell, client, status, .. } => Some((cell.clone(), client.clone(), *status)),
        _ => None,
    };
    bed.journal.wait_for("an arrival", arrival).await
}

#[test]
fn the_health_of_a_site_is_asked_over_http_2_and_each_call_arrives_like_a_request() {
    on_loopback(10.0, async |mut bed| {
        let _site = bed.start_cell("site", &site());
        let mut channel = channel(&bed, SITE).await;
        for _ in 0..2 {
            assert_eq!(answered(&mut channel, call(CHECK, "")).await, (Status::Ok as u16, Some(SERVING)));
            assert_eq!(arrived(&mut bed).await, ("site".to_owned(), "ana".to_owned(), 200));
        }
        // And HTTP/1.1 at the same port.
        let ground = &bed.environment.ground;
        let answer = http_client(ground, ANA, false).get(url(ground, SITE, "/")).send().await.unwrap();
        assert_eq!((answer.version(), answer.status()), (axum::http::Version::HTTP_11, StatusCode::OK));
        assert!(answer.text().await.unwrap().contains("We will be back soon"));
    });
}

#[test]
fn what_is_no_such_call_is_told_so_and_is_no_request_of_the_cell() {
    on_loopback(10.0, async |mut bed| {
        let _site = bed.start_cell("site", &site());
        let mut channel = channel(&bed, SITE).await;
        let other = call("/shop.v1.Orders/Place", "");
        assert_eq!(answered(&mut channel, other).await, (Status::Unimplemented as u16, None));
        assert_eq!(answered(&mut channel, call(CHECK, "shop.v1.Orders")).await, (Status::NotFound as u16, None));
        // No protobuf; compressed; longer, and shorter, than it says; no prefix.
        for body in [&[0, 0, 0, 0, 1, 0xff][..], &[1, 0, 0, 0, 0], &[0, 0, 0, 0, 0, 10, 0], &[0, 0, 0, 0, 2], &[]] {
            let (head, _) = call(CHECK, "").into_parts();
            let broken = Request::from_parts(head, Full::from(body.to_vec()));
            assert_eq!(answered(&mut channel, broken).await, (Status::InvalidArgument as u16, None), "{body:?}");
        }
        assert!(bed.journal.drain().is_empty());
    });
}

#[test]
fn statuses_are_those_of_grpcs_own_mapping() {
    for (http, grpc) in [
        (StatusCode::OK, Status::Ok),
        (StatusCode::BAD_REQUEST, Status::Internal),
        (StatusCode::UNAUTHORIZED, Status::Unauthenticated),
        (StatusCode::FORBIDDEN, Status::PermissionDenied),
        (StatusCode::NOT_FOUND, Status::Unimplemented),
        (StatusCode::TOO_MANY_REQUESTS, Status::Unavailable),
        (StatusCode::BAD_GATEWAY, Status::Unavailable),
        (StatusCode::SERVICE_UNAVAILABLE, Status::Unavailable),
        (StatusCode::GATEWAY_TIMEOUT, Status::Unavailable),
        (StatusCode::INTERNAL_SERVER_ERROR, Status::Unknown),
    ] {
        assert_eq!(Status::of_http(http), grpc, "{http}");
    }
}

#[test]
fn a_call_is_known_by_its_content_type() {
    let is =
        |kind: &'static str| is_call(&HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))]));
    assert!(is("application/grpc") && is("application/grpc+proto") && is("application/grpc;charset=utf-8"));
    assert!(!is("application/grpc-web") && !is("application/json") && !is_call(&HeaderMap::new()));
}
