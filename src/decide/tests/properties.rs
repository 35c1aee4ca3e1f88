//! What holds for any zone, any evidence and any sender.
//!
//! The strongest of them: the decision equals that of `literal`, which is the reference search of the rulebook
//! (section 5.1) written down word by word, with all its repeated walks.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::decide::RecordRef;
use crate::zone::Group;

const GROUPS: usize = 6;

#[derive(Clone, Debug)]
struct Case {
    zone: Zone,
    records: Vec<RecordSet>,
    unhealthy: Vec<String>,
    viewpoint: Viewpoint,
}

impl Case {
    fn decide(&self, zone: &Zone) -> Decision {
        let unhealthy: Vec<&str> = self.unhealthy.iter().map(String::as_str).collect();
        ask(zone, "g0", &self.viewpoint, &unhealthy)
    }

    fn board(&self) -> EvidenceBoard {
        down(&self.unhealthy.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

fn policy(kind: usize, n: usize, weight: u8) -> Policy {
    match kind {
        0 => Policy::Simple,
        1 => [PRIMARY, SECONDARY][n % 2].clone(),
        2 => Policy::Weighted(weight),
        3 => latency(["us-east-1", "sa-east-1", "eu-west-1"][n % 3]),
        4 => [geo_default(), geo_country("BR"), geo_continent("EU")][n % 3].clone(),
        _ => Policy::Multivalue,
    }
}

/// Group number `n` has aliases to groups with higher numbers only.
fn record(group: usize, kind: usize, n: usize, (weight, target, eth, check): (u8, usize, bool, bool)) -> RecordSet {
    let (label, id, policy) = (format!("g{group}"), format!("g{group}r{n}"), policy(kind, n, weight));
    let is_leaf = policy == Policy::Multivalue || target == 0 || group + target > GROUPS;
    let one = if is_leaf {
        leaf(&label, &id, policy)
    } else if group + target == GROUPS {
        alias(&label, &id, policy, "lb.amazonaws.com.", eth)
    } else {
        alias(&label, &id, policy, &format!("g{}", group + target), eth)
    };
    if check { checked(one) } else { one }
}

fn cases(only_eth: bool) -> impl Strategy<Value = Case> {
    let member = (0..3_u8, 0..GROUPS, any::<bool>(), any::<bool>(), any::<bool>());
    let groups = proptest::collection::vec((0..6_usize, proptest::collection::vec(member, 1..=3)), GROUPS);
    let viewpoint = prop_oneof![
        Just(nowhere()),
        Just(near(&["sa-east-1", "eu-west-1", "us-east-1"])),
        Just(Viewpoint::of_place("Brazil").unwrap()),
        Just(Viewpoint::of_place("Germany").unwrap()),
    ];
    (groups, viewpoint, any::<bool>()).prop_map(move |(groups, viewpoint, lb_down)| {
        let (mut records, mut unhealthy) = (Vec::new(), Vec::new());
        for (number, (kind, members)) in groups.into_iter().enumerate() {
            let most = match kind {
                0 => 1,
                1 => 2,
                _ => 3,
            };
            for (n, (weight, target, eth, check, is_down)) in members.into_iter().take(most).enumerate() {
                let one = record(number, kind, n, (weight, target, eth || only_eth, check && kind != 0));
                unhealthy.extend(one.health_check.as_ref().filter(|_| is_down).map(ToString::to_string));
                records.push(one);
            }
        }
        if lb_down {
            unhealthy.push("lb.amazonaws.com.".to_owned());
        }
        Case { zone: zone(records.clone()), records, unhealthy, viewpoint }
    })
}

/// Section 5.1, word by word: each answer's share, by (answer, last resort); the empty answer is no data.
struct Literal<'a> {
    case: &'a Case,
    board: EvidenceBoard,
}

type Shares = BTreeMap<(String, bool), f64>;

impl Literal<'_> {
    fn tiers<'g>(&self, group: &'g Group) -> Vec<Vec<&'g RecordSet>> {
        let all = || group.records.iter();
        let pick = |wanted: &dyn Fn(&Policy) -> bool| all().filter(|one| wanted(&one.policy)).collect::<Vec<_>>();
        let tiers = match &group.records[0].policy {
            Policy::Weighted(_) => vec![
                pick(&|policy| matches!(policy, Policy::Weighted(weight) if *weight > 0)),
                pick(&|policy| *policy == Policy::Weighted(0)),
            ],
            Policy::Failover(_) => vec![pick(&|policy| *policy == PRIMARY), pick(&|policy| *policy == SECONDARY)],
            Policy::Geolocation(_) => {
                let here = self.case.viewpoint.country.as_deref();
                vec![
                    pick(&|policy| here == Some("BR") && *policy == geo_country("BR")),
                    pick(&|policy| here == Some("DE") && *policy == geo_continent("EU")),
                    pick(&|policy| *policy == geo_default()),
                ]
            }
            Policy::Latency(_) => {
                let order = match self.case.viewpoint.country.as_deref() {
                    Some("DE") => ["eu-west-1", "us-east-1", "sa-east-1"],
                    Some(_) => ["sa-east-1", "us-east-1", "eu-west-1"],
                    None if self.case.viewpoint.latency.is_empty() => ["eu-west-1", "sa-east-1", "us-east-1"],
                    None => ["sa-east-1", "eu-west-1", "us-east-1"],
                };
                order.iter().map(|region| pick(&|policy| *policy == latency(region))).collect()
            }
            _ => vec![all().collect()],
        };
        tiers.into_iter().filter(|tier| !tier.is_empty()).collect()
    }

    fn is_usable(&self, one: &RecordSet) -> bool {
        use crate::decide::Evidence;
        let hc = one.health_check.as_ref().is_none_or(|id| self.board.health_check_is_healthy(id));
        hc && match &one.data {
            RecordData::Values { .. } => true,
            RecordData::Alias(to) if !to.evaluate_target_health => true,
            RecordData::Alias(to) => match self.case.zone.group(&to.target, RecordType::A) {
                Some(group) => self.reach(group).is_some(),
                None => self.board.resource_is_healthy(&to.target),
            },
        }
    }

    fn reach<'g>(&self, group: &'g Group) -> Option<Vec<&'g RecordSet>> {
        self.tiers(group)
            .into_iter()
            .map(|tier| tier.into_iter().filter(|one| self.is_usable(one)).collect::<Vec<_>>())
            .find(|usable| !usable.is_empty())
    }

    fn answer(&self, group: &Group, share: f64, last_resort: bool, into: &mut Shares) {
        let (records, last_resort) = match (self.reach(group), self.tiers(group).into_iter().next()) {
            (Some(usable), _) => (usable, last_resort),
            (None, Some(first)) => (first, true),
            (None, None) => {
                *into.entry((String::new(), last_resort)).or_default() += share;
                return;
            }
        };
        if records[0].policy == Policy::Multivalue {
            let mut ids: Vec<&str> = records.iter().filter_map(|one| one.set_identifier.as_deref()).collect();
            ids.sort_unstable();
            *into.entry((ids.join("|"), last_resort)).or_default() += share;
            return;
        }
        let weight = |one: &RecordSet| if let Policy::Weighted(weight) = one.policy { f64::from(weight) } else { 0.0 };
        let sum: f64 = records.iter().map(|one| weight(one)).sum();
        for one in &records {
            #[expect(clippy::cast_precision_loss, reason = "at most three")]
            let part = if sum > 0.0 { weight(one) / sum } else { 1.0 / records.len() as f64 };
            match &one.data {
                RecordData::Values { values, .. } => {
                    *into.entry((values.join("|"), last_resort)).or_default() += share * part;
                }
                RecordData::Alias(to) => match self.case.zone.group(&to.target, RecordType::A) {
                    Some(below) => self.answer(below, share * part, last_resort, into),
                    None => *into.entry((to.target.to_string(), last_resort)).or_default() += share * part,
                },
            }
        }
    }
}

fn literal(case: &Case) -> Shares {
    let mut shares = Shares::new();
    let literal = Literal { case, board: case.board() };
    literal.answer(case.zone.group(&owner("g0"), RecordType::A).unwrap(), 1.0, false, &mut shares);
    shares
}

fn decided(decision: &Decision) -> Shares {
    match &decision.outcome {
        Outcome::Answers(answers) => {
            answers.iter().map(|one| ((shown(&one.answer.content), one.last_resort), one.probability)).collect()
        }
        other => panic!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_decision_is_that_of_the_reference_search(case in cases(false)) {
        let (expected, decision) = (literal(&case), case.decide(&case.zone));
        if expected.keys().all(|(answer, _)| answer.is_empty()) {
            prop_assert_eq!(decision.outcome, Outcome::NoData);
        } else {
            let found = decided(&decision);
            prop_assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
            for (key, share) in &expected {
                prop_assert!((found[key] - share).abs() < 1e-9, "{:?}: {} not {}", key, found[key], share);
            }
        }
    }

    #[test]
    fn r53_10_with_one_healthy_leaf_in_reach_the_last_resort_is_never_used(case in cases(true)) {
        let literal = Literal { case: &case, board: case.board() };
        let root = case.zone.group(&owner("g0"), RecordType::A).unwrap();
        let decision = case.decide(&case.zone);
        if literal.reach(root).is_some() {
            prop_assert!(admissible(&decision).iter().all(|one| !one.last_resort));
        } else if let Outcome::Answers(answers) = &decision.outcome {
            prop_assert!(answers.iter().all(|one| one.last_resort));
        }
    }

    #[test]
    fn the_order_of_the_file_does_not_matter(
        (case, shuffled) in cases(false).prop_flat_map(|case| {
            let records = Just(case.records.clone()).prop_shuffle();
            (Just(case), records)
        })
    ) {
        prop_assert_eq!(case.decide(&case.zone), case.decide(&zone(shuffled)));
    }

    #[test]
    fn probabilities_are_above_zero_and_sum_to_one_and_every_answer_exists(case in cases(false)) {
        let decision = case.decide(&case.zone);
        let known: BTreeSet<RecordRef> = case.records.iter().map(RecordRef::of).collect();
        if let Outcome::Answers(answers) = &decision.outcome {
            let sum: f64 = answers.iter().map(|one| one.probability).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9);
            for one in answers {
                prop_assert!(one.probability > 0.0);
                prop_assert!(!one.answer.via.is_empty() || shown(&one.answer.content).is_empty());
                prop_assert!(one.answer.via.iter().all(|record| known.contains(record)));
            }
        }
    }

    #[test]
    fn any_zone_even_one_that_validation_refuses_is_decided_without_a_panic(
        members in proptest::collection::vec((0..4_usize, 0..6_usize, 0..5_usize, 0..3_u8, any::<bool>()), 0..16),
        label in 0..5_usize,
    ) {
        // Targets may be missing, may loop, and policies may be mixed in one group.
        let records = members.into_iter().enumerate().map(|(n, (group, kind, target, weight, eth))| {
            let (label, id) = (format!("g{group}"), format!("r{n}"));
            let policy = policy(kind, n, weight);
            if target == 0 { leaf(&label, &id, policy) } else { alias(&label, &id, policy, &format!("g{target}"), eth) }
        });
        let decision = ask(&zone(records), &format!("g{label}"), &nowhere(), &[]);
        if let Outcome::Answers(answers) = decision.outcome {
            let sum: f64 = answers.iter().map(|one| one.probability).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9);
        }
    }
}
