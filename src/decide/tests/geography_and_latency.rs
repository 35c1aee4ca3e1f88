use super::*;
use crate::geography::Coordinates;
use crate::zone::GeoproximityOrigin;

fn regions(names: &[&str]) -> Zone {
    zone(names.iter().map(|name| checked(leaf("api", name, latency(name)))))
}

#[test]
fn r53_48_the_lowest_measured_latency_wins_not_the_nearest_region() {
    let zone = regions(&["sa-east-1", "us-east-1"]);
    let mut viewpoint = Viewpoint::of_place("Brazil").unwrap();
    assert_eq!(possible(&ask(&zone, "api", &viewpoint, &[])), "sa-east-1");
    viewpoint.latency = near(&["us-east-1", "sa-east-1"]).latency;
    assert_eq!(possible(&ask(&zone, "api", &viewpoint, &[])), "us-east-1");
}

#[test]
fn r53_48_regions_without_a_record_do_not_count() {
    let zone = regions(&["eu-west-1", "us-east-1"]);
    assert_eq!(possible(&ask(&zone, "api", &near(&["sa-east-1", "us-east-1", "eu-west-1"]), &[])), "us-east-1");
}

#[test]
fn r53_49_and_50_the_next_best_region_follows_and_the_best_is_the_last_resort() {
    let zone = regions(&["eu-west-1", "sa-east-1", "us-east-1"]);
    let here = near(&["sa-east-1", "us-east-1", "eu-west-1"]);
    assert_eq!(possible(&ask(&zone, "api", &here, &["sa-east-1"])), "us-east-1");
    assert_eq!(possible(&ask(&zone, "api", &here, &["sa-east-1", "us-east-1"])), "eu-west-1");
    assert_eq!(possible(&ask(&zone, "api", &here, &["sa-east-1", "us-east-1", "eu-west-1"])), "sa-east-1");
}

#[test]
fn latency_that_is_not_known_comes_after_what_is_then_goes_by_distance_then_by_name() {
    let zone = regions(&["ap-northeast-1", "eu-west-1", "us-east-1"]);
    let mut here = near(&["us-east-1"]);
    here.coordinates = Viewpoint::of_place("Japan").unwrap().coordinates;
    assert_eq!(possible(&ask(&zone, "api", &here, &[])), "us-east-1");
    assert_eq!(possible(&ask(&zone, "api", &here, &["us-east-1"])), "ap-northeast-1");
    assert_eq!(possible(&ask(&zone, "api", &nowhere(), &["ap-northeast-1"])), "eu-west-1");
}

#[test]
fn r53_51_from_within_china_the_record_of_beijing_wins_whatever_the_latency() {
    let zone = regions(&["ap-northeast-1", "cn-north-1"]);
    let mut here = near(&["ap-northeast-1", "cn-north-1"]);
    assert_eq!(possible(&ask(&zone, "api", &here, &[])), "ap-northeast-1");
    here.country = Some("CN".to_owned());
    assert_eq!(possible(&ask(&zone, "api", &here, &[])), "cn-north-1");
}

fn places() -> Zone {
    zone([
        checked(leaf("api", "ca", geo_state("CA"))),
        checked(leaf("api", "us", geo_country("US"))),
        checked(leaf("api", "na", geo_continent("NA"))),
        checked(leaf("api", "eu", geo_continent("EU"))),
        checked(leaf("api", "default", geo_default())),
    ])
}

#[test]
fn r53_53_the_smallest_region_that_has_a_record_wins() {
    for (place, answer) in [
        ("US/CA", "ca"),
        ("US/TX", "us"),
        ("United States", "us"),
        ("Canada", "na"),
        ("Germany", "eu"),
        ("Japan", "default"),
    ] {
        assert_eq!(possible(&ask(&places(), "api", &Viewpoint::of_place(place).unwrap(), &[])), answer, "{place}");
    }
}

#[test]
fn r53_54_an_address_that_maps_to_no_place_gets_the_default() {
    assert_eq!(possible(&ask(&places(), "api", &nowhere(), &[])), "default");
}

#[test]
fn r53_55_without_a_default_the_rest_of_the_world_gets_no_data() {
    let zone = zone([checked(leaf("api", "eu", geo_continent("EU")))]);
    for viewpoint in [country("JP"), nowhere()] {
        assert_eq!(ask(&zone, "api", &viewpoint, &[]).outcome, Outcome::NoData);
    }
}

#[test]
fn r53_56_a_us_address_without_a_state_matches_no_state() {
    let zone = zone([leaf("api", "ca", geo_state("CA")), leaf("api", "tx", geo_state("TX"))]);
    assert_eq!(ask(&zone, "api", &country("US"), &[]).outcome, Outcome::NoData);
}

#[test]
fn r53_57_to_59_the_next_larger_region_follows_and_other_continents_never_do() {
    let here = Viewpoint::of_place("US/CA").unwrap();
    let mut unhealthy = Vec::new();
    for (id, answer) in [("ca", "us"), ("us", "na"), ("na", "default"), ("default", "ca")] {
        unhealthy.push(id);
        assert_eq!(possible(&ask(&places(), "api", &here, &unhealthy)), answer, "{unhealthy:?}");
    }
}

fn nearness(id: &str, longitude: f64, bias: i8) -> RecordSet {
    let origin = GeoproximityOrigin::Coordinates { latitude: 0.0, longitude };
    checked(leaf("api", id, Policy::Geoproximity { origin, bias }))
}

fn equator() -> Viewpoint {
    Viewpoint { coordinates: Some(Coordinates { latitude: 0.0, longitude: 0.0 }), ..Viewpoint::default() }
}

#[test]
fn r53_63_the_smallest_biased_distance_wins() {
    // 1.5 : 1.0 in distance; a bias of 50 makes 0.75 of the first, one of -50 makes 2.0 of the second.
    for (far_bias, near_bias, answer) in
        [(0, 0, "near"), (50, 0, "far"), (0, -50, "far"), (33, 0, "near"), (-99, -50, "near")]
    {
        let zone = zone([nearness("far", 1.5, far_bias), nearness("near", 1.0, near_bias)]);
        assert_eq!(possible(&ask(&zone, "api", &equator(), &[])), answer, "{far_bias} {near_bias}");
    }
}

#[test]
fn r53_66_and_67_the_next_closest_follows_by_region_and_local_zone_too() {
    let at = |id: &str, origin| checked(leaf("api", id, Policy::Geoproximity { origin, bias: 0 }));
    let zone = zone([
        at("region", GeoproximityOrigin::Region("eu-west-1".to_owned())),
        at("zone", GeoproximityOrigin::LocalZoneGroup("us-east-1-bos-1".to_owned())),
    ]);
    let here = Viewpoint::of_place("Ireland").unwrap();
    assert_eq!(possible(&ask(&zone, "api", &here, &[])), "region");
    assert_eq!(possible(&ask(&zone, "api", &here, &["region"])), "zone");
    assert_eq!(possible(&ask(&zone, "api", &here, &["region", "zone"])), "region");
}

fn by_address(default: bool) -> Zone {
    let at = |id: &str, location: &str| {
        let (collection, location) = ("c".to_owned(), location.to_owned());
        checked(leaf("api", id, Policy::IpBased { collection, location }))
    };
    let mut records = vec![at("wide", "wide"), at("narrow", "narrow")];
    if default {
        records.push(at("default", "*"));
    }
    let mut zone = zone(records);
    let blocks = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>();
    zone.cidr_collections.insert(
        "c".to_owned(),
        [
            ("wide".to_owned(), blocks(&["198.51.0.0/16", "2001:db8::/48"])),
            ("narrow".to_owned(), blocks(&["198.51.100.0/24"])),
        ]
        .into(),
    );
    zone
}

fn from(source: &str) -> Viewpoint {
    Viewpoint { source: Some(source.parse().unwrap()), ..Viewpoint::default() }
}

#[test]
fn r53_68_to_70_the_location_whose_block_holds_the_source_wins() {
    for (source, answer) in [
        ("198.51.100.7/32", "narrow"),
        ("198.51.100.0/24", "narrow"),
        ("198.51.0.0/17", "wide"),
        ("198.51.0.0/15", "default"),
        ("192.0.2.1/32", "default"),
        ("2001:db8:0:1::/56", "wide"),
        ("2001:db8::/32", "default"),
    ] {
        assert_eq!(possible(&ask(&by_address(true), "api", &from(source), &[])), answer, "{source}");
    }
    assert_eq!(ask(&by_address(false), "api", &from("192.0.2.1/32"), &[]).outcome, Outcome::NoData);
    assert_eq!(possible(&ask(&by_address(true), "api", &nowhere(), &[])), "default");
}

#[test]
fn r53_73_a_broader_location_follows_unless_the_switch_is_turned() {
    let here = from("198.51.100.7/32");
    let zone = by_address(true);
    assert_eq!(possible(&ask(&zone, "api", &here, &["narrow"])), "wide");
    assert_eq!(possible(&ask(&zone, "api", &here, &["narrow", "wide"])), "default");
    assert_eq!(possible(&ask(&zone, "api", &here, &["narrow", "wide", "default"])), "narrow");
    let switches = Switches { ip_based_falls_back: false, ..Switches::default() };
    assert_eq!(possible(&ask_with(&zone, "api", &here, &["narrow"], switches)), "narrow");
}

#[test]
fn r53_82_simple_failover_weighted_and_multivalue_do_not_look_at_the_sender() {
    for policy in [Policy::Simple, PRIMARY, Policy::Weighted(1), Policy::Multivalue] {
        let zone = zone([leaf("api", "x", policy)]);
        let answers = [from("198.51.100.7/32"), country("BR"), nowhere()].map(|here| ask(&zone, "api", &here, &[]));
        assert!(answers.iter().all(|one| *one == answers[0]));
    }
}
