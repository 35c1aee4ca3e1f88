//! Zones, minimums and dead targets: what is read, and what is refused.

use super::*;
use crate::health::MinimumHealthy;

const CELL: &str = "region: {}, alias: alb.example.net";
const FAULT: &str = "fault: { kill-database: east }";

/// [`DRILL`] with the region and the fault written so.
fn written(region: &str, fault: &str) -> Result<LoadedDrill, String> {
    let cell = format!("region: {{ {region} }}, alias: alb.example.net");
    load_texts(&DRILL.replace(CELL, &cell).replace(FAULT, &format!("fault: {fault}")), ZONE)
}

fn dead_targets(region: &str, fault: &str) -> Vec<usize> {
    let drill = written(region, fault).unwrap();
    let [Fault::KillTargets { cell, targets }] = &drill.faults[..] else { panic!("{:?}", drill.faults) };
    assert_eq!(cell, "east");
    targets.iter().copied().collect()
}

#[test]
fn a_region_is_one_zone_with_a_minimum_of_one_healthy_target_unless_it_says_otherwise() {
    let region = |text: &str| match written(text, "{ kill-database: east }").unwrap().cells["east"].make.clone() {
        CellMake::Region(region) => (region.zones, region.cross_zone, region.minimum_healthy),
        other => panic!("{other:?}"),
    };
    assert_eq!(region(""), (vec![], true, MinimumHealthy::DEFAULT));
    let zones = ["a", "b"].map(str::to_owned).to_vec();
    let minimum = |count, percentage| MinimumHealthy { count: Some(count), percentage };
    assert_eq!(
        region("zones: [a, b], cross-zone: off, target-group: { minimum-healthy: { percent: 50 } }"),
        (zones, false, minimum(1, Some(50)))
    );
    assert_eq!(region("target-group: { minimum-healthy: { count: 2 } }").2, minimum(2, None));
}

#[test]
fn dead_targets_are_the_first_ones_or_those_of_a_zone() {
    assert_eq!(dead_targets("targets: 4", "{ kill-targets: { cell: east, targets: 3 } }"), [0, 1, 2]);
    assert_eq!(dead_targets("targets: 5, zones: [a, b]", "{ kill-targets: { cell: east, zone: b } }"), [1, 3]);
}

#[test]
fn each_zone_takes_its_share_of_the_addresses_and_the_targets() {
    let drill = DRILL.replace(
        CELL,
        &format!(
            "{}, address: [192.0.2.1, 192.0.2.2, 192.0.2.3, 2001:db8::1, 2001:db8::2]",
            CELL.replace("{}", "{ targets: 3, zones: [a, b] }")
        ),
    );
    let options = crate::drill::PlanOptions { seed: 1, ..Default::default() };
    let plan = load_texts(&drill, ZONE).unwrap().plan(options);
    let shares: Vec<_> = plan.cells["east"]
        .zones("east")
        .into_iter()
        .map(|zone| (zone.name, zone.addresses.iter().map(ToString::to_string).collect::<Vec<_>>(), zone.targets))
        .collect();
    let share = |name: &str, addresses: &[&str], targets: &[usize]| {
        (name.to_owned(), addresses.iter().map(ToString::to_string).collect::<Vec<_>>(), targets.to_vec())
    };
    assert_eq!(
        shares,
        [
            share("a", &["192.0.2.1", "192.0.2.3", "2001:db8::1"], &[0, 2]),
            share("b", &["192.0.2.2", "2001:db8::2"], &[1]),
        ]
    );
}

#[test]
fn r53_160_to_163_zones_that_cannot_be_are_refused() {
    let table: Vec<String> = [
        ("cross-zone: off", "{ kill-database: east }"),
        ("zones: [a, b], cross-zone: sometimes", "{ kill-database: east }"),
        ("zones: [a, b, c]", "{ kill-database: east }"),
        ("zones: [a, a]", "{ kill-database: east }"),
        ("zones: [page, nodata]", "{ kill-database: east }"),
        ("targets: 7, zones: [a, b, c, d, e, f, g]", "{ kill-database: east }"),
        ("target-group: { minimum-healthy: { count: 0 } }", "{ kill-database: east }"),
        ("target-group: { minimum-healthy: { percent: 101 } }", "{ kill-database: east }"),
        ("target-group: { minimum-healthy: { count: 3 } }", "{ kill-database: east }"),
        (
            "targets: 4, zones: [a, b], cross-zone: off, target-group: { minimum-healthy: { count: 3 } }",
            "{ kill-database: east }",
        ),
        ("target-group: { minimum-healthy: { percentage: 50 } }", "{ kill-database: east }"),
        ("", "{ kill-targets: east }"),
        ("", "{ kill-targets: { cell: east } }"),
        ("", "{ kill-targets: { cell: east, targets: 3 } }"),
        ("zones: [a, b]", "{ kill-targets: { cell: east, zone: c } }"),
        ("zones: [a, b]", "{ kill-targets: { cell: east, zone: a, targets: 1 } }"),
        ("", "{ kill-targets: { cell: page, targets: 1 } }"),
        ("", "{ kill-database: { cell: east } }"),
    ]
    .into_iter()
    .map(|(region, fault)| {
        let errors = written(region, fault).err().unwrap_or_else(|| panic!("taken as it is: {region} {fault}"));
        format!("region: {{ {region} }}, fault: {fault}\n    {}", errors.replace('\n', "\n    "))
    })
    .collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn r53_163_each_zone_needs_an_address_of_its_own_and_an_alias_to_be_answered_by() {
    let zonal = CELL.replace("{}", "{ zones: [a, b] }");
    let one = mistakes(&[(CELL, &format!("{zonal}, address: 192.0.2.1"))]);
    insta::assert_snapshot!(one, @"drill.yaml:6:71: 1 IPv4 addresses are too few for 2 zones, each of which has its own; write one for each zone, or none of this family");
    let values = zonal.replace("alias: alb.example.net", "address: [203.0.113.10, 203.0.113.20]");
    let told = mistakes(&[(CELL, &values)]);
    assert!(
        told.contains("`east` has zones and no alias: an address that a record set holds is always answered"),
        "{told}"
    );
}

#[test]
fn expectations_name_zones_alone_or_together() {
    let drill = DRILL.replace(CELL, &CELL.replace("{}", "{ zones: [a, b] }"));
    let with = |line: &str| load_texts(&format!("{drill}  - {line}\n"), ZONE);
    let text = |line: &str| with(line).unwrap().expectations[1].text.clone();
    assert_eq!(text("answer: { from: Brazil, is: b, within: 9s }"), "Brazil is answered b within 9s");
    assert_eq!(text("answer: { from: Brazil, is: [b, a], within: 9s }"), "Brazil is answered a and b within 9s");
    assert_eq!(text("health: { of: a, is: unhealthy, within: 9s }"), "a is unhealthy within 9s");
    assert_eq!(text("served: { client: web, by: b, within: 9s }"), "web is served by b within 9s");
    let unknown = with("answer: { from: Brazil, is: [a, c], within: 9s }").unwrap_err();
    insta::assert_snapshot!(unknown, @"drill.yaml:15:37: unknown zone `c`; known here: `a`, `b`");
    let unknown = with("answer: { from: Brazil, is: c, within: 9s }").unwrap_err();
    assert!(unknown.contains("unknown cell `c`"), "{unknown}");
}

#[test]
fn a_zone_file_is_of_whichever_format_it_is() {
    let imported =
        crate::formats::read(std::path::Path::new("z.json"), ZONE, &crate::formats::Options::default()).unwrap();
    let yaml = crate::formats::muster::write(imported.zones.first(), &imported.health_checks, &[]).unwrap();
    let groups = |zone: &str| load_texts(DRILL, zone).unwrap().zone.groups.into_keys().collect::<Vec<_>>();
    assert_eq!(groups(&yaml), groups(ZONE));
    let told = load_texts(DRILL, &yaml.replace("type: A\n", "type: AB\n")).unwrap_err();
    assert!(told.contains("record type `AB` is not known"), "{told}");
}
