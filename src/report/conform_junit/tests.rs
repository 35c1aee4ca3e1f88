//! The XML is held against the common schema (`junit-10.xsd` of Jenkins's xUnit plugin): its elements, what may stand
//! in which, and their attributes, written down here as rules.

use crate::conform::testing::outcome_of;
use crate::report::conform_terminal::HeldAgainst;
use crate::report::junit;
use crate::report::junit_properties::element::Element;

/// An element of the schema: what may stand in it, which attributes it must have, and which it may have.
type Rule = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

const SCHEMA: &[Rule] = &[
    ("testsuites", &["testsuite"], &[], &["name", "time", "tests", "failures", "errors"]),
    (
        "testsuite",
        &["testsuite", "properties", "testcase", "system-out", "system-err"],
        &["name", "tests", "failures", "errors"],
        &["group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"],
    ),
    ("properties", &["property"], &[], &[]),
    ("property", &[], &["name", "value"], &[]),
    (
        "testcase",
        &["skipped", "error", "failure", "system-out", "system-err"],
        &["name"],
        &["time", "classname", "group"],
    ),
    ("failure", &[], &[], &["type", "message"]),
    ("error", &[], &[], &["type", "message"]),
    ("skipped", &[], &[], &["type", "message"]),
    ("system-out", &[], &[], &[]),
    ("system-err", &[], &[], &[]),
];

fn against_schema(element: &Element, found: &mut Vec<String>) {
    let Some((name, inside, must, may)) = SCHEMA.iter().find(|(name, ..)| *name == element.name) else {
        found.push(format!("<{}> is not in the schema", element.name));
        return;
    };
    found.extend(
        must.iter().filter(|one| !element.attributes.contains_key(**one)).map(|one| format!("<{name}> lacks {one}")),
    );
    let known = |attribute: &str| must.contains(&attribute) || may.contains(&attribute);
    found.extend(element.attributes.keys().filter(|one| !known(one)).map(|one| format!("<{name}> has {one}")));
    for below in &element.inside {
        if !inside.contains(&below.name.as_str()) {
            found.push(format!("<{}> stands in <{name}>", below.name));
        }
        against_schema(below, found);
    }
}

fn xml() -> String {
    let outcome = outcome_of(
        "@route53\nFeature: Failover\n  @R53-24\n  Rule: R53-24 The secondary\n    A page\n\n    Background:\n      \
         Given the zone \"example.com\" with the record sets:\n        | name | routing            | id | health check |\n        \
         | www  | failover primary   | p  | hc-p         |\n        | www  | failover secondary | s  | hc-s         |\n\n    \
         Scenario: It holds\n      Given the health check \"hc-p\" is unhealthy\n      When a client asks for A \"www\"\n      Then the answer is s\n\n    \
         Scenario: It fails & says why\n      When a client asks for A \"www\"\n      Then the answer is s\n\n    \
         Scenario: It is not defined\n      When a clnt asks for A \"www\"\n      Then the answer is s\n",
    );
    let held = HeldAgainst { subject: "muster".into(), lab: "virtual".into() };
    junit::render("conformance", super::suites(&outcome, &held, 1)).unwrap()
}

#[test]
fn the_xml_is_what_the_common_schema_allows() {
    let mut found = Vec::new();
    against_schema(&Element::read(&xml()), &mut found);
    assert_eq!(found, [""; 0], "{}", xml());
}

#[test]
fn the_check_of_the_schema_can_fail() {
    let mut found = Vec::new();
    against_schema(&Element::read("<testsuites skipped=\"0\"><testcase/></testsuites>"), &mut found);
    assert_eq!(found, ["<testsuites> has skipped", "<testcase> stands in <testsuites>", "<testcase> lacks name"]);
}

#[test]
fn a_failure_carries_its_explanation_and_an_undefined_step_is_an_error() {
    let xml = xml();
    assert!(xml.contains("tests=\"3\"") && xml.contains("failures=\"1\"") && xml.contains("errors=\"1\""), "{xml}");
    assert!(xml.contains("classname=\"route53.failover.R53-24\""), "{xml}");
    assert!(xml.contains("<failure type=\"failed\"") && xml.contains("expected: s ("), "{xml}");
    assert!(xml.contains("<error type=\"cannot be run as written\"") && xml.contains("the nearest is"), "{xml}");
    assert!(xml.contains("value=\"A page\""), "{xml}");
}
