//! Features dealt out to threads, scenario by scenario: neighbours take much the same time, so every thread gets some.

use std::cell::Cell;

use gherkin::Feature;

use super::selection::only;

/// These features in at most `count` shards. A feature may be in several, with some of its scenarios in each; no scenario
/// is in two.
pub(super) fn shards(features: &[Feature], count: usize) -> Vec<Vec<Feature>> {
    let count = count.max(1);
    let dealt = |shard: usize| {
        let index = Cell::new(0);
        only(features, |_, _, _| index.replace(index.get() + 1) % count == shard)
    };
    (0..count).map(dealt).filter(|shard| !shard.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use gherkin::GherkinEnv;

    use super::*;

    fn scenarios(feature: &Feature) -> usize {
        feature.scenarios.len() + feature.rules.iter().map(|rule| rule.scenarios.len()).sum::<usize>()
    }

    #[test]
    fn every_scenario_is_in_one_shard_and_the_shards_are_alike() {
        let scenario = |n| format!("    Scenario: {n}\n      Then the response is NODATA\n");
        let mut text = "Feature: f\n".to_owned();
        for rule in 0..5 {
            let _ = write!(text, "  Rule: {rule}\n{}{}", scenario(rule * 2), scenario(rule * 2 + 1));
        }
        let feature = Feature::parse(&text, GherkinEnv::default()).unwrap();
        let shards = shards(&[feature], 2);
        let sizes: Vec<usize> = shards.iter().map(|shard| shard.iter().map(scenarios).sum()).collect();
        assert_eq!(sizes, [5, 5]);
        let mut names: Vec<&str> = shards
            .iter()
            .flatten()
            .flat_map(|feature| &feature.rules)
            .flat_map(|rule| rule.scenarios.iter().map(|scenario| scenario.name.as_str()))
            .collect();
        names.sort_unstable();
        assert_eq!(names, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    }
}
