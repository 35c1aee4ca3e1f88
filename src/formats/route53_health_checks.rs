//! The answer of `list-health-checks`.

use crate::zone::document::{Findings, Node};
use crate::zone::{HealthCheckId, ZoneErrors};

use super::content::Content;
use super::health_check::{self, Words};
use super::{Format, Imported, Options};

/// The words of the API, which are those of muster's own YAML too, spelled otherwise.
pub(super) const WORDS: Words = Words {
    kind: "Type",
    address: "IPAddress",
    name: "FullyQualifiedDomainName",
    port: "Port",
    path: "ResourcePath",
    search: "SearchString",
    sni: "EnableSNI",
    interval: "RequestInterval",
    failure_threshold: "FailureThreshold",
    regions: "Regions",
    children: "ChildHealthChecks",
    healthy_threshold: "HealthThreshold",
    alarm: Some("AlarmIdentifier"),
    alarm_region: "Region",
    alarm_name: "Name",
    insufficient_data: "InsufficientDataHealthStatus",
    routing_control: "RoutingControlArn",
    inverted: "Inverted",
    disabled: "Disabled",
};

pub(super) fn read(content: &Content, _: &Options) -> Result<Imported, ZoneErrors> {
    let findings = Findings::default();
    let root = Node::root(&content.value, &content.map, &findings);
    root.only(&["HealthChecks", "Marker", "NextMarker", "IsTruncated", "MaxItems", "NextToken", "ResponseMetadata"]);
    let truncated = root.get("IsTruncated").filter(|flag| flag.flag() == Some(true));
    if let Some(sign) = truncated.or_else(|| root.get("NextToken")) {
        let problem = "this listing is cut short; expected all pages (the AWS CLI gives them without `--max-items`)";
        sign.invalid(problem.to_owned());
    }
    let mut imported = Imported::new(Format::Route53HealthChecks);
    for item in root.need("HealthChecks").map_or_else(Vec::new, |list| list.items()) {
        item.only(&[
            "Id",
            "CallerReference",
            "LinkedService",
            "HealthCheckConfig",
            "HealthCheckVersion",
            "CloudWatchAlarmConfiguration",
        ]);
        let (Some(id), Some(config)) = (item.need("Id"), item.need("HealthCheckConfig")) else { continue };
        let (Some(text), Some(check)) = (id.text(), health_check::read(&config, &WORDS)) else { continue };
        if imported.health_checks.insert(HealthCheckId(text.to_owned()), check).is_some() {
            id.invalid(format!("health check `{text}` stands twice; expected each once"));
        }
    }
    health_check::check(&imported.health_checks, &findings);
    imported.remarks = findings.finish()?;
    Ok(imported)
}
