//! What a step cannot be said with is refused where it stands: it would hold of anything, or of nothing.

use crate::conform::Status;
use crate::conform::testing::{FILE, outcome_of};

const PAIR: &str = "Feature: f\n  Background:\n    Given the zone \"example.com\" with the record sets:\n      \
    | name | routing            | id | health check |\n      | www  | failover primary   | p  | hc-p         |\n      \
    | www  | failover secondary | s  | hc-s         |\n";

const CHECK: &str = "Given the health check \"hc\" is created:\n  \"\"\"\n  cell: east\n  http: /\n  \"\"\"\n";
const BALANCER: &str = "Given the zone \"example.com\" with the record sets:\n  \
    | name | alias to | evaluate target health |\n  | www | alb.example.net. | yes |\n";

/// What becomes of a scenario of these steps, and why; its first step stands at 9:5.
fn run(steps: &str) -> (Status, String) {
    let steps = steps.replace('\n', "\n    ");
    let outcome = outcome_of(&format!("{PAIR}\n  Scenario: one\n    {steps}\n    Then the answer is p\n"));
    let (.., scenario) = outcome.scenarios().next().unwrap();
    let explanation = scenario.stopped_at().and_then(|step| step.explanation.clone()).unwrap_or_default();
    (scenario.status(), explanation)
}

/// Each of these steps cannot be run, for a reason that has these words and a place in the file.
fn are_refused(cases: &[(&str, &str)]) {
    for (steps, told) in cases {
        let (status, why) = run(steps);
        assert_eq!(status, Status::CannotRun, "{steps}: {why}");
        assert!(why.contains(told) && why.starts_with(&format!("{FILE}:")), "{steps}: {told}: {why}");
    }
}

#[test]
fn a_range_whose_lesser_end_is_the_second_is_refused() {
    are_refused(&[
        (
            &format!("{CHECK}Then the health check \"hc\" turns unhealthy between 30 s and 20 s later"),
            "14:5: nothing lies between 30 s and 20 s; expected the lesser first: 20 s, then 30 s",
        ),
        (
            &format!("{CHECK}Then the endpoint of \"hc\" is probed 16 to 14 times in 30 s, from 8 Regions"),
            "nothing lies between 16 and 14",
        ),
        (
            &format!("{CHECK}Then the endpoint of \"hc\" is probed 0 to 1 times in 0 s, from 0 Regions"),
            "expected a time above 0 s",
        ),
        (
            &format!("{CHECK}Then the health check \"hc\" turns unhealthy between 0 s and 0 s later"),
            "expected a time above 0 s",
        ),
        (
            "Then the failover is predicted as:\n  \
             | stage | best | worst |\n  | detection | 99 s | 2 s |",
            "11:28: the worst is less than the best",
        ),
    ]);
}

#[test]
fn more_than_all_are_refused() {
    let find = |count: &str| format!("{CHECK}When {count} checkers find the endpoint of \"hc\" healthy");
    let row = |counts: &str| {
        format!(
            "{BALANCER}Given the load balancer \"alb.example.net.\", cross-zone load balancing on, has the targets:\n  \
             | target group | zone | healthy | registered |\n  | web | a | {counts} |"
        )
    };
    are_refused(&[
        (&find("9 of 0"), "nobody reports; expected one checker at least"),
        (&find("0 of 0"), "`the endpoint of \"…\" has no checker that reports`"),
        (&find("9 of 8"), "9 of 8 are more than all; expected 8 at most"),
        (
            &format!(
                "{BALANCER}Given the load balancer \"alb.example.net.\" checks 2 targets every 15 s\n\
                 When 9 of the targets of \"alb.example.net.\" pass their checks"
            ),
            "it checks 2 targets, and 9 are more than all",
        ),
        (&row("5 | 2"), "14:19: 5 of 2 are more than all; expected 2 at most"),
        (&row("1 | 99999999999"), "`99999999999` is no count"),
        (
            "Given the health check \"all\" is created:\n  | setting | value |\n  | children | 2 |\n  | threshold | 1 |\n\
             When 3 of the children of \"all\" are healthy",
            "has 2 children",
        ),
    ]);
}

#[test]
fn a_routing_control_stands_once_and_no_more_of_them_can_stay_on_than_there_are() {
    are_refused(&[
        (
            "Given the routing controls \"east\", \"east\" are on, and at least 1 must stay on",
            "9:5: routing control `east` stands twice",
        ),
        (
            "Given the routing controls \"east\", \"west\" are on, and at least 3 must stay on",
            "3 of 2 cannot stay on; expected 2 at most",
        ),
        ("Given the routing controls \"\" are on, and at least 0 must stay on", "a routing control has a name"),
    ]);
}

#[test]
fn an_empty_text_is_found_in_anything_and_is_refused() {
    let batch = "When the change batch is submitted:\n  \"\"\"\n  {}\n  \"\"\"\n";
    are_refused(&[
        (&format!("{batch}Then it is refused: \"\""), "13:5: `refused: \"\"` would hold of anything"),
        (&format!("{CHECK}Then a probe of \"hc\" fails: \"\""), "`fails: \"\"` would hold of anything"),
        (&format!("{CHECK}Then a probe of \"hc\" sends \" \""), "`sends \" \"` would hold of anything"),
        (&format!("{CHECK}When every checker of \"hc\" sees \"\""), "nothing is seen; expected results of probes"),
    ]);
}

#[test]
fn what_was_not_asked_of_a_name_that_exists_proves_nothing_and_is_refused() {
    let many = "When many clients ask for A";
    are_refused(&[
        ("Then p is never answered", "9:5: nothing was asked yet"),
        (&format!("{many} \"nowhere\"\nThen p is never answered"), "10:5: nowhere.example.com. does not exist"),
        (&format!("{many} \"nowhere\"\nThen the answers are all the same"), "does not exist"),
        ("When a client asks for A \"www\"\nThen the answers are all the same", "10:5: one answer cannot be compared"),
        ("When a client asks for A \"www\"\nThen the answers differ", "one answer cannot be compared"),
        (&format!("{many} \"www\"\nThen 0 of the values are answered"), "expected `the response is NODATA`"),
    ]);
    let (status, why) = run(&format!("{many} \"www\"\nThen s is never answered\nAnd the answers are all the same"));
    assert_eq!((status, why), (Status::Passed, String::new()));
}

#[test]
fn a_row_that_says_what_a_row_above_it_says_is_refused_where_it_stands() {
    are_refused(&[
        (
            "Given the health checks are:\n  | health check | status |\n  | hc-p | healthy |\n  | hc-p | unhealthy |",
            "12:9: `hc-p` stands in a row above already",
        ),
        (
            "Given the alarm \"age\" is created:\n  | setting | value |\n  | threshold | 1 |\n  | threshold | 2 |",
            "`threshold` stands in a row above already",
        ),
        (
            "Given the CIDR collection \"nets\" is created:\n  | location | blocks |\n  | hq | 198.51.100.0/24 |\n  \
             | hq | 203.0.113.0/24 |",
            "`hq` stands in a row above already",
        ),
        (
            "Given the latency from Brazil:\n  | region | latency |\n  | us-east-1 | 1 ms |\n  | us-east-1 | 2 ms |",
            "`us-east-1` stands in a row above already",
        ),
        (
            &format!(
                "{BALANCER}Given the load balancer \"alb.example.net.\", cross-zone load balancing on, has the targets:\n  \
                 | target group | zone | healthy | registered |\n  | web | a | 1 | 2 |\n  | web | a | 2 | 2 |"
            ),
            "15:9: `web a` stands in a row above already",
        ),
        (
            "Then the failover is predicted as:\n  \
             | stage | best | worst |\n  | detection | 15 s | 30 s |\n  | detection | 99 s | 99 s |",
            "`detection` stands in a row above already",
        ),
    ]);
    let twice = "Given the zone \"example.com\" with the record sets:\n  | name | routing | id |\n  | www | weight 1 | a |\n  \
                 | www | weight 2 | a |";
    are_refused(&[(twice, "12:")]);
}

#[test]
fn a_number_out_of_its_range_is_refused_with_the_range() {
    let shared = |share: &str| {
        format!(
            "When many clients ask for A \"www\"\nThen the answers are shared:\n  | answer | share |\n  | p | {share} |\n  | s | 1 |"
        )
    };
    let alarm = |threshold: &str| {
        format!("Given the alarm \"age\" is created:\n  | setting | value |\n  | threshold | {threshold} |")
    };
    are_refused(&[
        (&shared("1e308"), "12:13: share `1e308` is out of range; expected above 0, and at most 1000000"),
        (&shared("-1"), "out of range"),
        (&shared("NaN"), "out of range"),
        (&shared("0"), "`… is never answered` says that there is none"),
        (&shared("900000"), "`s` has less than 1 of 5000 answers"),
        (&alarm("1e308"), "expected a number from -1e12 to 1e12"),
        (&alarm("NaN"), "expected a number from -1e12 to 1e12"),
        ("When 99999999999999999999 d pass", "expected 0 s to 2147483647 s"),
        (
            &format!(
                "{CHECK}When the endpoint of \"hc\" answers:\n  | setting | value |\n  | body ends at byte | 99999999999 |"
            ),
            "expected a whole number from 0 to 1000000",
        ),
        (
            "When a change batch is to CREATE TXT \"a\" with 99999 values of 99999 characters in sets of 9",
            "expected at most 1000000 characters together",
        ),
    ]);
}

#[test]
fn a_theme_names_the_settings_of_its_tables() {
    for (theme, settings) in [
        (super::alarms::THEME, &super::alarms::SETTINGS[..]),
        (super::endpoint::THEME, &super::endpoint::SETTINGS[..]),
        (super::checks::THEME, &super::check_settings::SETTINGS[..]),
    ] {
        for setting in settings {
            assert!(theme.about.contains(setting), "{}: {setting}", theme.name);
        }
    }
}

#[test]
fn settings_of_a_health_check_that_do_not_go_together_are_refused() {
    let created = |rows: &str| format!("Given the health check \"hc\" is created:\n  | setting | value |\n{rows}");
    are_refused(&[
        (&created("  | children | 2 |"), "expected `alarm` and `insufficient data`, or `children` and `threshold`"),
        (&created("  | address | 9.9.9.9 |\n  | threshold | 2 |"), "these settings are no health check together"),
        (&created("  | adress | 9.9.9.9 |"), "11:9: setting `adress` is not known; expected one of"),
        (&created("  | alarm | age |\n  | insufficient data | healthy |"), "there is no alarm `age`"),
    ]);
}

#[test]
fn a_section_holds_what_is_looked_for_in_it_and_a_resolver_asks_as_it_does() {
    are_refused(&[
        (
            "When a client asks for A \"www\"\nThen the answer section holds no addresses",
            "expected `the additional section holds no addresses`",
        ),
        (
            "Given a resolver \"isp\" in Brazil\nWhen a client without EDNS asks the resolver \"isp\" for A \"www\"",
            "a resolver asks with an EDNS of its own",
        ),
        ("Then the alarm \"age\" is healthy", "an alarm is not healthy; expected OK, ALARM or INSUFFICIENT_DATA"),
        ("Then the health check \"hc-p\" is ALARM", "a health check is not ALARM; expected healthy or unhealthy"),
    ]);
}

#[test]
fn what_is_very_long_is_told_by_its_ends() {
    let long = "x".repeat(2_000_000);
    for steps in [format!("When a client asks for A \"{long}\""), format!("When a client in {long} asks for A \"www\"")]
    {
        let (status, why) = run(&steps);
        assert_eq!(status, Status::CannotRun);
        assert!(why.len() < 3000 && why.contains("characters more"), "{} bytes", why.len());
    }
}
