//! The health checks that the zone names: what each looks at, and how.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::health::{CheckProtocol, CheckSettingsError, EndpointCheck, StatusSettings};
use crate::zone::HealthCheckId;

use super::super::addresses;
use super::super::error::{Noun, Problem};
use super::super::loaded::Cell;
use super::super::schema::{DrillFile, HealthCheckFile};
use super::cells::http_path;
use super::reader::Reader;
use crate::plan::{EndpointPlan, HealthCheckKind, HealthCheckPlan};

pub(super) fn read(
    reader: &mut Reader<'_>,
    file: &DrillFile,
    cells: &BTreeMap<String, Cell>,
) -> BTreeMap<HealthCheckId, HealthCheckPlan> {
    let mut checks = BTreeMap::new();
    for (id, written) in &file.health_checks {
        let path = format!("health-checks.{id}");
        reader.known(&format!("{path}.cell"), Noun::Cell, &written.cell, cells.keys().map(String::as_str));
        let check = endpoint_check(reader, &path, written);
        checks.insert(
            HealthCheckId(id.clone()),
            HealthCheckPlan {
                status: StatusSettings { inverted: written.inverted, disabled: written.disabled },
                kind: HealthCheckKind::Endpoint(EndpointPlan {
                    cell: written.cell.clone(),
                    name: None,
                    check,
                    checker_addresses: addresses::checkers(),
                }),
            },
        );
    }
    checks
}

fn endpoint_check(reader: &mut Reader<'_>, path: &str, written: &HealthCheckFile) -> EndpointCheck {
    reader.exactly_one(path, &["http", "tcp"], &[written.http.is_some(), written.tcp.is_some()]);
    let (protocol, port) = match (&written.http, written.tcp) {
        (None, Some(port)) => {
            for (key, set) in [("port", written.port.is_some()), ("host", written.host.is_some())] {
                if set {
                    let what = "a `tcp` check, which names its port itself".to_owned();
                    reader.complain_of_key(&format!("{path}.{key}"), Problem::DoesNotApply { key, what });
                }
            }
            (CheckProtocol::Tcp, port)
        }
        (http, _) => {
            let asked = http_path(reader, &format!("{path}.http"), http.as_deref().unwrap_or("/"));
            (
                CheckProtocol::Http { path: asked, host: written.host.clone(), tls: None, search: None },
                written.port.unwrap_or(80),
            )
        }
    };
    // The lab's cells serve on port 80 alone.
    if port != 80 {
        let key = if written.tcp.is_some() { "tcp" } else { "port" };
        let expected = "80, the only port that cells serve".to_owned();
        reader.complain(&format!("{path}.{key}"), Problem::OutOfRange { key, found: port.to_string(), expected });
    }
    let check = EndpointCheck {
        protocol,
        port,
        interval: reader.duration_or(path, "interval", written.interval.as_ref(), Duration::from_secs(30)),
        failure_threshold: written.failure_threshold.unwrap_or(3),
    };
    // Path and port have been looked at: what they may be here is less than what Route 53 takes.
    if let Err(refused) = check.validate() {
        let key = match refused {
            CheckSettingsError::Path(_) | CheckSettingsError::Port => return check,
            CheckSettingsError::Interval(_) => "interval",
            CheckSettingsError::FailureThreshold(_) => "failure-threshold",
            CheckSettingsError::Host(_) => "host",
            CheckSettingsError::Search(_) => "contains",
        };
        reader.complain(&format!("{path}.{key}"), Problem::Refused(refused.to_string()));
    }
    check
}
