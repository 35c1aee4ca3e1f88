//! What another reading of the rules would answer: a decision that rests on an inferred rule says so.

use serde::Serialize;

use crate::decide::{Content, Decision, Evidence, Outcome, Question, Switches, decide};
use crate::rulebook::Rulebook;
use crate::zone::Zone;

/// Another reading of a rule that AWS does not state in words, under which the outcome is another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reading {
    /// The rule, for example `R53-93`.
    pub rule: String,
    /// The rule in one line, as it is read here.
    pub title: String,
    /// What is answered under the other reading, for people.
    pub otherwise: String,
}

/// A switch of the rulebook, and the rule that it turns.
struct Switch {
    rule: &'static str,
    turned: fn(Switches) -> Switches,
}

const SWITCHES: [Switch; 5] = [
    Switch {
        rule: "R53-8",
        turned: |all| Switches { zero_weight_keeps_group_healthy: !all.zero_weight_keeps_group_healthy, ..all },
    },
    Switch {
        rule: "R53-17",
        turned: |all| Switches { simple_alias_passes_health_up: !all.simple_alias_passes_health_up, ..all },
    },
    Switch { rule: "R53-73", turned: |all| Switches { ip_based_falls_back: !all.ip_based_falls_back, ..all } },
    Switch { rule: "R53-93", turned: |all| Switches { query_relative_health: !all.query_relative_health, ..all } },
    Switch {
        rule: "R53-97",
        turned: |all| Switches { sites_and_gateways_always_healthy: !all.sites_and_gateways_always_healthy, ..all },
    },
];

/// Every other reading, one at a time, that gives another outcome than this decision's.
pub(super) fn other(
    zone: &Zone,
    question: &Question,
    evidence: &dyn Evidence,
    switches: Switches,
    decision: &Decision,
) -> Vec<Reading> {
    let differs = |switch: &Switch| {
        let other = decide(zone, question, evidence, (switch.turned)(switches));
        (other.outcome != decision.outcome).then(|| Reading {
            rule: switch.rule.to_owned(),
            title: Rulebook::route53().rule(switch.rule).map_or_else(String::new, |rule| rule.title.clone()),
            otherwise: told(&other.outcome),
        })
    };
    SWITCHES.iter().filter_map(differs).collect()
}

/// An outcome in one line.
fn told(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Answers(all) => {
            let mut all: Vec<_> = all.iter().collect();
            all.sort_by(|one, other| other.probability.total_cmp(&one.probability));
            let one = |answer: &&crate::decide::Admissible| {
                let values = match &answer.answer.content {
                    Content::Values { values, .. } if values.is_empty() => "no data".to_owned(),
                    Content::Values { values, .. } => values.join(" + "),
                    Content::Resource(name) => name.to_string(),
                };
                let share = percent(answer.probability);
                let last_resort = if answer.last_resort { ", as a last resort" } else { "" };
                if share == "100 %" {
                    format!("{values}{last_resort}")
                } else {
                    format!("{values} ({share}{last_resort})")
                }
            };
            all.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        Outcome::NoData => "no data".to_owned(),
        Outcome::NxDomain => "no such name".to_owned(),
        Outcome::Referral { cut, .. } => format!("a referral to the name servers of {cut}"),
        Outcome::NotInZone => "nothing: the name is in another zone".to_owned(),
    }
}

/// A share, with as many digits as it needs.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if (percent - percent.round()).abs() < 0.005 { format!("{percent:.0} %") } else { format!("{percent:.2} %") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_switch_turns_a_rule_of_the_book_and_nothing_else() {
        let all = Switches::default();
        for (number, switch) in SWITCHES.iter().enumerate() {
            assert!(Rulebook::route53().rule(switch.rule).is_some(), "{}", switch.rule);
            let turned = (switch.turned)(all);
            assert_ne!(turned, all, "{}", switch.rule);
            assert_eq!((switch.turned)(turned), all, "{}", switch.rule);
            let twice = SWITCHES.iter().enumerate().filter(|(other, _)| *other != number);
            assert!(twice.into_iter().all(|(_, other)| (other.turned)(all) != turned), "{}", switch.rule);
        }
    }

    #[test]
    fn shares_have_as_many_digits_as_they_need() {
        assert_eq!([1.0, 0.5, 1.0 / 3.0, 0.999_99].map(percent), ["100 %", "50 %", "33.33 %", "100 %"]);
    }
}
