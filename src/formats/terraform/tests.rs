use std::path::Path;

use hickory_proto::rr::{Name, RecordType};
use serde_json::{Value, json};

use crate::formats::{Format, Imported, Options, State, read};
use crate::zone::{Policy, RecordData, Visibility, Zone};

fn name(text: &str) -> Name {
    Name::from_ascii(text).unwrap()
}

fn imported(text: &str, state: State) -> Imported {
    read(Path::new("plan.json"), text, &Options { state, ..Options::default() })
        .unwrap_or_else(|error| panic!("{error}"))
}

fn errors(value: &Value) -> String {
    let text = serde_json::to_string_pretty(value).unwrap();
    read(Path::new("plan.json"), &text, &Options::default()).unwrap_err().to_string()
}

fn policies(zone: &Zone, owner: &str) -> Vec<Policy> {
    zone.group(&name(owner), RecordType::A).unwrap().records.iter().map(|record| record.policy.clone()).collect()
}

/// A record's attributes with these in place of the usual ones.
fn record(changes: &Value) -> Value {
    let mut attributes = json!({
        "name": "www", "type": "A", "ttl": 60, "records": ["192.0.2.1"], "alias": [], "set_identifier": "",
        "health_check_id": "", "weighted_routing_policy": [], "multivalue_answer_routing_policy": null, "zone_id": "Z1"
    });
    for (key, value) in changes.as_object().unwrap() {
        attributes[key] = value.clone();
    }
    attributes
}

/// A plan that makes these: address, attributes, what of them is not known.
fn plan(resources: &[(&str, Value, Value)]) -> Value {
    let changes: Vec<Value> = resources
        .iter()
        .map(|(address, after, open)| {
            let is_check = address.contains("aws_route53_health_check");
            let kind = if is_check { "aws_route53_health_check" } else { "aws_route53_record" };
            json!({"address": address, "mode": "managed", "type": kind,
                "change": {"actions": ["create"], "before": null, "after": after, "after_unknown": open}})
        })
        .collect();
    let zone = json!({"address": "data.aws_route53_zone.z", "mode": "data", "type": "aws_route53_zone",
        "values": {"name": "example.com.", "zone_id": "Z1"}});
    json!({"format_version": "1.2", "resource_changes": changes,
        "prior_state": {"values": {"root_module": {"resources": [zone]}}}})
}

const PLAN: &str = include_str!("../../../tests/cases/26-tf-plan-module-index.json");
const STATE: &str = include_str!("../../../tests/cases/27-tf-state-show.json");
const STATE_FILE: &str = include_str!("../../../tests/cases/27-tf-state-raw-v1weight.json");

#[test]
fn a_plan_has_two_sides_and_each_is_a_zone() {
    let (before, after) = (imported(PLAN, State::Before), imported(PLAN, State::After));
    assert_eq!(after.format, Format::Terraform);
    let [before] = &before.zones[..] else { panic!("{before:?}") };
    let [after] = &after.zones[..] else { panic!("{after:?}") };
    assert_eq!(after.apex, name("example.com."));
    assert_eq!(policies(before, "www.example.com."), [Policy::Weighted(50), Policy::Weighted(50)]);
    assert_eq!(policies(after, "www.example.com."), [Policy::Weighted(0), Policy::Weighted(50)]);
    assert_eq!(before.groups.len(), 1);
    assert_eq!(after.groups.len(), 3);
    let check = &after.group(&name("www.example.com."), RecordType::A).unwrap().records[1].health_check;
    assert_eq!(*check, None, "an empty id is none");
}

#[test]
fn every_record_of_a_plan_knows_its_line() {
    let plan = serde_json::to_string_pretty(&serde_json::from_str::<Value>(PLAN).unwrap()).unwrap();
    let zone = &imported(&plan, State::After).zones[0];
    for record in zone.record_sets() {
        let line = plan.lines().nth(record.at.line - 1).unwrap();
        assert!(line.trim_start().starts_with("\"after\": {"), "{line}");
    }
}

#[test]
fn an_alias_in_a_state_has_no_ttl_and_a_ttl_of_zero_with_values_is_one() {
    let zone = &imported(STATE, State::After).zones[0];
    let group = zone.group(&name("al.example.com."), RecordType::A).unwrap();
    let [RecordData::Alias(_), RecordData::Values { ttl: 0, .. }] =
        group.records.iter().map(|record| record.data.clone()).collect::<Vec<_>>()[..]
    else {
        panic!("{group:?}")
    };
}

#[test]
fn a_state_file_with_flat_attributes_is_read_and_its_weight_of_minus_one_is_none() {
    let imported = imported(STATE_FILE, State::After);
    assert_eq!(imported.format, Format::TerraformState);
    let zone = &imported.zones[0];
    assert_eq!(policies(zone, "legacy.example.com."), [Policy::Simple]);
    let data = &zone.record_sets().next().unwrap().data;
    assert_eq!(*data, RecordData::Values { ttl: 60, values: vec!["203.0.113.6".to_owned()] });
    assert!(
        imported.remarks[0].text.contains("by the names of its records it is example.com."),
        "{:?}",
        imported.remarks
    );
}

#[test]
fn modules_below_modules_are_read() {
    let inner = json!({"address": "module.a.module.b[\"x.y\"].aws_route53_record.r", "mode": "managed",
        "type": "aws_route53_record", "values": record(&json!({"name": "deep", "fqdn": "deep.example.com"}))});
    let state = json!({"format_version": "1.0", "values": {"root_module": {"child_modules": [
        {"address": "module.a", "child_modules": [{"address": "module.a.module.b", "resources": [inner]}]}]}}});
    let zone = &imported(&state.to_string(), State::After).zones[0];
    assert!(zone.group(&name("deep.example.com."), RecordType::A).is_some());
}

#[test]
fn what_a_plan_does_not_know_is_kept_under_the_name_of_what_it_refers_to() {
    let alias = json!({"ttl": null, "records": null, "name": "lb", "alias": [{"evaluate_target_health": true}]});
    let check = json!({"type": "TCP", "port": 80, "request_interval": 30, "failure_threshold": 3});
    let mut plan = plan(&[
        (
            "module.m[\"a.b\"].aws_route53_record.lb",
            record(&alias),
            json!({"alias": [{"name": true, "zone_id": true}]}),
        ),
        (
            "aws_route53_record.ip[0]",
            record(&json!({"name": "ip", "records": null, "set_identifier": "a",
            "weighted_routing_policy": [{"weight": 1}], "health_check_id": null})),
            json!({"records": true, "health_check_id": true}),
        ),
        ("aws_route53_health_check.c", check, json!({"id": true, "ip_address": true})),
    ]);
    let refers = |references: &[&str]| json!({"references": references});
    plan["configuration"] = json!({"root_module": {
        "resources": [{"address": "aws_route53_record.ip", "expressions": {
            "health_check_id": refers(&["aws_route53_health_check.c.id", "aws_route53_health_check.c"]),
            "records": refers(&["aws_eip.x.public_ip", "aws_eip.x", "aws_eip.y.public_ip", "aws_eip.y"])}}],
        "module_calls": {"m": {"module": {"resources": [{"address": "aws_route53_record.lb", "expressions": {
            "alias": [{"name": refers(&["aws_lb.x.dns_name", "aws_lb.x"]), "zone_id": refers(&["var.zone"])}]}}]}}}}});
    let imported = imported(&plan.to_string(), State::After);
    let told: Vec<String> = imported
        .unknown()
        .into_iter()
        .map(|unknown| format!("{} of {}: {}", unknown.part, unknown.owner, unknown.name))
        .collect();
    assert_eq!(
        told,
        [
            "a value of ip.example.com. A `a`: unknown:aws_route53_record.ip[0].records",
            "the health check's id of ip.example.com. A `a`: unknown:aws_route53_health_check.c.id",
            "the alias target of lb.example.com. A: unknown:module.m[\"a.b\"].aws_lb.x.dns_name",
        ]
    );
    let ids: Vec<_> = imported.health_checks.keys().map(|id| id.0.as_str()).collect();
    assert_eq!(ids, ["unknown:aws_route53_health_check.c.id"]);
}

#[test]
fn what_a_plan_forgets_stays_and_what_it_deletes_goes() {
    let mut plan = plan(&[
        ("aws_route53_record.stays", Value::Null, json!({})),
        ("aws_route53_record.goes", Value::Null, json!({})),
    ]);
    for (place, (action, owner)) in [("forget", "stays"), ("delete", "goes")].into_iter().enumerate() {
        let change = &mut plan["resource_changes"][place]["change"];
        change["actions"] = json!([action]);
        change["before"] = record(&json!({"name": owner}));
    }
    // What is in the prior state as well is not untouched by the plan.
    let gone = json!({"address": "aws_route53_record.goes", "mode": "managed", "type": "aws_route53_record",
        "values": record(&json!({"name": "goes"}))});
    plan["prior_state"]["values"]["root_module"]["resources"].as_array_mut().unwrap().push(gone);
    let owners = |state| -> Vec<String> {
        imported(&plan.to_string(), state).zones[0].groups.keys().map(|(owner, _)| owner.to_string()).collect()
    };
    assert_eq!(owners(State::After), ["stays.example.com."]);
    assert_eq!(owners(State::Before), ["goes.example.com.", "stays.example.com."]);
}

#[test]
fn a_record_whose_zone_nothing_names_wants_its_name() {
    let mut orphan = plan(&[("aws_route53_record.r", record(&json!({"zone_id": "Z9"})), json!({}))]);
    let told = errors(&orphan);
    assert!(told.contains("nothing here names the zone `Z9`"), "{told}");
    let options = Options { zone: Some(name("example.net.")), ..Options::default() };
    orphan["prior_state"] = Value::Null;
    let zone = &read(Path::new("plan.json"), &orphan.to_string(), &options).unwrap().zones[0];
    assert!(zone.group(&name("www.example.net."), RecordType::A).is_some());
}

#[test]
fn texts_get_the_quotes_that_the_provider_puts_around_them() {
    let texts = plan(&[(
        "aws_route53_record.t",
        record(&json!({"type": "TXT", "records": ["v=spf1 -all", "a\" \"b"]})),
        json!({}),
    )]);
    let zone = &imported(&texts.to_string(), State::After).zones[0];
    let RecordData::Values { values, .. } = &zone.record_sets().next().unwrap().data else { panic!() };
    assert_eq!(*values, ["\"v=spf1 -all\"", "\"a\" \"b\""]);
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    let weighted = |weight: Value| json!({"set_identifier": "a", "weighted_routing_policy": [{"weight": weight}]});
    let many = plan(&[
        ("aws_route53_record.a", record(&weighted(json!(256))), json!({})),
        (
            "aws_route53_record.b",
            record(&weighted(Value::Null)),
            json!({"weighted_routing_policy": [{"weight": true}]}),
        ),
        ("aws_route53_record.c", record(&json!({"type": "AA"})), json!({})),
        ("aws_route53_record.d", record(&json!({"name": "a..b"})), json!({})),
        ("aws_route53_record.e", record(&json!({"ttl": null})), json!({})),
        ("aws_route53_record.f", record(&json!({"records": ["2001:db8::1"]})), json!({})),
        (
            "aws_route53_record.g",
            record(&json!({"set_identifier": "x", "weight": 1, "failover": "PRIMARY"})),
            json!({}),
        ),
        ("aws_route53_record.h", record(&json!({})), json!({"name": true})),
        ("aws_route53_health_check.i", json!({"type": "HTTPS", "ip_address": "no"}), json!({"id": true})),
    ]);
    insta::assert_snapshot!(errors(&many));
}

#[test]
fn what_has_to_do_with_dns_and_is_not_read_is_told_once() {
    let mut plan: Value = serde_json::from_str(PLAN).unwrap();
    let address = "google_compute_health_check.hc";
    plan["resource_changes"].as_array_mut().unwrap().push(json!({"address": address, "mode": "managed",
        "type": "google_compute_health_check", "change": {"actions": ["no-op"], "before": {}, "after": {}}}));
    plan["planned_values"] = json!({"root_module": {"resources": [
        {"address": address, "mode": "managed", "type": "google_compute_health_check", "values": {}},
        {"address": "aws_lb.x", "mode": "managed", "type": "aws_lb", "values": {}}]}});
    let told: Vec<String> =
        imported(&plan.to_string(), State::After).remarks.into_iter().map(|note| note.text).collect();
    assert_eq!(told, ["google_compute_health_check.hc is not read: left out"]);
}

#[test]
fn the_path_before_a_zone_s_id_is_no_part_of_it() {
    let with_path = plan(&[("aws_route53_record.r", record(&json!({"zone_id": "/hostedzone/Z1"})), json!({}))]);
    assert_eq!(imported(&with_path.to_string(), State::After).zones[0].apex, name("example.com."));
}

#[test]
fn a_zone_that_the_plan_itself_makes_has_its_records_by_what_they_refer_to() {
    let mut plan = plan(&[("aws_route53_record.r", record(&json!({"zone_id": null})), json!({"zone_id": true}))]);
    let refers = json!({"references": ["aws_route53_zone.new.zone_id", "aws_route53_zone.new"]});
    plan["configuration"] = json!({"root_module": {"resources": [
        {"address": "aws_route53_record.r", "expressions": {"zone_id": refers}}]}});
    plan["resource_changes"].as_array_mut().unwrap().push(json!({"address": "aws_route53_zone.new", "mode": "managed",
        "type": "aws_route53_zone", "change": {"actions": ["create"], "before": null,
        "after": {"name": "example.net", "vpc": [{"vpc_id": "vpc-1"}]}, "after_unknown": {"zone_id": true, "id": true}}}));
    let zone = &imported(&plan.to_string(), State::After).zones[0];
    assert_eq!((zone.apex.clone(), zone.visibility), (name("example.net."), Visibility::Private));
    assert!(zone.group(&name("www.example.net."), RecordType::A).is_some());
}

#[test]
fn a_zone_that_is_named_is_read_beside_one_that_has_no_name() {
    let both = plan(&[
        ("aws_route53_record.known", record(&json!({})), json!({})),
        ("aws_route53_record.nameless", record(&json!({"zone_id": "Z9"})), json!({})),
    ]);
    let options = Options { zone: Some(name("example.com.")), ..Options::default() };
    let zones = read(Path::new("plan.json"), &both.to_string(), &options).unwrap().zones;
    assert_eq!(zones.len(), 1);
    assert_eq!(zones[0].groups.len(), 1);
}
