//! The health check that octodns-route53 makes for a value of a pool.

use std::net::IpAddr;
use std::time::Duration;

use crate::health::{
    CheckProtocol, DefinedEndpoint, DefinedKind, EndpointAddress, EndpointCheck, HealthCheckDefinition, StatusSettings,
    Tls,
};
use crate::zone::document::Node;
use crate::zone::{HealthCheckId, RecordSet, type_text};

/// What octoDNS says when a value may be answered (OCT-7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Always; it has no health check.
    Up,
    /// Never; its health check is disabled and inverted.
    Down,
    /// While its health check says so.
    Obey,
}

/// How the values of one record are checked (OCT-8, OCT-9; octodns-route53's own settings).
pub(super) struct Settings {
    protocol: Protocol,
    port: u16,
    path: String,
    host: Host,
    interval: Duration,
    failure_threshold: u32,
}

/// Whom a check by HTTP says it asks.
enum Host {
    /// The record's own name.
    Record,
    /// The value, where `host` is there and empty.
    Value,
    Named(String),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Http,
    Https,
    Tcp,
}

/// octodns-route53 probes every 10 s, and turns after 6 results.
const INTERVAL: u32 = 10;
const FAILURE_THRESHOLD: u32 = 6;
const PORT: u32 = 443;
const PATH: &str = "/_dns";

/// `None` when they cannot be made sense of; then the findings say why.
pub(super) fn settings(octodns: Option<&Node<'_>>) -> Option<Settings> {
    let general = octodns.and_then(|own| own.get("healthcheck"));
    let own = octodns.and_then(|own| own.get("route53")).and_then(|own| own.get("healthcheck"));
    let number = |node: Option<&Node<'_>>, key: &str, usual: u32| match node.and_then(|node| node.get(key)) {
        None => Some(usual),
        Some(written) => {
            let found = written.value().as_u64().and_then(|number| u32::try_from(number).ok());
            if found.is_none() {
                written.invalid(format!("found {}; expected a whole number", written.value()));
            }
            found
        }
    };
    let text = |key: &str| match general.as_ref().and_then(|node| node.get(key)) {
        None => Some(None),
        Some(written) => written.text().map(|text| Some(text.to_owned())),
    };
    let port = number(general.as_ref(), "port", PORT);
    let interval = number(own.as_ref(), "request_interval", INTERVAL);
    let failure_threshold = number(own.as_ref(), "failure_threshold", FAILURE_THRESHOLD);
    let path = text("path");
    // `host: null` is not the same as no `host`.
    let host = match general.as_ref().and_then(|node| node.value().get("host")) {
        None => Some(Host::Record),
        Some(written) if written.is_null() || written.as_str() == Some("") => Some(Host::Value),
        Some(_) => text("host").flatten().map(Host::Named),
    };
    let protocol = match general.as_ref().and_then(|node| node.get("protocol")) {
        None => Some(Protocol::Https),
        Some(written) => match written.text() {
            Some("HTTPS") => Some(Protocol::Https),
            Some("HTTP") => Some(Protocol::Http),
            Some("TCP") => Some(Protocol::Tcp),
            Some(other) => {
                written.invalid(format!("Route 53 has no check by `{other}`; expected HTTP, HTTPS or TCP (OCT-9)"));
                None
            }
            None => None,
        },
    };
    Some(Settings {
        protocol: protocol?,
        port: u16::try_from(port?).ok()?,
        path: path?.unwrap_or_else(|| PATH.to_owned()),
        host: host?,
        interval: Duration::from_secs(interval?.into()),
        failure_threshold: failure_threshold?,
    })
}

/// The id under which the check is kept, since octoDNS does not know the one that Route 53 gives; and the check. `None`
/// for a value that is always answered.
pub(super) fn check(
    settings: &Settings,
    record: &RecordSet,
    value: &str,
    status: Status,
    node: &Node<'_>,
) -> Option<(HealthCheckId, HealthCheckDefinition)> {
    let (down, mark) = match status {
        Status::Up => return None,
        Status::Down => (true, " down"),
        Status::Obey => (false, ""),
    };
    let address = value.parse::<IpAddr>().ok();
    let own_host = || record.name.to_string().trim_end_matches('.').to_owned();
    // What is no address is asked by its own name.
    let host = match address {
        Some(_) => match &settings.host {
            Host::Record => own_host(),
            Host::Value => value.to_owned(),
            Host::Named(name) => name.clone(),
        },
        None => value.trim_end_matches('.').to_owned(),
    };
    let name = (settings.protocol != Protocol::Tcp || address.is_none()).then_some(host);
    let protocol = match settings.protocol {
        Protocol::Tcp => CheckProtocol::Tcp,
        web => CheckProtocol::Http {
            path: settings.path.clone(),
            host: name.clone(),
            tls: (web == Protocol::Https).then_some(Tls { sni: true }),
            search: None,
        },
    };
    let check = EndpointCheck {
        protocol,
        port: settings.port,
        interval: settings.interval,
        failure_threshold: settings.failure_threshold,
    };
    let endpoint = DefinedEndpoint { address: address.map(EndpointAddress::Ip), name, check, regions: Vec::new() };
    let id = HealthCheckId(format!("octodns {} {} {value}{mark}", record.name, type_text(record.rtype)));
    let status = StatusSettings { inverted: down, disabled: down };
    Some((id, HealthCheckDefinition { status, kind: DefinedKind::Endpoint(endpoint), at: node.at() }))
}
