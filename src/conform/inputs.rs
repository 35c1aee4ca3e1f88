//! What a run reads beside its features, as far as their steps say it.

use std::path::{Path, PathBuf};

use gherkin::{Feature, Step};
use serde::Deserialize;

use crate::gherkin::Catalogue;
use crate::source::read_text;

/// The step that speaks of the zone of `--zone`.
const ZONE_UNDER_TEST: &str = "the zone under test";

/// Whether a scenario of these features speaks of the zone of `--zone`. A zone that none speaks of would seem to be
/// held against the rules, and would not be.
#[must_use]
pub fn speak_of_zone_under_test(features: &[Feature], catalogue: &Catalogue) -> bool {
    let speaks =
        |step: &Step| step.value == ZONE_UNDER_TEST && catalogue.matching(step.ty, &step.value).next().is_some();
    features.iter().flat_map(steps).any(speaks)
}

/// The files of these features, every file that a step names, seen from the folder of the feature, and the zone of each
/// that is a drill.
#[must_use]
pub fn files(features: &[Feature]) -> Vec<PathBuf> {
    let of_feature = |feature: &Feature| {
        let file = feature.path.clone().unwrap_or_default();
        let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
        // What stands between quotes and is no file here is a name.
        let quoted = steps(feature).flat_map(|step| step.value.split('"').skip(1).step_by(2));
        let named = quoted.map(|name| folder.join(name)).filter(|path| path.is_file());
        let read = named.flat_map(|path| [zone_of(&path), Some(path)]).flatten();
        read.chain([file.clone()]).collect::<Vec<_>>()
    };
    features.iter().flat_map(of_feature).collect()
}

/// What a drill reads beside itself.
#[derive(Deserialize)]
struct NamesZone {
    zone: PathBuf,
}

/// The zone of a drill. Whether the drill can be run is told when it is; a file that names no zone is none.
fn zone_of(drill: &Path) -> Option<PathBuf> {
    let NamesZone { zone } = serde_yaml::from_str(&read_text(drill).ok()?).ok()?;
    Some(drill.parent()?.join(zone)).filter(|zone| zone.is_file())
}

/// Every step, with those of the backgrounds.
fn steps(feature: &Feature) -> impl Iterator<Item = &Step> {
    let backgrounds = feature.background.iter().chain(feature.rules.iter().filter_map(|rule| rule.background.as_ref()));
    let scenarios = feature.scenarios.iter().chain(feature.rules.iter().flat_map(|rule| &rule.scenarios));
    backgrounds.flat_map(|one| &one.steps).chain(scenarios.flat_map(|one| &one.steps))
}

#[cfg(test)]
mod tests {
    use gherkin::GherkinEnv;

    use super::*;

    fn feature(steps: &str) -> Feature {
        Feature::parse(format!("Feature: f\n  Scenario: s\n    {steps}\n"), GherkinEnv::default()).unwrap()
    }

    #[test]
    fn the_zone_under_test_is_spoken_of_by_a_step_of_the_catalogue() {
        let catalogue = Catalogue::new().unwrap();
        let speak = |steps| speak_of_zone_under_test(&[feature(steps)], &catalogue);
        assert!(speak("Given the zone under test\n    Then the response is NODATA"));
        assert!(!speak("Given the zone of the file \"a.json\"\n    Then the response is NODATA"));
    }

    #[test]
    fn a_file_that_a_step_names_is_read_with_the_feature() {
        let folder = tempfile::tempdir().unwrap();
        let zone = folder.path().join("zone.json");
        std::fs::write(&zone, "{}").unwrap();
        let mut feature = feature("Given the zone of the file \"zone.json\"\n    When a client asks for A \"www\"");
        let file = folder.path().join("a.feature");
        feature.path = Some(file.clone());
        assert_eq!(files(&[feature]), [zone, file]);
    }
    #[test]
    fn the_zone_of_a_drill_that_a_step_names_is_read_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("zones")).unwrap();
        std::fs::write(path("zones/z.json"), "{}").unwrap();
        std::fs::write(path("drill.yaml"), "drill: one\nzone: zones/z.json\nfault: {kill: a}\n").unwrap();
        std::fs::write(path("broken.yaml"), "zone: [zones/z.json\n").unwrap();
        let run = |drill| {
            let mut feature = feature(&format!("When the drill \"{drill}\" runs"));
            feature.path = Some(path("a.feature"));
            files(&[feature])
        };
        assert_eq!(run("drill.yaml"), [path("zones/z.json"), path("drill.yaml"), path("a.feature")]);
        assert_eq!(run("broken.yaml"), [path("broken.yaml"), path("a.feature")]);
    }
}
