use super::*;
use crate::decide::RESOURCE_TTL;

fn of_type(mut record: RecordSet, rtype: RecordType) -> RecordSet {
    record.rtype = rtype;
    record
}

fn outcome(zone: &Zone, qname: &str, rtype: RecordType) -> Outcome {
    let question = Question { name: name(qname), rtype, viewpoint: nowhere() };
    decide(zone, &question, &down(&[]), Switches::default()).outcome
}

fn answer(zone: &Zone, qname: &str, rtype: RecordType) -> String {
    match outcome(zone, qname, rtype) {
        Outcome::Answers(answers) => shown(&answers[0].answer.content),
        other => format!("{other:?}"),
    }
}

#[test]
fn r53_179_a_cname_answers_any_type() {
    let zone = zone([of_type(leaf("c", "www.example.net.", Policy::Simple), RecordType::CNAME)]);
    for rtype in [RecordType::A, RecordType::AAAA, RecordType::TXT, RecordType::CNAME] {
        let Outcome::Answers(answers) = outcome(&zone, "c.example.com.", rtype) else { panic!("{rtype}") };
        assert_eq!(answers[0].answer.rtype, RecordType::CNAME);
    }
}

#[test]
fn r53_181_the_health_of_a_cnames_target_does_not_matter() {
    let cname = |id: &str, policy| of_type(leaf("c", id, policy), RecordType::CNAME);
    let zone = zone([
        checked(cname("t.example.com.", PRIMARY)),
        cname("spare.example.com.", SECONDARY),
        checked(leaf("t", "t", Policy::Weighted(1))),
    ]);
    assert_eq!(possible(&ask(&zone, "c", &nowhere(), &["t"])), "t.example.com.");
    assert_eq!(possible(&ask(&zone, "c", &nowhere(), &["t.example.com."])), "t.example.com.");
    let mut board = crate::health::EvidenceBoard::default();
    board.set_health_check(HealthCheckId("t.example.com.".to_owned()), false);
    let question = Question { name: owner("c"), rtype: RecordType::A, viewpoint: nowhere() };
    assert_eq!(possible(&decide(&zone, &question, &board, Switches::default())), "spare.example.com.");
}

#[test]
fn r53_182_an_alias_answers_only_its_own_type() {
    let zone = zone([alias("a", "x", Policy::Simple, "lb.amazonaws.com.", true)]);
    assert_eq!(answer(&zone, "a.example.com.", RecordType::A), "lb.amazonaws.com.");
    assert_eq!(outcome(&zone, "a.example.com.", RecordType::AAAA), Outcome::NoData);
}

#[test]
fn r53_184_a_name_that_exists_without_the_type_is_no_data_and_any_other_nxdomain() {
    let zone = zone([leaf("deep.below", "x", Policy::Simple)]);
    assert_eq!(outcome(&zone, "deep.below.example.com.", RecordType::TXT), Outcome::NoData);
    assert_eq!(outcome(&zone, "below.example.com.", RecordType::A), Outcome::NoData, "an empty non-terminal");
    assert_eq!(outcome(&zone, "example.com.", RecordType::A), Outcome::NoData, "the apex");
    assert_eq!(outcome(&zone, "other.example.com.", RecordType::A), Outcome::NxDomain);
    assert_eq!(outcome(&zone, "a.deep.below.example.com.", RecordType::A), Outcome::NxDomain);
    assert_eq!(outcome(&zone, "example.org.", RecordType::A), Outcome::NotInZone);
    assert_eq!(outcome(&zone, "notexample.com.", RecordType::A), Outcome::NotInZone);
    assert_eq!(outcome(&zone, ".", RecordType::A), Outcome::NotInZone);
}

#[test]
fn case_of_the_query_name_does_not_matter() {
    let zone = zone([leaf("api", "x", Policy::Simple)]);
    assert_eq!(answer(&zone, "API.Example.COM.", RecordType::A), "x");
    assert_eq!(answer(&zone, "api.example.com", RecordType::A), "x");
}

#[test]
fn a_wildcard_answers_below_its_closest_encloser_and_nowhere_else() {
    let zone =
        zone([leaf("*", "wild", Policy::Simple), leaf("a", "a", Policy::Simple), leaf("x.b", "xb", Policy::Simple)]);
    for (qname, expected) in [
        ("other.example.com.", "wild"),
        ("deep.other.example.com.", "wild"),
        ("*.example.com.", "wild"),
        ("a.example.com.", "a"),
        ("b.example.com.", "NoData"),
        ("below.a.example.com.", "NxDomain"),
        ("y.b.example.com.", "NxDomain"),
    ] {
        assert_eq!(answer(&zone, qname, RecordType::A), expected, "{qname}");
    }
    assert_eq!(outcome(&zone, "a.example.com.", RecordType::TXT), Outcome::NoData, "not the wildcard: the name exists");
    assert_eq!(outcome(&zone, "other.example.com.", RecordType::TXT), Outcome::NoData);
}

#[test]
fn a_wildcard_can_carry_a_policy_and_a_cname() {
    let zone = zone([
        checked(leaf("*", "p", PRIMARY)),
        leaf("*", "s", SECONDARY),
        of_type(leaf("*.c", "www.example.net.", Policy::Simple), RecordType::CNAME),
    ]);
    assert_eq!(possible(&ask(&zone, "any", &nowhere(), &["p"])), "s");
    assert_eq!(answer(&zone, "any.c.example.com.", RecordType::A), "www.example.net.");
}

#[test]
fn below_a_delegation_the_zone_refers_and_ds_is_its_own() {
    let zone = zone([
        of_type(leaf("sub", "ns.example.net.", Policy::Simple), RecordType::NS),
        of_type(leaf("sub", "1 13 2 00", Policy::Simple), RecordType::DS),
        leaf("x.sub", "glue", Policy::Simple),
    ]);
    let referral = Outcome::Referral { cut: owner("sub"), servers: vec!["ns.example.net.".to_owned()], ttl: 60 };
    for (qname, rtype) in [
        ("sub.example.com.", RecordType::A),
        ("sub.example.com.", RecordType::NS),
        ("x.sub.example.com.", RecordType::A),
        ("y.x.sub.example.com.", RecordType::DS),
    ] {
        assert_eq!(outcome(&zone, qname, rtype), referral, "{qname} {rtype}");
    }
    assert_eq!(answer(&zone, "sub.example.com.", RecordType::DS), "1 13 2 00");
}

#[test]
fn name_servers_at_the_apex_are_an_answer() {
    let mut apex = of_type(leaf("x", "ns.example.net.", Policy::Simple), RecordType::NS);
    apex.name = name(APEX);
    assert_eq!(answer(&zone([apex]), APEX, RecordType::NS), "ns.example.net.");
}

#[test]
fn r53_170_to_172_the_ttl_is_that_of_what_is_finally_answered() {
    let ttl = |zone: &Zone| admissible(&ask(zone, "api", &nowhere(), &[]))[0].answer.ttl;
    let mut end = leaf("end", "x", Policy::Simple);
    end.data = RecordData::Values { ttl: 17, values: vec!["x".to_owned()] };
    let way = |target: &str| {
        [alias("api", "p", PRIMARY, "mid", true), alias("mid", "m", Policy::Simple, target, true), end.clone()]
    };
    assert_eq!(ttl(&zone(way("end"))), 17);
    assert_eq!(ttl(&zone(way("lb.amazonaws.com."))), RESOURCE_TTL);
}

#[test]
fn r53_183_the_answer_is_shown_under_the_aliass_type() {
    let zone = zone([alias("api", "x", Policy::Simple, "t", true), leaf("t", "t", Policy::Simple)]);
    let decision = ask(&zone, "api", &nowhere(), &[]);
    let one = &admissible(&decision)[0].answer;
    assert_eq!((one.rtype, one.via.len()), (RecordType::A, 2));
    assert_eq!((one.via[0].name.as_str(), one.via[0].rtype.as_str()), ("api.example.com.", "A"));
}

#[test]
fn r53_177_a_signed_zone_serves_no_ttl_above_a_week() {
    let with_ttl = |label: &str, policy, seconds| {
        let mut record = leaf(label, label, policy);
        record.data = RecordData::Values { ttl: seconds, values: vec![label.to_owned()] };
        record
    };
    let mut zone = zone([
        with_ttl("month", Policy::Simple, 2_592_000),
        with_ttl("hour", Policy::Simple, 3_600),
        with_ttl("many", Policy::Multivalue, 2_592_000),
    ]);
    let ttl = |zone: &Zone, label| admissible(&ask(zone, label, &nowhere(), &[]))[0].answer.ttl;
    assert_eq!(["month", "hour", "many"].map(|label| ttl(&zone, label)), [2_592_000, 3_600, 2_592_000]);
    zone.signed = true;
    assert_eq!(["month", "hour", "many"].map(|label| ttl(&zone, label)), [604_800, 3_600, 604_800]);
}
