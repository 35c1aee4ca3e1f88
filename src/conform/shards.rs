//! Features dealt out to threads, rule by rule.

use gherkin::Feature;

/// These features in at most `count` shards of much the same size. A feature may be in several, with some of its rules
/// in each; no scenario is in two.
pub(super) fn shards(features: &[Feature], count: usize) -> Vec<Vec<Feature>> {
    let mut shards: Vec<(usize, Vec<Feature>)> = vec![(0, Vec::new()); count.max(1)];
    let mut parts: Vec<Feature> = features.iter().flat_map(parts).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(size(part)));
    for part in parts {
        if let Some((load, shard)) = shards.iter_mut().min_by_key(|(load, _)| *load) {
            *load += size(&part);
            shard.push(part);
        }
    }
    shards.into_iter().map(|(_, shard)| shard).filter(|shard| !shard.is_empty()).collect()
}

/// A feature with its scenarios outside of rules, and one for each of its rules.
fn parts(feature: &Feature) -> Vec<Feature> {
    let bare = Feature { scenarios: Vec::new(), rules: Vec::new(), ..feature.clone() };
    let outside =
        (!feature.scenarios.is_empty()).then(|| Feature { scenarios: feature.scenarios.clone(), ..bare.clone() });
    let rules = feature.rules.iter().map(|rule| Feature { rules: vec![rule.clone()], ..bare.clone() });
    outside.into_iter().chain(rules).collect()
}

fn size(feature: &Feature) -> usize {
    feature.scenarios.len() + feature.rules.iter().map(|rule| rule.scenarios.len()).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use gherkin::GherkinEnv;

    use super::*;

    #[test]
    fn every_scenario_is_in_one_shard_and_the_shards_are_alike() {
        let scenario = |n| format!("    Scenario: {n}\n      Then there is no data\n");
        let mut text = "Feature: f\n".to_owned();
        for rule in 0..5 {
            text += &format!("  Rule: {rule}\n{}{}", scenario(rule * 2), scenario(rule * 2 + 1));
        }
        let feature = Feature::parse(&text, GherkinEnv::default()).unwrap();
        let shards = shards(&[feature], 2);
        let sizes: Vec<usize> = shards.iter().map(|shard| shard.iter().map(size).sum()).collect();
        assert_eq!(sizes, [6, 4]);
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
