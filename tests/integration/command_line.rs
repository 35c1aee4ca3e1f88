//! What the command line says before anything runs.

use std::path::Path;

use crate::desk::{Desk, SPEED, code, drill_file, muster, said};

/// The ready drill with one thing changed, beside its zones.
fn changed(desk: &Desk, from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(drill_file("database-down")).unwrap();
    assert!(text.contains(from), "`{from}` is not in the drill");
    let zones = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills/zones");
    let text = text.replacen(from, to, 1).replace("zone: zones", &format!("zone: {}", zones.display()));
    let file = desk.out.path().join("changed.yaml");
    std::fs::write(&file, text).unwrap();
    file.display().to_string()
}

#[test]
fn a_mistake_is_told_with_its_place_and_the_nearest_name_and_nothing_is_started() {
    for (from, to, word, suggested) in [
        ("fault: { kill-database: sa-east-1 }", "fault: { kill-database: sa-east-2 }", "sa-east-2", "sa-east-1"),
        ("resolver: br, profile: fresh-lookup, every", "resolver: bra, profile: fresh-lookup, every", "bra,", "`br`"),
        ("place: Germany, client", "place: Germani, client", "Germani,", "Germany"),
        ("title:", "titel: x\ntitle:", "titel", "`title`"),
        ("every: 2s", "every: 2 ", "2 ", "`2s`"),
    ] {
        let desk = Desk::new();
        let file = changed(&desk, from, to);
        let reports = desk.out.path().join("reports");
        let output = muster().args(["run", &file, "--out"]).arg(&reports).output().unwrap();
        let said = said(&output);
        assert_eq!(code(&output), 2, "{to}: {said}");
        assert!(said.contains(&format!("{file}:{}", place_of(&file, to, word))), "{to}: {said}");
        assert!(said.contains(suggested), "{to}: {said}");
        assert!(!reports.exists(), "{to}: something was started");
    }
}

/// Line and column of a word inside a passage of a file, both from 1.
fn place_of(file: &str, passage: &str, word: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let byte = text.find(passage).unwrap() + passage.find(word).unwrap();
    let line_start = text[..byte].rfind('\n').map_or(0, |end| end + 1);
    format!("{}:{}:", text[..byte].matches('\n').count() + 1, text[line_start..byte].chars().count() + 1)
        .trim_end_matches(':')
        .to_owned()
}

#[test]
fn a_drill_that_is_not_there_is_named() {
    let output = muster().args(["run", "no/such/drill.yaml"]).output().unwrap();
    assert_eq!(code(&output), 2);
    assert!(said(&output).contains("no/such/drill.yaml"), "{}", said(&output));
}

#[test]
fn a_report_folder_that_cannot_be_made_starts_nothing() {
    let output =
        muster().arg("run").arg(drill_file("database-down")).args(["--out", "/proc/reports"]).output().unwrap();
    assert_eq!(code(&output), 2, "{}", said(&output));
    assert!(said(&output).contains("/proc/reports"));
}

#[test]
fn networks_of_a_lab_that_have_no_such_addresses_are_refused_before_an_engine_is_asked() {
    let desk = Desk::new();
    let mut command = desk.command("database-down", &["--lab", "docker"]);
    let output = command.env("MUSTER_NETWORKS", "10.0.0.0/30").env("DOCKER_HOST", "unix:///no/such.sock").output();
    let output = output.unwrap();
    assert_eq!(code(&output), 2, "{}", said(&output));
    assert!(said(&output).contains("MUSTER_NETWORKS: `10.0.0.0/30` is no address plan"), "{}", said(&output));
    assert!(desk.folders().is_empty());
}

#[test]
fn a_dry_run_touches_nothing_and_shows_the_undo() {
    let desk = Desk::new();
    let output = desk.run("database-down", &["--dry-run"]);
    assert_eq!(code(&output), 0);
    assert!(said(&output).contains("undo: start the database of sa-east-1 again"), "{}", said(&output));
    assert!(desk.folders().is_empty());
}

#[test]
fn what_only_containers_can_run_is_refused_elsewhere_and_says_why() {
    for (from, to, reason) in [
        (
            "br: { place: Brazil }",
            "br: { place: Brazil, software: unbound, serve-stale: 1h }",
            "resolver br may give answers that have expired",
        ),
        (
            "br-pool: { place: Brazil,",
            "br-pool: { place: Brazil, image: example/app,",
            "br-pool is the image example/app",
        ),
    ] {
        let desk = Desk::new();
        let drill = changed(&desk, from, to);
        for lab in ["embedded", "virtual"] {
            let output = desk.run(&drill, &["--lab", lab]);
            assert_eq!(code(&output), 2, "{}", said(&output));
            assert!(said(&output).contains(reason), "{}", said(&output));
            assert_eq!(desk.folders().len(), 1, "nothing but the drill itself: nothing was started");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_plan_and_another_seed_another() {
    let desk = Desk::new();
    let plan = |seed| desk.run("database-down", &["--dry-run", "--json", "--seed", seed]).stdout;
    assert_eq!(plan("5"), plan("5"));
    assert_ne!(plan("5"), plan("6"));
}

#[test]
fn no_line_of_a_report_is_wider_than_100_columns() {
    let desk = Desk::new();
    for more in [&["--dry-run"][..], &["--speed", SPEED, "--quiet", "--control"]] {
        let output = desk.run("everything-down", more);
        let page = String::from_utf8(output.stdout).unwrap();
        for line in page.lines().filter(|line| !line.contains("muster judge")) {
            assert!(line.chars().count() <= 100, "{line}");
        }
        assert!(!page.contains('\u{1b}'), "colour without a terminal");
    }
}

#[test]
fn completions_are_printed_for_a_shell() {
    let output = muster().args(["completions", "bash"]).output().unwrap();
    assert_eq!(code(&output), 0);
    assert!(said(&output).contains("_muster"));
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let drill = drill_file("database-down");
    let script = format!("{} run {} --dry-run | head -n 1", env!("CARGO_BIN_EXE_muster"), drill.display());
    let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    assert!(!said(&output).contains("panicked"), "{}", said(&output));
}

/// Everything that is printed, and that is no run.
fn prints() -> Vec<Vec<String>> {
    let drill = drill_file("database-down").display().to_string();
    let campaign = drill_file("quarterly").display().to_string();
    [
        &["faults"][..],
        &["faults", "--json"],
        &["completions", "bash"],
        &["--help"],
        &["run", "--help"],
        &["--version"],
        &["run", "--dry-run", &drill],
        &["run", "--dry-run", "--json", &drill],
        &["run", "--dry-run", &campaign],
        &["run", "--dry-run", "--json", &campaign],
    ]
    .into_iter()
    .map(|words| words.iter().map(|&word| word.to_owned()).collect())
    .collect()
}

#[test]
fn an_output_that_cannot_be_written_is_told_and_is_no_success() {
    for words in prints() {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = muster().args(&words).stdout(full).output().unwrap();
        assert_eq!(code(&output), 4, "{words:?}: {}", said(&output));
        assert!(said(&output).contains("error: the output cannot be written: "), "{words:?}: {}", said(&output));
    }
}

#[test]
fn a_reader_that_has_gone_is_no_failure_and_nothing_is_said_of_it() {
    for words in prints() {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = muster().args(&words).stdout(writer).output().unwrap();
        assert_eq!((code(&output), said(&output)), (0, String::new()), "{words:?}");
    }
}
