//! What is said of a drill whose containers cannot be, and that nothing of it stays.

use muster::journal::event::Event;

use crate::desk::{Desk, code, muster, said, the_only_lab};
use crate::drill::database_down_with;
use crate::engine::{everything, is_as_before};

/// A client of the drill that is an image.
fn client(image: &str) -> String {
    format!("  br-own: {{ place: Brazil, resolver: br, profile: fresh-lookup, {image} }}\n")
}

/// Runs a drill whose image is not to be had; what is said.
pub(crate) fn run_that_is_refused() -> String {
    let desk = Desk::new();
    let folder = tempfile::tempdir().unwrap();
    let drill =
        database_down_with(folder.path(), "no-image", &[("clients:\n", &client("image: \"does-not-exist:1\""))]);
    let output = desk.command(drill.to_str().unwrap(), &["--lab", "docker"]).output().unwrap();
    assert_eq!(code(&output), 4, "{}", said(&output));
    assert!(desk.folders().is_empty(), "{:?}", desk.folders());
    said(&output)
}

pub(crate) fn a_client_of_an_image_that_there_is_not_is_refused_before_anything_is_made() {
    let said = run_that_is_refused();
    let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("client br-own is the image does-not-exist:1"), "{said}");
    assert!(words.contains("docker pull does-not-exist:1"), "{said}");
}

pub(crate) fn a_client_that_dies_at_its_start_breaks_the_lab_and_is_told_with_its_last_lines() {
    let _lab = the_only_lab();
    let before = everything();
    let desk = Desk::new();
    let folder = tempfile::tempdir().unwrap();
    let dies = client(r#"image: base, command: [sh, -c, "echo the configuration is upside down; exit 7"]"#);
    let drill = database_down_with(folder.path(), "dies-at-start", &[("clients:\n", &dies)]);
    let run = muster()
        .args(["run", drill.to_str().unwrap(), "--lab", "docker", "--quiet", "--out"])
        .arg(desk.out.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let process = run.id();
    let output = run.wait_with_output().unwrap();
    assert_eq!(code(&output), 4, "{}", said(&output));
    is_as_before(&before, process);
    assert!(said(&output).contains("lab broke"), "{}", said(&output));
    let broke = desk.journal().events.into_iter().find_map(|stamped| match stamped.event {
        Event::LabBroke { reason } => Some(reason),
        _ => None,
    });
    let reason = broke.unwrap();
    assert!(reason.contains("client-br-own ended by itself, with 7"), "{reason}");
    assert!(reason.contains("the configuration is upside down"), "{reason}");
}
