//! One `ResourceRecordSet`.

use hickory_proto::rr::RecordType;

use super::super::document::{Node, Spelling};
use super::super::values;
use super::super::{Alias, HealthCheckId, RecordData, RecordProblem, RecordSet, ZoneError};
use super::policy;

const KEYS: &[&str] = &[
    "Name",
    "Type",
    "SetIdentifier",
    "Weight",
    "Region",
    "GeoLocation",
    "Failover",
    "MultiValueAnswer",
    "TTL",
    "ResourceRecords",
    "AliasTarget",
    "HealthCheckId",
    "TrafficPolicyInstanceId",
    "CidrRoutingConfig",
    "GeoProximityLocation",
];

/// `None` when it cannot be made sense of; then the findings say why.
pub(crate) fn read(node: &Node<'_>) -> Option<RecordSet> {
    node.object()?;
    node.only(KEYS);
    let owner = node.need("Name").and_then(|owner| owner.name());
    let rtype = node.need("Type").and_then(|rtype| rtype.record_type());
    let set_identifier = node.get("SetIdentifier").and_then(|id| id.text().map(str::to_owned));
    let health_check = node.get("HealthCheckId").and_then(|id| id.text().map(|id| HealthCheckId(id.to_owned())));
    let policy = policy::read(node);
    let data = data(node, rtype);
    if let Some(owned) = node.get("TrafficPolicyInstanceId") {
        let text = "this record set is owned by a traffic policy: edits here are overwritten".to_owned();
        node.findings().note(owned.key_at(), text);
    }
    Some(RecordSet {
        name: owner?,
        rtype: rtype?,
        set_identifier,
        policy: policy?,
        health_check,
        data: data?,
        at: node.at(),
    })
}

fn data(node: &Node<'_>, rtype: Option<RecordType>) -> Option<RecordData> {
    let problem = |node: &Node<'_>, problem| {
        node.findings().add(ZoneError::Record { at: node.key_at(), problem });
    };
    let (alias, ttl, records) = (node.get("AliasTarget"), node.get("TTL"), node.get("ResourceRecords"));
    if let Some(alias) = alias {
        if let Some(ttl) = ttl {
            problem(&ttl, RecordProblem::AliasWith { key: "`TTL`" });
        }
        // The AWS CLI prints an empty list beside some aliases.
        if let Some(records) = records.filter(|records| records.value().as_array().is_none_or(|list| !list.is_empty()))
        {
            problem(&records, RecordProblem::AliasWith { key: "`ResourceRecords`" });
        }
        return read_alias(&alias).map(RecordData::Alias);
    }
    let missing = match (&ttl, &records) {
        (None, None) => Some("what it answers with"),
        (None, Some(_)) => Some("`TTL`"),
        (Some(_), None) => Some("`ResourceRecords`"),
        (Some(_), Some(_)) => None,
    };
    if let Some(missing) = missing {
        let error = RecordProblem::NeitherAliasNorValues { missing };
        node.findings().add(ZoneError::Record { at: node.at(), problem: error });
    }
    let ttl = ttl.and_then(|node| node.ttl());
    let records = records?;
    let mut found = Vec::new();
    for record in records.items() {
        // muster's own YAML writes the values themselves.
        let value = if record.spelling() == Spelling::Kebab {
            Some(record)
        } else {
            record.only(&["Value"]);
            record.need("Value")
        };
        if let Some(value) = value
            && let Some(text) = value.text()
        {
            if let Err(problem) = rtype.map_or(Ok(()), |rtype| values::check(rtype, text)) {
                value.findings().add(ZoneError::Record { at: value.at(), problem });
            }
            found.push(rtype.map_or_else(|| text.to_owned(), |rtype| values::absolute(rtype, text)));
        }
    }
    Some(RecordData::Values { ttl: ttl?, values: found })
}

fn read_alias(node: &Node<'_>) -> Option<Alias> {
    node.object()?;
    node.only(&["HostedZoneId", "DNSName", "EvaluateTargetHealth"]);
    let target = node.need("DNSName").and_then(|target| target.name());
    let id = node.need("HostedZoneId").and_then(|id| id.text().map(str::to_owned));
    let health = if let Some(flag) = node.get("EvaluateTargetHealth") {
        flag.flag()
    } else {
        let problem = RecordProblem::EvaluateTargetHealthMissing;
        node.findings().add(ZoneError::Record { at: node.at(), problem });
        None
    };
    Some(Alias { target: target?, hosted_zone_id: id?, evaluate_target_health: health? })
}
