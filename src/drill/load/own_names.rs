//! Endpoints by name: a health check must not ask for a name that depends on itself (R53-110).

use std::collections::{BTreeMap, BTreeSet};

use hickory_proto::rr::Name;

use super::super::error::Problem;
use super::reader::Reader;
use crate::plan::{HealthCheckKind, HealthCheckPlan};
use crate::zone::{HealthCheckId, Zone};

pub(super) fn check(
    reader: &mut Reader<'_>,
    zone: &Zone,
    front: &Name,
    health_checks: &BTreeMap<HealthCheckId, HealthCheckPlan>,
) {
    for (id, planned) in health_checks {
        let named = planned.endpoint().and_then(|endpoint| endpoint.name.as_deref());
        let Some(name) = named.and_then(|name| Name::from_ascii(name).ok()).map(|name| name.to_lowercase()) else {
            continue;
        };
        let whose = if name == *front {
            "which is the name that clients ask for"
        } else if protected(zone, id, health_checks).contains(&name) {
            "which is a name whose records it protects"
        } else {
            continue;
        };
        let text = name.to_string();
        let why = format!(
            "the health check `{id}` asks for {}, {whose}: Route 53 takes it and calls the results unpredictable (R53-110)",
            text.trim_end_matches('.')
        );
        let instead = "name the one server that it looks at, or leave `name` out";
        reader.complain(&format!("health-checks.{id}.name"), Problem::Impossible { why, instead });
    }
}

/// The names of the records that this health check protects, by itself or as the child of a calculated one.
fn protected(
    zone: &Zone,
    id: &HealthCheckId,
    health_checks: &BTreeMap<HealthCheckId, HealthCheckPlan>,
) -> BTreeSet<Name> {
    let counts_it = |check: &HealthCheckPlan| matches!(&check.kind, HealthCheckKind::Calculated(calculated) if calculated.children.contains(id));
    let by: BTreeSet<&HealthCheckId> =
        health_checks.iter().filter(|(other, check)| *other == id || counts_it(check)).map(|(id, _)| id).collect();
    let records = zone.record_sets().filter(|record| record.health_check.as_ref().is_some_and(|id| by.contains(id)));
    records.map(|record| record.name.clone()).collect()
}
