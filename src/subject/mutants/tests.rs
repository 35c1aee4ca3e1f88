use std::collections::BTreeSet;

use super::*;

#[test]
fn every_mutant_has_a_name_of_its_own_in_kebab_case() {
    let names: BTreeSet<_> = mutants().iter().map(|mutant| mutant.name).collect();
    assert_eq!(names.len(), mutants().len());
    assert!(names.len() >= 45, "{}", names.len());
    let is_kebab =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    assert!(names.iter().all(|name| is_kebab(name)), "{names:?}");
}

#[test]
fn every_mutant_says_what_it_does_in_one_line_and_which_rules_it_breaks() {
    for Mutant { name, what, rules, .. } in mutants() {
        assert!(!what.is_empty() && what.len() <= 100 && !what.ends_with('.'), "{name}: {what}");
        let has_a_number = |rule: &&str| {
            rule.strip_prefix("R53-")
                .and_then(|number| number.parse().ok())
                .is_some_and(|number: u16| (1..=246).contains(&number))
        };
        let of_the_article = |rule: &&str| rule.starts_with("llm-");
        let is_prober = probers::MUTANTS.iter().any(|prober| prober.name == *name);
        let known = |rule: &&str| if is_prober { of_the_article(rule) } else { has_a_number(rule) };
        assert!(!rules.is_empty() && rules.iter().all(known), "{name}: {rules:?}");
    }
}

#[test]
fn a_mutant_is_found_by_its_name_and_a_misspelt_one_suggests_the_nearest() {
    assert_eq!(find("ignores-evaluate-target-health").unwrap().rules, ["R53-7"]);
    let error = find("ignore-evaluate-target-helth").unwrap_err();
    let told = error.to_string();
    let expected =
        "mutant `ignore-evaluate-target-helth` does not exist; did you mean `ignores-evaluate-target-health`, or ";
    assert!(told.starts_with(expected), "{told}");
    assert!(find("xyz").unwrap_err().to_string().starts_with("mutant `xyz` does not exist; expected one of "));
}
