//! The health checks that the zone names: what each evaluates, and how.

use std::collections::BTreeMap;

use crate::health::{CalculatedCheck, CalculatedCheckError, StatusSettings};
use crate::zone::HealthCheckId;

use super::super::error::{Noun, Problem};
use super::super::loaded::{Cell, Probe};
use super::super::schema::HealthCheckFile;
use super::reader::Reader;
use super::{alarms, endpoint_checks};
use crate::plan::{HealthCheckKind, HealthCheckPlan, RoutingControlsPlan};

/// What health checks may name.
#[derive(Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) cells: &'a BTreeMap<String, Cell>,
    pub(super) probes: &'a BTreeMap<String, Probe>,
    pub(super) routing_controls: &'a RoutingControlsPlan,
}

pub(super) fn read(
    reader: &mut Reader<'_>,
    all: &BTreeMap<String, HealthCheckFile>,
    sources: Sources<'_>,
) -> BTreeMap<HealthCheckId, HealthCheckPlan> {
    let mut checks = BTreeMap::new();
    for (id, written) in all {
        let path = format!("health-checks.{id}");
        if let Some(kind) = kind(reader, &path, all, written, sources) {
            let status = StatusSettings { inverted: written.inverted, disabled: written.disabled };
            checks.insert(HealthCheckId(id.clone()), HealthCheckPlan { status, kind });
        }
    }
    checks
}

fn kind(
    reader: &mut Reader<'_>,
    path: &str,
    all: &BTreeMap<String, HealthCheckFile>,
    written: &HealthCheckFile,
    sources: Sources<'_>,
) -> Option<HealthCheckKind> {
    let HealthCheckFile { http, https, tcp, calculated, alarm, routing_control, .. } = written;
    let endpoint = [http.is_some(), https.is_some(), tcp.is_some()];
    let others = [calculated.is_some(), alarm.is_some(), routing_control.is_some()];
    let keys = &["http", "https", "tcp", "calculated", "alarm", "routing-control"];
    if !reader.exactly_one(path, keys, &[endpoint, others].concat()) {
        return None;
    }
    refuse_other_keys(reader, path, written);
    match (calculated, alarm, routing_control) {
        (Some(children), ..) => {
            Some(HealthCheckKind::Calculated(calculated_check(reader, path, all, written, children)))
        }
        (None, Some(alarm), _) => alarms::read(reader, path, written, alarm, sources).map(HealthCheckKind::Alarm),
        (None, None, Some(control)) => {
            let known = sources.routing_controls.controls.keys().map(String::as_str);
            reader.known(&format!("{path}.routing-control"), Noun::RoutingControl, control, known);
            Some(HealthCheckKind::RoutingControl(control.clone()))
        }
        (None, None, None) => {
            endpoint_checks::read(reader, path, written, sources.cells).map(HealthCheckKind::Endpoint)
        }
    }
}

/// Keys of other kinds of health check, each refused with the rule by which Route 53 refuses it.
fn refuse_other_keys(reader: &mut Reader<'_>, path: &str, written: &HealthCheckFile) {
    let endpoint = [
        ("cell", written.cell.is_some()),
        ("port", written.port.is_some()),
        ("host", written.host.is_some()),
        ("name", written.name.is_some()),
        ("sni", written.sni.is_some()),
        ("contains", written.contains.is_some()),
        ("interval", written.interval.is_some()),
        ("failure-threshold", written.failure_threshold.is_some()),
    ];
    let counted = [("healthy-threshold", written.healthy_threshold.is_some())];
    let metric = [("insufficient-data", written.insufficient_data.is_some())];
    if written.calculated.is_some() {
        reader.without(path, "a calculated health check (R53-138)", &endpoint);
        reader.without(path, "a calculated health check (R53-153)", &metric);
    } else if written.alarm.is_some() {
        reader.without(path, "a health check on an alarm, which probes nothing", &endpoint);
        reader.without(path, "a health check on an alarm, which counts nothing", &counted);
    } else if written.routing_control.is_some() {
        reader.without(path, "a health check on a routing control (R53-155)", &endpoint);
        reader.without(path, "a health check on a routing control, which counts nothing", &counted);
        reader.without(path, "a health check on a routing control (R53-153)", &metric);
    } else {
        reader.without(path, "an endpoint health check, which counts nothing", &counted);
        reader.without(path, "an endpoint health check (R53-153)", &metric);
    }
}

fn calculated_check(
    reader: &mut Reader<'_>,
    path: &str,
    all: &BTreeMap<String, HealthCheckFile>,
    written: &HealthCheckFile,
    children: &[String],
) -> CalculatedCheck {
    let healthy_threshold = written.healthy_threshold.unwrap_or_else(|| {
        let what = "a calculated health check (R53-132)";
        reader.complain_of_key(
            &format!("{path}.calculated"),
            Problem::Missing { what, key: "healthy-threshold", example: "1" },
        );
        0
    });
    if children.is_empty() {
        reader.complain(&format!("{path}.calculated"), Problem::Empty { what: "calculated" });
    }
    let check = CalculatedCheck { children: children.iter().cloned().map(HealthCheckId).collect(), healthy_threshold };
    let is_calculated = |id: &HealthCheckId| all.get(&id.0).map(|check| check.calculated.is_some());
    if let Err(refused) = check.validate(is_calculated) {
        use CalculatedCheckError as Refused;
        let (below, instead) = match &refused {
            Refused::TooManyChildren(_) => (None, "split it: count some of them by checks that are not calculated"),
            Refused::CalculatedChild(child) => (Some(child), "name the children of that check themselves"),
            Refused::UnknownChild(child) => (Some(child), "describe that health check, or remove it here"),
        };
        let index = below.and_then(|child| check.children.iter().position(|other| other == child));
        let path = index.map_or_else(|| format!("{path}.calculated"), |index| format!("{path}.calculated.{index}"));
        reader.complain(&path, Problem::Impossible { why: refused.to_string(), instead });
    }
    check
}
