//! The failures that the article of the twelve-record tree walks through, one by one.

use std::path::Path;

use super::*;
use crate::zone::route53_json;

const ZONE: &str = include_str!("../../../drills/zones/multi-region-api.route53.json");
const SAO_PAULO: &str = "dualstack.alb-sa-east-1-1029384756.sa-east-1.elb.amazonaws.com.";
const VIRGINIA: &str = "dualstack.alb-us-east-1-1657483920.us-east-1.elb.amazonaws.com.";
const FRANKFURT: &str = "dualstack.alb-eu-central-1-1304958672.eu-central-1.elb.amazonaws.com.";
const MAINTENANCE: &str = "s3-website-sa-east-1.amazonaws.com.";
const MAINTENANCE_EU: &str = "s3-website.eu-central-1.amazonaws.com.";

/// What Brazil, the US and Germany are answered, for both families alike.
#[track_caller]
fn answers(unhealthy: &[&str]) -> [String; 3] {
    let zone = route53_json::read(Path::new("multi-region-api.route53.json"), ZONE, None).unwrap();
    ["Brazil", "United States", "Germany"].map(|place| {
        let viewpoint = Viewpoint::of_place(place).unwrap();
        let [four, six] = [RecordType::A, RecordType::AAAA].map(|rtype| {
            let question = Question { name: name("api.exemplo.com."), rtype, viewpoint: viewpoint.clone() };
            possible(&decide(&zone, &question, &down(unhealthy), Switches::default()))
        });
        assert_eq!(four, six, "{place}");
        four
    })
}

#[test]
fn in_the_steady_state_each_place_has_its_region() {
    assert_eq!(answers(&[]), [SAO_PAULO, VIRGINIA, FRANKFURT]);
}

#[test]
fn without_sao_paulo_brazil_is_served_by_virginia() {
    assert_eq!(answers(&[SAO_PAULO]), [VIRGINIA, VIRGINIA, FRANKFURT]);
}

#[test]
fn without_virginia_the_us_is_served_by_sao_paulo() {
    assert_eq!(answers(&[VIRGINIA]), [SAO_PAULO, SAO_PAULO, FRANKFURT]);
}

#[test]
fn without_both_american_regions_they_get_the_maintenance_page_and_europe_goes_on() {
    assert_eq!(answers(&[SAO_PAULO, VIRGINIA]), [MAINTENANCE, MAINTENANCE, FRANKFURT]);
}

#[test]
fn without_frankfurt_europe_gets_its_own_maintenance_page_and_never_leaves_the_eu() {
    assert_eq!(answers(&[FRANKFURT]), [SAO_PAULO, VIRGINIA, MAINTENANCE_EU]);
}

#[test]
fn with_everything_down_the_static_pages_are_answered_for_they_have_no_health() {
    let all = [SAO_PAULO, VIRGINIA, FRANKFURT, MAINTENANCE, MAINTENANCE_EU];
    assert_eq!(answers(&all), [MAINTENANCE, MAINTENANCE, MAINTENANCE_EU]);
}

#[test]
fn the_path_of_the_sao_paulo_failover_reads_as_the_article_tells_it() {
    let zone = route53_json::read(Path::new("multi-region-api.route53.json"), ZONE, None).unwrap();
    let decision = ask(&zone, "api.exemplo.com.", &Viewpoint::of_place("Brazil").unwrap(), &[SAO_PAULO]);
    let told: Vec<String> = decision
        .path
        .iter()
        .map(|step| {
            let records: Vec<String> = step
                .considered
                .iter()
                .map(|one| format!("{} {:?}", one.record.set_identifier.as_deref().unwrap_or("-"), one.reason))
                .collect();
            format!("{}{} {} {:?}: {}", "  ".repeat(step.depth), step.group, step.policy, step.end, records.join(", "))
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @"
    api.exemplo.com. failover Used: PRIMARY Healthy, SECONDARY NotReached
      api-geo.exemplo.com. geolocation Used: Default Healthy, continente EU NotApplicable
        api-live.exemplo.com. latency Used: sa-east-1 Healthy, us-east-1 NotReached
          api-sae1.exemplo.com. failover Used: PRIMARY TargetUnhealthy, SECONDARY Healthy
    ");
    let via = &admissible(&decision)[0].answer.via;
    let ids: Vec<&str> = via.iter().filter_map(|record| record.set_identifier.as_deref()).collect();
    assert_eq!(ids, ["PRIMARY", "Default", "sa-east-1", "SECONDARY"]);
}

#[test]
fn the_chat_api_answers_its_standby_only_while_the_primary_is_unhealthy() {
    let text = include_str!("../../../drills/zones/chat-api.change-batch.json");
    let zone = route53_json::read(Path::new("chat-api.change-batch.json"), text, None).unwrap();
    for (unhealthy, answer) in [
        (&[][..], "203.0.113.10"),
        (&["HC-PRIMARY-ID"], "198.51.100.20"),
        (&["HC-STANDBY-ID"], "203.0.113.10"),
        (&["HC-PRIMARY-ID", "HC-STANDBY-ID"], "203.0.113.10"),
    ] {
        let decision = ask(&zone, "api", &nowhere(), unhealthy);
        assert_eq!((possible(&decision).as_str(), admissible(&decision)[0].answer.ttl), (answer, 60));
    }
}
