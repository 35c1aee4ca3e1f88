//! Drills in the Docker lab: a ready one, or one that a test makes out of it.

use std::path::{Path, PathBuf};
use std::process::Output;

use crate::desk::{Desk, code, drill_file, said};

/// What muster says when the machine was too busy to tell.
const INCONCLUSIVE: i32 = 3;
/// What it is then run at, lab seconds per wall second; the lab's own is 5.
pub(crate) const SLOWER: &str = "2";

/// Runs a drill in the Docker lab; once more, slower and on a clean desk, when the machine was too busy to tell.
pub(crate) fn run(desk: &mut Desk, drill: &str, more: &[&str]) -> Output {
    let docker = [&["--lab", "docker", "--quiet"], more].concat();
    let output = desk.run(drill, &docker);
    if code(&output) != INCONCLUSIVE || more.contains(&"--speed") {
        return output;
    }
    eprintln!("inconclusive; once more, at {SLOWER}x:\n{}", said(&output));
    *desk = Desk::new();
    desk.run(drill, &[&docker[..], &["--speed", SLOWER]].concat())
}

/// `summary.json` of the only run of a desk.
pub(crate) fn summary(desk: &Desk) -> serde_json::Value {
    let folders = desk.folders();
    assert_eq!(folders.len(), 1, "{folders:?}");
    serde_json::from_slice(&std::fs::read(folders[0].join("summary.json")).unwrap()).unwrap()
}

/// A copy of `database-down` with something put in after some of its lines, and its expectations as they are; beside it
/// nothing: its zone stays where it is.
pub(crate) fn database_down_with(folder: &Path, name: &str, added: &[(&str, &str)]) -> PathBuf {
    let original = std::fs::read_to_string(drill_file("database-down")).unwrap();
    let zones = drill_file("database-down").with_file_name("zones");
    let mut text = original.replace("drill: database-down", &format!("drill: {name}"));
    text = text.replace("zone: zones/", &format!("zone: {}/", zones.display()));
    for (line, more) in added {
        assert_eq!(text.matches(line).count(), 1, "{line}");
        text = text.replace(line, &format!("{line}{more}"));
    }
    let file = folder.join(format!("{name}.yaml"));
    std::fs::write(&file, text).unwrap();
    file
}
