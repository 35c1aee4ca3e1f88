use super::*;
use crate::decide::MULTIVALUE_LIMIT;

#[derive(Clone, Copy, PartialEq)]
enum Check {
    Healthy,
    Unhealthy,
    None,
}
use Check::{Healthy as H, None as N, Unhealthy as U};

/// A record with values and this health check; its id is added to `down` where it is unhealthy.
fn member(label: &str, id: &'static str, policy: Policy, check: Check, down: &mut Vec<&'static str>) -> RecordSet {
    let record = leaf(label, id, policy);
    if check == U {
        down.push(id);
    }
    if check == N { record } else { checked(record) }
}

#[test]
fn r53_22_to_30_the_failover_truth_table_rows_of_plain_records() {
    for (row, primary, secondary, answer) in
        [(1, H, H, "p"), (1, H, U, "p"), (1, H, N, "p"), (2, U, H, "s"), (2, U, N, "s"), (3, U, U, "p")]
    {
        let mut unhealthy = Vec::new();
        let zone = zone([
            member("api", "p", PRIMARY, primary, &mut unhealthy),
            member("api", "s", SECONDARY, secondary, &mut unhealthy),
        ]);
        let decision = ask(&zone, "api", &nowhere(), &unhealthy);
        assert_eq!(possible(&decision), answer, "row {row}");
        assert_eq!(admissible(&decision)[0].last_resort, row == 3, "row {row}");
    }
}

#[test]
fn r53_29_to_35_the_failover_truth_table_rows_of_an_alias_primary() {
    // ETH, health check on the alias, target healthy, secondary: answer
    for (row, eth, check, target, secondary, answer) in [
        (4, true, N, H, H, "t"),
        (4, true, N, H, U, "t"),
        (5, true, N, U, H, "s"),
        (5, true, N, U, N, "s"),
        (6, true, H, U, H, "s"),
        (7, true, U, H, H, "s"),
        (8, false, H, U, H, "t"),
        (8, false, H, U, U, "t"),
        (9, false, U, H, H, "s"),
    ] {
        let mut unhealthy = Vec::new();
        let primary = alias("api", "p", PRIMARY, "target", eth);
        if check == U {
            unhealthy.push("p");
        }
        let primary = if check == N { primary } else { checked(primary) };
        let zone = zone([
            primary,
            member("api", "s", SECONDARY, secondary, &mut unhealthy),
            member("target", "t", Policy::Weighted(1), target, &mut unhealthy),
        ]);
        assert_eq!(possible(&ask(&zone, "api", &nowhere(), &unhealthy)), answer, "row {row}");
    }
}

#[test]
fn r53_31_and_32_a_lone_primary_or_secondary_is_answered() {
    for (row, policy) in [(11, SECONDARY), (12, PRIMARY)] {
        for check in [H, U] {
            let mut unhealthy = Vec::new();
            let zone = zone([member("api", "only", policy.clone(), check, &mut unhealthy)]);
            assert_eq!(possible(&ask(&zone, "api", &nowhere(), &unhealthy)), "only", "row {row}");
        }
    }
}

#[test]
fn r53_8_to_44_the_zero_weight_table() {
    for (third_checked, one, two, three, answer) in [
        (true, U, U, H, "r3"),
        (true, U, U, U, "r1,r2"),
        (true, U, H, U, "r2"),
        (true, H, H, U, "r1,r2"),
        (true, H, H, H, "r1,r2"),
        (false, H, H, N, "r1,r2"),
        (false, U, U, N, "r3"),
        (false, U, H, N, "r2"),
    ] {
        assert_eq!(third_checked, three != N);
        let mut unhealthy = Vec::new();
        let zone = zone([
            member("w", "r1", Policy::Weighted(1), one, &mut unhealthy),
            member("w", "r2", Policy::Weighted(1), two, &mut unhealthy),
            member("w", "r3", Policy::Weighted(0), three, &mut unhealthy),
        ]);
        assert_eq!(possible(&ask(&zone, "w", &nowhere(), &unhealthy)), answer, "down: {unhealthy:?}");
    }
}

fn weights(weights: &[u8]) -> Zone {
    const IDS: [&str; 4] = ["w0", "w1", "w2", "w3"];
    zone(weights.iter().zip(IDS).map(|(&weight, id)| checked(leaf("w", id, Policy::Weighted(weight)))))
}

#[test]
fn r53_37_shares_are_those_of_the_weights() {
    let decision = ask(&weights(&[10, 20, 20]), "w", &nowhere(), &[]);
    assert_eq!(shares(&decision), [("w0", 20), ("w1", 40), ("w2", 40)].map(|(id, n)| (id.to_owned(), n)).into());
}

#[test]
fn r53_39_an_unhealthy_weight_leaves_the_denominator() {
    let decision = ask(&weights(&[10, 20, 20]), "w", &nowhere(), &["w2"]);
    assert_eq!(shares(&decision), [("w0", 33), ("w1", 67)].map(|(id, n)| (id.to_owned(), n)).into());
    assert!(!admissible(&decision)[0].last_resort);
}

#[test]
fn r53_41_all_weights_zero_are_equally_likely() {
    let decision = ask(&weights(&[0, 0, 0, 0]), "w", &nowhere(), &["w3"]);
    assert_eq!(shares(&decision), [("w0", 33), ("w1", 33), ("w2", 33)].map(|(id, n)| (id.to_owned(), n)).into());
}

#[test]
fn r53_43_several_healthy_zero_weights_share_equally() {
    let decision = ask(&weights(&[5, 0, 0]), "w", &nowhere(), &["w0"]);
    assert_eq!(shares(&decision), [("w1", 50), ("w2", 50)].map(|(id, n)| (id.to_owned(), n)).into());
}

#[test]
fn r53_44_last_resort_leaves_weight_zero_out() {
    let decision = ask(&weights(&[1, 3, 0]), "w", &nowhere(), &["w0", "w1", "w2"]);
    assert_eq!(shares(&decision), [("w0", 25), ("w1", 75)].map(|(id, n)| (id.to_owned(), n)).into());
    assert!(admissible(&decision).iter().all(|one| one.last_resort));
}

#[test]
fn r53_45_last_resort_goes_by_weight() {
    let decision = ask(&weights(&[1, 1, 2]), "w", &nowhere(), &["w0", "w1", "w2"]);
    assert_eq!(shares(&decision), [("w0", 25), ("w1", 25), ("w2", 50)].map(|(id, n)| (id.to_owned(), n)).into());
}

#[test]
fn r53_34_and_47_all_values_of_the_chosen_record_are_answered() {
    for policy in [PRIMARY, Policy::Weighted(1)] {
        let mut record = leaf("a", "x", policy);
        record.data = RecordData::Values { ttl: 30, values: ["c", "a", "b"].map(str::to_owned).to_vec() };
        assert_eq!(possible(&ask(&zone([record]), "a", &nowhere(), &[])), "a|b|c");
    }
}

#[test]
fn r53_11_each_type_has_its_own_last_resort() {
    let mut six = checked(leaf("a", "six", PRIMARY));
    six.rtype = RecordType::AAAA;
    let zone = zone([checked(leaf("a", "four", PRIMARY)), leaf("a", "spare", SECONDARY), six]);
    assert_eq!(possible(&ask(&zone, "a", &nowhere(), &["four"])), "spare");
    let question = Question { name: owner("a"), rtype: RecordType::AAAA, viewpoint: nowhere() };
    let decision = decide(&zone, &question, &down(&["four"]), Switches::default());
    assert_eq!(possible(&decision), "six");
    assert!(!admissible(&decision)[0].last_resort);
}

fn pool(members: usize) -> (Zone, Vec<String>) {
    let ids: Vec<String> = (0..members).map(|n| format!("m{n:02}")).collect();
    (zone(ids.iter().map(|id| checked(leaf("m", id, Policy::Multivalue)))), ids)
}

fn values(decision: &Decision) -> (usize, Option<usize>) {
    let [one] = admissible(decision) else { panic!("{decision:?}") };
    match &one.answer.content {
        Content::Values { values, at_most } => (values.len(), *at_most),
        Content::Resource(name) => panic!("{name}"),
    }
}

#[test]
fn r53_74_up_to_eight_healthy_values_are_all_answered_and_eight_of_more() {
    for (members, at_most) in [(1, None), (8, None), (9, Some(MULTIVALUE_LIMIT)), (20, Some(8))] {
        assert_eq!(values(&ask(&pool(members).0, "m", &nowhere(), &[])), (members, at_most));
    }
}

#[test]
fn r53_75_to_77_unhealthy_multivalue_records_are_left_out_until_all_are() {
    let (zone, ids) = pool(10);
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert_eq!(values(&ask(&zone, "m", &nowhere(), &ids[..1])), (9, Some(8)));
    assert_eq!(values(&ask(&zone, "m", &nowhere(), &ids[..9])), (1, None));
    let decision = ask(&zone, "m", &nowhere(), &ids);
    assert_eq!(values(&decision), (10, Some(8)));
    assert!(admissible(&decision)[0].last_resort);
}
