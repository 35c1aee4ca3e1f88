//! The health checks of a scenario as a drill file writes them, so that whatever a drill refuses is refused here too.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::drill::health_checks;
use crate::health::RoutingControls;
use crate::plan::{HealthCheckKind, HealthCheckPlan};
use crate::source::Position;
use crate::zone::{HealthCheckId, Zone};

/// What the health checks of a scenario may name, and what else a drill must have.
const SURROUNDINGS: &str = "\
drill: scenario
title: A scenario
zone: scenario.json
name: www.example.com
cells:
  east: { region: { queue: {} }, alias: east.example.net }
  west: { region: { queue: {} }, alias: west.example.net }
  llm: { llm: {}, address: 198.51.100.7 }
  telemetry: { telemetry-gateway: {}, alias: telemetry.example.net }
probes:
  sign-in: { asks: www.example.com, resolver: br }
resolvers:
  br: { place: Brazil }
clients: {}
expect: []
";

/// Some health check that is not calculated.
const PLAIN: &str = "{ cell: east, http: / }";

/// The health checks of a scenario as a drill file writes them.
#[derive(Debug, Default)]
pub struct Written {
    /// What stands behind the id of each, in one line.
    checks: BTreeMap<String, String>,
    plans: BTreeMap<String, HealthCheckPlan>,
}

impl Written {
    /// Whether this health check was created.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.checks.contains_key(id)
    }

    /// The health checks that were created.
    #[must_use]
    pub fn ids(&self) -> BTreeSet<HealthCheckId> {
        self.checks.keys().cloned().map(HealthCheckId).collect()
    }

    /// A health check that was deleted; another may have its id.
    pub fn forget(&mut self, id: &str) {
        self.checks.remove(id);
        self.plans.remove(id);
    }

    /// Notes a health check that was created in another way.
    pub fn note(&mut self, id: &str) {
        self.checks.insert(id.to_owned(), PLAIN.to_owned());
    }

    /// Reads a health check that stands below `at`, which is where its step stands.
    ///
    /// # Errors
    /// Whatever a drill file with this health check would be refused for.
    pub fn read(
        &mut self,
        id: &str,
        text: &str,
        at: &Position,
        controls: &RoutingControls,
        zone: Option<&Zone>,
    ) -> Result<HealthCheckPlan, String> {
        // Places in errors are those of the feature: its lines, and the columns of what is indented in the usual way.
        let mut drill = "\n".repeat(at.line.saturating_sub(1));
        drill.push_str("health-checks:\n");
        let _ = writeln!(drill, "  {id}:");
        for line in text.lines() {
            let _ = writeln!(drill, "{}{line}", " ".repeat(at.column.max(3) + 1));
        }
        for (other, text) in self.checks.iter().filter(|(other, _)| *other != id) {
            let _ = writeln!(drill, "  {other}: {text}");
        }
        let mut controlled = String::new();
        for (name, on) in controls.all() {
            let _ = write!(controlled, "{name}: {}, ", if *on { "\"on\"" } else { "\"off\"" });
        }
        let _ = writeln!(drill, "routing-controls: {{ controls: {{ {controlled} }} }}");
        drill.push_str(SURROUNDINGS);
        let mut checks = health_checks(&at.file, &drill, zone).map_err(|errors| errors.to_string())?;
        let read = checks.remove(&HealthCheckId(id.to_owned())).ok_or("the health check was not read")?;
        if let Some(before) = self.plans.get(id) {
            before.may_become(&read).map_err(|immutable| format!("{at}: {immutable}"))?;
        }
        self.checks.insert(id.to_owned(), as_kind(&read));
        self.plans.insert(id.to_owned(), read.clone());
        Ok(read)
    }
}

/// Enough of a health check for another to name it.
fn as_kind(read: &HealthCheckPlan) -> String {
    let HealthCheckKind::Calculated(check) = &read.kind else { return PLAIN.to_owned() };
    let children: Vec<&str> = check.children.iter().map(|child| child.0.as_str()).collect();
    format!("{{ calculated: [{}], healthy-threshold: {} }}", children.join(", "), check.healthy_threshold)
}
