use super::*;

const FILE: &str = "batch.json";

/// A change of a weighted A record set.
fn change(action: &str, owner: &str, id: &str, weight: u8, address: &str) -> String {
    format!(
        r#"{{"Action": "{action}", "ResourceRecordSet": {{"Name": "{owner}.example.com", "Type": "A",
        "SetIdentifier": "{id}", "Weight": {weight}, "TTL": 60, "ResourceRecords": [{{"Value": "{address}"}}]}}}}"#
    )
}

fn batch(changes: &[String]) -> String {
    format!("{{\"Changes\": [\n{}\n]}}", changes.join(",\n"))
}

fn zone_of(changes: &[String]) -> Zone {
    let empty = Zone::of(Name::from_ascii("example.com.").unwrap(), []);
    apply_change_batch(&empty, Path::new(FILE), &batch(changes)).unwrap()
}

fn zone() -> Zone {
    zone_of(&[change("CREATE", "www", "a", 1, "192.0.2.1"), change("CREATE", "www", "b", 2, "192.0.2.2")])
}

fn submit(changes: &[String]) -> Result<Zone, String> {
    apply_change_batch(&zone(), Path::new(FILE), &batch(changes)).map_err(|errors| errors.to_string())
}

fn addresses(zone: &Zone) -> Vec<String> {
    let of = |record: &RecordSet| match &record.data {
        RecordData::Values { values, .. } => values.join("|"),
        RecordData::Alias(alias) => alias.target.to_string(),
    };
    zone.record_sets().map(of).collect()
}

#[test]
fn r53_13_all_changes_of_a_batch_hold_at_once() {
    let zone = submit(&[
        change("UPSERT", "www", "a", 1, "192.0.2.11"),
        change("DELETE", "www", "b", 2, "192.0.2.2"),
        change("CREATE", "www", "c", 3, "192.0.2.3"),
    ]);
    assert_eq!(addresses(&zone.unwrap()), ["192.0.2.11", "192.0.2.3"]);
}

#[test]
fn r53_217_one_invalid_change_refuses_the_batch() {
    let error =
        submit(&[change("CREATE", "www", "c", 3, "192.0.2.3"), change("CREATE", "other", "c", 3, "no address")]);
    assert!(error.unwrap_err().contains("`no address` is no"));
}

#[test]
fn r53_220_a_record_set_is_created_once() {
    let error = submit(&[change("CREATE", "www", "a", 1, "192.0.2.11")]).unwrap_err();
    insta::assert_snapshot!(
        error,
        @"batch.json:2:43: www.example.com. A `a` already exists; expected UPSERT, or a DELETE before (R53-220, R53-20)"
    );
    submit(&[change("DELETE", "www", "a", 1, "192.0.2.1"), change("CREATE", "www", "a", 1, "192.0.2.11")]).unwrap();
}

#[test]
fn r53_220_a_record_set_is_deleted_as_it_stands() {
    for (deleted, differs) in [
        (change("DELETE", "www", "a", 2, "192.0.2.1"), "routing policy"),
        (change("DELETE", "www", "a", 1, "192.0.2.9"), "list of values"),
        (change("DELETE", "www", "a", 1, "192.0.2.1").replace("60", "61"), "TTL"),
        (
            change("DELETE", "www", "a", 1, "192.0.2.1").replace("\"TTL\"", "\"HealthCheckId\": \"h\", \"TTL\""),
            "health check",
        ),
    ] {
        let error = submit(&[deleted]).unwrap_err();
        assert!(error.contains(&format!("its {differs} in the zone is another")), "{error}");
    }
    assert!(submit(&[change("DELETE", "www", "c", 1, "192.0.2.1")]).unwrap_err().contains("is not in the zone"));
}

#[test]
fn r53_225_a_set_identifier_is_set_once_in_a_batch() {
    let twice = [change("CREATE", "www", "c", 1, "192.0.2.3"), change("UPSERT", "www", "c", 1, "192.0.2.4")];
    assert!(submit(&twice).unwrap_err().contains("sets www.example.com. A `c` twice"));
}

#[test]
fn r53_223_a_policy_changes_for_the_whole_group_or_not_at_all() {
    let latency = |text: String| text.replace("\"Weight\": 1", "\"Region\": \"eu-west-1\"");
    let one = latency(change("UPSERT", "www", "a", 1, "192.0.2.1"));
    assert!(submit(std::slice::from_ref(&one)).unwrap_err().contains("R53-221"));
    submit(&[change("DELETE", "www", "b", 2, "192.0.2.2"), one]).unwrap();
}

#[test]
fn r53_219_the_values_of_an_upsert_count_twice() {
    let values = |action: &str, count: usize, length: usize| {
        let values: Vec<String> = (0..count).map(|n| format!(r#"{{"Value": "\"{n:0length$}\""}}"#)).collect();
        let set = |n: usize, values: &[String]| {
            format!(
                r#"{{"Action": "{action}", "ResourceRecordSet": {{"Name": "t{n}.example.com", "Type": "TXT", "TTL": 60,
                "ResourceRecords": [{}]}}}}"#,
                values.join(",")
            )
        };
        values.chunks(250).enumerate().map(|(n, values)| set(n, values)).collect::<Vec<_>>()
    };
    submit(&values("CREATE", 1_000, 4)).unwrap();
    submit(&values("UPSERT", 500, 4)).unwrap();
    assert!(submit(&values("CREATE", 1_001, 4)).unwrap_err().contains("1001 values"));
    assert!(submit(&values("UPSERT", 501, 4)).unwrap_err().contains("1002 values"));
    submit(&values("CREATE", 160, 198)).unwrap();
    assert!(submit(&values("CREATE", 161, 198)).unwrap_err().contains("32200 characters"));
}

#[test]
fn a_batch_that_names_an_unknown_collection_is_refused() {
    let ip_based = change("CREATE", "ip", "a", 1, "192.0.2.1")
        .replace("\"Weight\": 1", "\"CidrRoutingConfig\": {\"CollectionId\": \"c\", \"LocationName\": \"*\"}");
    assert!(submit(&[ip_based]).unwrap_err().contains("collection `c` is not known"));
}
