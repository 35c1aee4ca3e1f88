//! Health checks of an endpoint: the cell, the port and the protocol.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::health::{CheckProtocol, CheckSettingsError, EndpointCheck, Tls};

use super::super::addresses;
use super::super::error::{Noun, Problem};
use super::super::loaded::{Cell, CellMake};
use super::super::schema::HealthCheckFile;
use super::cells::{domain_name, http_path};
use super::reader::Reader;
use crate::plan::EndpointPlan;

/// Where cells serve, where they serve by TLS, and where a prober's verdict is told.
const HTTP: u16 = 80;
const HTTPS: u16 = 443;
const HEALTHZ: u16 = 8081;

pub(super) fn read(
    reader: &mut Reader<'_>,
    path: &str,
    written: &HealthCheckFile,
    cells: &BTreeMap<String, Cell>,
) -> Option<EndpointPlan> {
    let Some(cell) = &written.cell else {
        let what = "an endpoint health check";
        reader.complain(path, Problem::Missing { what, key: "cell", example: "<cell>" });
        return None;
    };
    reader.known(&format!("{path}.cell"), Noun::Cell, cell, cells.keys().map(String::as_str));
    let name = written.name.as_ref();
    let name = name.and_then(|text| domain_name(reader, &format!("{path}.name"), "an endpoint's name", text));
    let has_prober = matches!(cells.get(cell), Some(Cell { make: CellMake::Llm(llm), .. }) if llm.prober.is_some());
    let check = EndpointCheck {
        protocol: protocol(reader, path, written),
        port: port(reader, path, written, has_prober),
        interval: reader.duration_or(path, "interval", written.interval.as_ref(), Duration::from_secs(30)),
        failure_threshold: written.failure_threshold.unwrap_or(3),
    };
    // Path and port have been looked at: what they may be here is less than what Route 53 takes.
    if let Err(refused) = check.validate() {
        let (key, rule) = match refused {
            CheckSettingsError::Path(_) | CheckSettingsError::Port => return None,
            CheckSettingsError::Interval(_) => ("interval", "R53-121"),
            CheckSettingsError::FailureThreshold(_) => ("failure-threshold", "R53-122"),
            CheckSettingsError::Host(_) => ("host", "R53-118"),
            CheckSettingsError::Search(0) => ("contains", "R53-113"),
            CheckSettingsError::Search(_) => ("contains", "R53-114"),
        };
        reader.complain(&format!("{path}.{key}"), Problem::Refused(format!("{refused} ({rule})")));
    }
    let name = name.map(|name| name.to_string());
    Some(EndpointPlan { cell: cell.clone(), name, check, checker_addresses: addresses::checkers() })
}

fn protocol(reader: &mut Reader<'_>, path: &str, written: &HealthCheckFile) -> CheckProtocol {
    let HealthCheckFile { http, https, host, name, sni, contains, .. } = written;
    let (key, asked) = match (http, https) {
        (Some(asked), _) => ("http", asked),
        (None, Some(asked)) => ("https", asked),
        (None, None) => {
            let port = [("port", written.port.is_some())];
            reader.without(path, "a `tcp` check, which names its port itself", &port);
            let keys = [("host", host.is_some()), ("sni", sni.is_some()), ("contains", contains.is_some())];
            reader.without(path, "a `tcp` check, which sends nothing (R53-118)", &keys);
            return CheckProtocol::Tcp;
        }
    };
    if https.is_none() {
        reader.without(path, "a check without TLS", &[("sni", sni.is_some())]);
    }
    if name.is_some() {
        reader.without(path, "an endpoint by name, whose `Host` is that name (R53-118)", &[("host", host.is_some())]);
    }
    CheckProtocol::Http {
        path: http_path(reader, &format!("{path}.{key}"), asked),
        host: name.as_ref().map(|name| name.trim_end_matches('.').to_owned()).or_else(|| host.clone()),
        tls: https.as_ref().map(|_| Tls { sni: sni.unwrap_or(true) }),
        search: contains.clone(),
    }
}

/// The port, which must be one that the cell serves.
fn port(reader: &mut Reader<'_>, path: &str, written: &HealthCheckFile, has_prober: bool) -> u16 {
    let (key, port) = match (written.tcp, &written.https) {
        (Some(port), _) => ("tcp", port),
        (None, Some(_)) => ("port", written.port.unwrap_or(HTTPS)),
        (None, None) => ("port", written.port.unwrap_or(HTTP)),
    };
    let expected = match (written.https.is_some(), has_prober) {
        (true, _) if port != HTTPS => "443, the only port that cells serve by TLS",
        (false, true) if ![HTTP, HEALTHZ].contains(&port) => "80, or 8081 where the prober's verdict is told",
        (false, false) if port == HEALTHZ => "80: only an LLM region with a prober serves 8081",
        (false, false) if port != HTTP => "80, the only port that cells serve",
        _ => return port,
    };
    let problem = Problem::OutOfRange { key, found: port.to_string(), expected: expected.to_owned() };
    reader.complain(&format!("{path}.{key}"), problem);
    port
}
