//! `muster import`, and drills on what it made.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use crate::desk::{Desk, code, drill_file, muster, said};

fn case(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(file)
}

fn import(args: &[&str], input: &[u8]) -> Output {
    let mut child = muster()
        .arg("import")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Whoever refuses the arguments reads no input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

#[test]
fn standard_input_becomes_yaml_on_standard_output_and_that_is_read_again() {
    let plan = std::fs::read(case("26-tf-plan-module-index.json")).unwrap();
    let before = import(&["-", "--state", "before"], &plan);
    assert_eq!(code(&before), 0, "{}", said(&before));
    let text = String::from_utf8(before.stdout).unwrap();
    assert!(text.starts_with("# made by `muster import` from - (terraform)\nzone: example.com.\n"), "{text}");
    let again = import(&["-", "--format", "muster"], text.as_bytes());
    let without_comments =
        |text: &str| text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    assert_eq!(without_comments(&String::from_utf8(again.stdout).unwrap()), without_comments(&text));
}

#[test]
fn what_cannot_be_imported_is_told_with_its_line_and_nothing_is_written() {
    let desk = Desk::new();
    let out = desk.out.path().join("zone.yaml");
    let out_text = out.display().to_string();
    for (input, told) in [
        (&b"{\"ResourceRecordSets\": [\n  {\"Name\": \"a.example.com\", \"Type\": \"AAAB\"}]}"[..], "-:2:37"),
        (b"{\"ResourceRecordSets\": [}", "not readable as JSON"),
        (b"hello: there", "of no format that is known"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"", "it is empty"),
    ] {
        let output = import(&["-", "--out", &out_text], input);
        assert_eq!(code(&output), 2, "{told}: {}", said(&output));
        assert!(said(&output).contains(told), "{told}: {}", said(&output));
        assert!(!out.exists(), "{told}");
    }
    let output = import(&["-", "--format", "terraforn"], b"");
    assert_eq!(code(&output), 2);
    assert!(said(&output).contains("did you mean `terraform`?"), "{}", said(&output));
}

#[test]
fn a_drill_runs_on_the_yaml_as_on_what_it_was_made_from() {
    let desk = Desk::new();
    let zone = Path::new(env!("CARGO_MANIFEST_DIR")).join("drills/zones/multi-region-api.route53.json");
    let yaml = desk.out.path().join("zone.yaml");
    let output = muster().arg("import").arg(zone).arg("--out").arg(&yaml).output().unwrap();
    assert_eq!(code(&output), 0, "{}", said(&output));
    let text = std::fs::read_to_string(drill_file("database-down")).unwrap();
    let written = text.lines().find(|line| line.starts_with("zone:")).unwrap();
    let drill = desk.out.path().join("drill.yaml");
    std::fs::write(&drill, text.replace(written, "zone: zone.yaml")).unwrap();
    let run = |drill: &Path| {
        let output = muster().arg("run").arg(drill).args(["--dry-run", "--seed", "7"]).output().unwrap();
        assert_eq!(code(&output), 0, "{}", said(&output));
        // The files that it was read from have other names.
        let page = String::from_utf8(output.stdout).unwrap();
        page.lines().filter(|line| !line.contains("zone")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(run(&drill), run(&drill_file("database-down")));
}
