mod endings;
mod mistakes;

use std::fmt::Write as _;

use super::testing::{FILE, outcome_against, outcome_in, outcome_of, read};
use super::{Selection, SelectionError, Status};
use crate::gherkin::{LabChoice, SubjectChoice};
use crate::verdict::ExitCode;

const PAIR: &str = "Feature: f\n  Background:\n    Given the zone \"example.com\" with the record sets:\n      \
    | name | routing            | id | health check |\n      | www  | failover primary   | p  | hc-p         |\n      \
    | www  | failover secondary | s  | hc-s         |\n";

fn scenario(steps: &str) -> String {
    let steps: Vec<String> = steps.lines().map(|step| format!("    {step}")).collect();
    format!("{PAIR}\n  Scenario: one\n{}\n", steps.join("\n"))
}

fn why(steps: &str) -> (Status, String) {
    let outcome = outcome_of(&scenario(steps));
    let (.., scenario) = outcome.scenarios().next().unwrap();
    let explanation = scenario.stopped_at().and_then(|step| step.explanation.clone()).unwrap_or_default();
    (scenario.status(), explanation)
}

#[test]
fn r53_24_a_scenario_that_holds_passes() {
    let steps = "Given the health check \"hc-p\" is unhealthy\nWhen a client in Brazil asks for A \"www\"\nThen the answer is s";
    assert_eq!(why(steps), (Status::Passed, String::new()));
    assert_eq!(outcome_of(&scenario(steps)).exit_code(), ExitCode::Passed);
}

#[test]
fn a_wrong_answer_is_explained_by_the_path_through_the_tree() {
    let (status, why) = why("When a client in Brazil asks for A \"www\"\nThen the answer is s");
    assert_eq!(status, Status::Failed);
    for part in ["asked:    A www.example.com.", "expected: s (", "answered: p (", "p healthy; s not reached"] {
        assert!(why.contains(part), "{part}: {why}");
    }
}

#[test]
fn a_step_that_is_not_defined_fails_the_run_and_names_the_nearest() {
    let steps = "When a client from Brazil asks for A \"www\"\nThen the answer is p";
    let (status, why) = why(steps);
    assert_eq!(status, Status::CannotRun);
    assert!(
        why.contains(":9:5: `from Brazil` is no {vantage}; expected one of `in a VPC in …`, `in …`, `at …`"),
        "{why}"
    );
    let outcome = outcome_of(&scenario(steps));
    assert_eq!(outcome.exit_code(), ExitCode::CannotRun);
    let (.., scenario) = outcome.scenarios().next().unwrap();
    assert_eq!(scenario.steps.last().unwrap().status, Status::NotReached);
}

#[test]
fn an_assertion_that_needs_more_answers_stands_behind_its_question() {
    let asked = "When a client in Brazil asks for A \"www\"\n";
    let shared = "Then the answers are shared:\n  | answer | share |\n  | p | 1 |";
    assert_eq!(why(&format!("{asked}{shared}")).0, Status::Passed);
    let (status, why) = why(&format!("{asked}And the health check \"hc-p\" is unhealthy\n{shared}"));
    assert_eq!(status, Status::CannotRun);
    assert!(why.contains("expected this assertion right behind its question"), "{why}");
}

#[test]
fn r53_107_what_hangs_on_a_deleted_health_check_is_not_guessed() {
    let deleted = "When the health check \"hc-p\" is deleted\n";
    for (steps, told) in [
        ("And a client asks for A \"www\"\nThen the answer is p", "the health check `hc-p`, which was deleted"),
        ("Then the health check \"hc-p\" is healthy", "its status is not predictable (R53-107)"),
    ] {
        let (status, why) = why(&format!("{deleted}{steps}"));
        assert_eq!(status, Status::CannotRun, "{why}");
        assert!(why.contains(told), "{why}");
    }
    let (status, why) =
        why("When the health check \"hc-p\" is unhealthy\nThen the health check \"hc-p\" is not predictable");
    assert_eq!(status, Status::Failed, "{why}");
}

#[test]
fn what_cannot_be_read_in_a_step_is_told_with_its_place() {
    for (steps, told) in [
        ("When a client in Brasil asks for A \"www\"\nThen the answer is p", "9:5: place `Brasil` is not known"),
        ("When a client asks for AAA \"www\"\nThen the answer is p", "did you mean `AAAA`?"),
        ("When a client asks for A \"www\"\nThen the TTL is 60 sec", "10:5: unit `sec` is not known"),
        ("Given the health check \"hc-q\" is unhealthy\nThen the response is NODATA", "did you mean `hc-p`?"),
        (
            "Given the health checks are:\n  | check | status |\n  | hc-p | healthy |\nThen the response is NODATA",
            "10:9: column `check` has no place in this table; expected some of | health check | status |",
        ),
        ("When a client asks for A \"www\"\nThen the answer is q", "`q` is no set identifier"),
        ("Then the answer is p", "nothing was asked yet"),
    ] {
        let (status, why) = why(steps);
        assert_eq!(status, Status::CannotRun, "{steps}: {why}");
        assert!(why.contains(told), "{told}: {why}");
    }
}

#[test]
fn what_would_prove_nothing_is_refused_before_the_run() {
    for (text, told) in [
        ("Feature: f\n".to_owned(), "1:1: this feature has no scenario"),
        (scenario("When a client asks for A \"www\""), "8:3: scenario `one` has no `Then`"),
        (
            scenario("Whn a client asks for A \"www\"\nThen the response is NODATA"),
            "9:5: `Whn` is no keyword of a step",
        ),
        (
            scenario(
                "Given the health checks are:\n  | health check | status |\n  | hc-p | healthy | more |\nThen the response is NODATA",
            ),
            "this row has 3 cells; expected 2",
        ),
        (
            "Feature: f\n  Scenario: s\n    When a client asks for A \"www\"\n    Thn the response is NODATA\n"
                .to_owned(),
            "4:",
        ),
    ] {
        let errors = read(&text).map(|_| ()).unwrap_err().to_string();
        assert!(errors.contains(told) && errors.starts_with(FILE), "{told}: {errors}");
    }
}

#[test]
fn a_selection_that_selects_nothing_is_an_error() {
    let features = read(
        "Feature: f\n  @a\n  Scenario: s\n    Then the response is NODATA\n  @b\n  Scenario: t\n    Then the response is NODATA\n",
    )
    .unwrap();
    let select = |tags| Selection::of(Some(tags)).and_then(|selection| selection.among(features.parsed.clone()));
    assert_eq!(select("@a or @b").unwrap()[0].scenarios.len(), 2);
    assert_eq!(select("not @a").unwrap()[0].scenarios[0].name, "t");
    let nothing = select("@a and @b").unwrap_err();
    assert!(
        matches!(nothing, SelectionError::Nothing { .. }) && nothing.to_string().contains("the tags are @a @b"),
        "{nothing}"
    );
    assert!(matches!(select("@a @b"), Err(SelectionError::NoExpression { .. })));
}

#[test]
fn r53_37_shares_are_told_from_wrong_ones() {
    let zone = "Given the zone \"example.com\" with the record sets:\n  | name | routing   | id |\n  | www  | weight 10 | a  |\n  \
        | www  | weight 20 | b  |\n  | www  | weight 20 | c  |\nWhen many clients ask for A \"www\"\nThen the answers are shared:\n  | answer | share |\n";
    let (status, told) = why(&format!("{zone}  | a | 10 |\n  | b | 20 |\n  | c | 20 |"));
    assert_eq!(status, Status::Passed, "{told}");
    let (status, told) = why(&format!("{zone}  | a | 1/3 |\n  | b | 1/3 |\n  | c | 1/3 |"));
    assert_eq!(status, Status::Failed);
    assert!(told.contains("rejected at a confidence of 99.9999 %"), "{told}");
}

#[test]
fn a_server_that_can_only_be_asked_makes_the_rest_not_applicable() {
    let text = scenario(
        "Given the health check \"hc-p\" is unhealthy\nWhen a client asks for A \"www\"\nThen the answer is s",
    );
    let outcome = outcome_against(&text, "127.0.0.1:9".parse::<SubjectChoice>().unwrap(), 1);
    let (.., scenario) = outcome.scenarios().next().unwrap();
    assert_eq!(scenario.status(), Status::NotApplicable);
    assert_eq!(outcome.exit_code(), ExitCode::Inconclusive, "nothing was held against it, so it is no pass");
}

#[test]
fn the_outcome_is_the_same_on_one_thread_and_on_several() {
    let mut text = "Feature: f\n".to_owned();
    for rule in 0..6 {
        let _ = write!(
            text,
            "  Rule: {rule}\n    Scenario: s\n      Given the zone \"example.com\" with the record sets:\n        | name |\n        | www |\n      \
            When a client asks for A \"{}\"\n      Then the response is NODATA\n",
            if rule % 2 == 0 { "www" } else { "@" }
        );
    }
    let statuses = |threads| -> Vec<Status> {
        outcome_against(&text, SubjectChoice::Muster, threads)
            .scenarios()
            .map(|(.., scenario)| scenario.status())
            .collect()
    };
    assert_eq!(statuses(1), [Status::Failed, Status::Passed].repeat(3));
    assert_eq!(statuses(1), statuses(4));
}

/// Scenarios that pass, and one that fails: the last.
const ON_THE_WIRE: &str = r#"Feature: f
  Rule: r
    Background:
      Given the zone "example.com" with the record sets:
        | name   | routing            | id | health check |
        | www    | failover primary   | p  | hc-p         |
        | www    | failover secondary | s  |              |
        | geo    | geolocation BR     | br |              |
        | geo    | geolocation default | any |            |
        | office | cidr offices hq    | hq |              |
        | office | cidr offices *     | out |             |
        | split  | weight 10          | a  |              |
        | split  | weight 30          | b  |              |
      And the CIDR collection "offices" is created:
        | location | blocks                          |
        | hq       | 198.51.100.0/24, 2001:db8::/48  |

    Scenario: Evidence that changes between two questions
      When a client asks for A "www"
      Then the answer is p
      Given the health check "hc-p" is unhealthy
      When a client asks for A "www"
      Then the answer is s

    Scenario Outline: Askers that no socket here can send from
      When a client at <address> asks for A "office"
      Then the answer is <answer>

      Examples:
        | address      | answer |
        | 198.51.100.7 | hq     |
        | 192.0.2.7    | out    |
        | 2001:db8::7  | hq     |

    Scenario: Places
      When a client in Brazil asks for A "geo"
      Then the answer is br
      When a client in Germany asks for A "geo"
      Then the answer is any

    Scenario: On behalf of a subnet
      When a resolver at 192.0.2.53 asks for A "office" on behalf of 198.51.100.0/24
      Then the answer is hq

    Scenario: Shares
      When many clients ask for A "split"
      Then the answers are shared:
        | answer | share |
        | a      | 10    |
        | b      | 30    |

    Scenario: What is not so
      When a client asks for A "www"
      Then the answer is s
"#;

#[test]
fn scenarios_end_alike_in_both_labs() {
    let ends = |lab| -> Vec<(Status, Option<String>)> {
        let outcome = outcome_in(lab, ON_THE_WIRE, SubjectChoice::Muster, 2);
        let end = |scenario: &super::ScenarioOutcome| {
            (scenario.status(), scenario.stopped_at().and_then(|step| step.explanation.clone()))
        };
        outcome.scenarios().map(|(.., scenario)| end(scenario)).collect()
    };
    let embedded = ends(LabChoice::Embedded);
    let (last, before) = embedded.split_last().unwrap();
    assert!(before.iter().all(|(status, _)| *status == Status::Passed), "{before:?}");
    assert_eq!(last.0, Status::Failed);
    assert_eq!(embedded, ends(LabChoice::Virtual));
}

#[test]
fn a_mutant_is_caught_over_the_wire() {
    let mutant = "mutant:client-subnet-ignored".parse::<SubjectChoice>().unwrap();
    let caught = |lab| -> Vec<String> {
        let outcome = outcome_in(lab, ON_THE_WIRE, mutant, 1);
        let failed = outcome.scenarios().filter(|(.., scenario)| scenario.status() == Status::Failed);
        failed.map(|(.., scenario)| scenario.name.clone()).collect()
    };
    assert_eq!(caught(LabChoice::Embedded), ["On behalf of a subnet", "What is not so"]);
    assert_eq!(caught(LabChoice::Embedded), caught(LabChoice::Virtual));
}

#[test]
fn a_table_or_a_text_that_a_step_does_not_read_is_refused_and_not_passed_over() {
    let asked = "When a client asks for A \"www\"";
    let table = format!("{asked}\nThen the answer is p\n  | answer | share |\n  | zzz    | 1     |");
    let (status, told) = why(&table);
    assert_eq!(status, Status::CannotRun, "{told}");
    assert!(told.contains("this step has no use for a table"), "{told}");
    let text = format!("{asked}\n  \"\"\"\n  anything\n  \"\"\"\nThen the answer is p");
    let (status, told) = why(&text);
    assert_eq!(status, Status::CannotRun, "{told}");
    assert!(told.contains("this step has no use for a text"), "{told}");
}

#[test]
fn what_no_scenario_can_have_is_refused_at_once() {
    for (steps, expected) in [
        ("When 101 d pass\nWhen a client asks for A \"www\"\nThen the answer is p", "up to 100 days"),
        ("When a client asks for A \"www\"\nThen 4000000000 of the values are answered", "from 0 to 100000"),
    ] {
        let (status, told) = why(steps);
        assert_eq!(status, Status::CannotRun, "{told}");
        assert!(told.contains(expected), "{told}");
    }
}
