//! The images of the Docker lab: what is said where there is no engine, an old one, or one that fails.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};

use crate::desk::{Desk, code, muster, said};

/// An engine that answers as it is told: a path's beginning or end, a status, a body.
struct FakeEngine {
    host: String,
}

impl FakeEngine {
    fn new(answers: &'static [(&'static str, u16, &'static str)]) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let host = format!("tcp://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                serve(&connection.unwrap(), answers);
            }
        });
        Self { host }
    }

    fn muster(&self, args: &[&str]) -> Output {
        muster().args(args).env("DOCKER_HOST", &self.host).output().unwrap()
    }
}

/// Answers one request and closes.
fn serve(connection: &TcpStream, answers: &[(&str, u16, &str)]) {
    let mut reader = BufReader::new(connection);
    let (mut request, mut length) = (String::new(), 0);
    reader.read_line(&mut request).unwrap();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap() == 0 || line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    std::io::copy(&mut reader.take(length), &mut std::io::sink()).unwrap();
    let answer = answers.iter().find(|(path, ..)| request.contains(path));
    let (_, status, body) = answer.unwrap_or(&("", 404, r#"{"message":"no such image"}"#));
    let head = format!("HTTP/1.1 {status} told\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
    let mut connection = connection;
    connection.write_all((head + body).as_bytes()).unwrap();
}

const VERSION: (&str, u16, &str) = ("/version", 200, r#"{"Version":"20.10.24","ApiVersion":"1.41"}"#);
const NO_IMAGES: (&str, u16, &str) = ("/images/json", 200, "[]");
const DEBIAN: (&str, u16, &str) = ("/images/debian:bookworm-slim/json", 200, r#"{"Id":"sha256:d"}"#);
const PRUNED: (&str, u16, &str) = ("/images/prune", 200, r#"{"ImagesDeleted":null,"SpaceReclaimed":0}"#);

#[test]
fn without_an_engine_it_is_said_where_one_was_looked_for() {
    for what in [&["images", "list"][..], &["images", "build", "dnsmasq"], &["images", "remove"]] {
        let output = muster().args(what).env("DOCKER_HOST", "unix:///no/such.sock").output().unwrap();
        assert_eq!(code(&output), 4, "{what:?}: {}", said(&output));
        let said = said(&output);
        assert!(said.contains("no Docker engine answers at unix:///no/such.sock"), "{said}");
        assert!(said.contains("DOCKER_HOST"), "{said}");
    }
}

#[test]
fn a_drill_in_containers_without_an_engine_ends_with_4_and_says_where_one_was_looked_for() {
    // A port that nobody has: it was just given back.
    let nowhere = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let cases = [
        (format!("tcp://{nowhere}"), format!("no Docker engine answers at tcp://{nowhere}")),
        ("ssh://me@engine.example.com".to_owned(), "DOCKER_HOST is ssh://me@engine.example.com".to_owned()),
    ];
    for (host, told) in cases {
        let desk = Desk::new();
        let output = desk.command("database-down", &["--lab", "docker"]).env("DOCKER_HOST", &host).output().unwrap();
        assert_eq!(code(&output), 4, "{}", said(&output));
        let words = said(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(&told) && words.contains("tcp://"), "{words}");
        assert!(desk.folders().is_empty(), "{:?}", desk.folders());
    }
}

#[test]
fn an_old_engine_is_refused_with_its_version() {
    let engine = FakeEngine::new(&[("/version", 200, r#"{"Version":"19.03.15","ApiVersion":"1.40"}"#)]);
    let output = engine.muster(&["images", "list"]);
    assert_eq!(code(&output), 4, "{}", said(&output));
    assert!(said(&output).contains("is 19.03.15, with API 1.40; expected API 1.41 or later"), "{}", said(&output));
}

#[test]
fn a_build_that_fails_is_told_with_the_last_lines_of_its_log() {
    const FAILED: (&str, u16, &str) = (
        "/build?",
        200,
        concat!(
            r#"{"stream":"Step 1/4 : FROM sha256:d\n"}"#,
            "\n",
            r#"{"stream":"E: Unable to locate package nosuch\n"}"#,
            "\n",
            r#"{"errorDetail":{"code":100,"message":"The command returned a non-zero code: 100"},"error":"x"}"#,
            "\n"
        ),
    );
    let output = FakeEngine::new(&[VERSION, NO_IMAGES, DEBIAN, PRUNED, FAILED]).muster(&["images", "build", "dnsmasq"]);
    assert_eq!(code(&output), 4, "{}", said(&output));
    let said = said(&output);
    assert!(said.contains("base cannot be built: The command returned a non-zero code: 100"), "{said}");
    assert!(said.contains("| E: Unable to locate package nosuch"), "{said}");
    assert!(!said.contains("dnsmasq: building"), "what stands on it was not given up: {said}");
}

#[test]
fn a_full_disk_is_told_with_what_makes_room() {
    const FULL: (&str, u16, &str) = (
        "/build?",
        200,
        concat!(r#"{"errorDetail":{"message":"write /x: no space left on device"},"error":"x"}"#, "\n"),
    );
    let output = FakeEngine::new(&[VERSION, NO_IMAGES, DEBIAN, PRUNED, FULL]).muster(&["images", "build", "base"]);
    assert_eq!(code(&output), 4, "{}", said(&output));
    assert!(said(&output).contains("there is no space left"), "{}", said(&output));
    assert!(said(&output).contains("muster images remove --old"), "{}", said(&output));
}

#[test]
fn an_image_that_there_is_not_is_refused_with_the_nearest_name() {
    let output = muster().args(["images", "build", "unbund"]).output().unwrap();
    assert_eq!(code(&output), 2);
    assert!(said(&output).contains("'unbound'"), "{}", said(&output));
}

/// The line that an entry script ends with, having been given these settings; and its exit code.
fn settings(read: &str, given: &[(&str, &str)]) -> (String, i32) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("docker/base/settings.sh");
    let output = Command::new("sh")
        .arg("-euc")
        .arg(format!(". {}; {read}", script.display()))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs(given.iter().copied())
        .output()
        .unwrap();
    (said(&output), code(&output))
}

#[test]
fn a_container_refuses_a_setting_that_is_missing_or_malformed() {
    let zone = [("MUSTER_ZONE", "example.test"), ("MUSTER_AUTHORITY", "192.0.2.1")];
    let shown = r#"zone_settings; echo "$MUSTER_AUTHORITY_PORT $MUSTER_TTL_FLOOR.""#;
    assert_eq!(settings(shown, &zone), ("53 .\n".to_owned(), 0));
    assert_eq!(settings(shown, &[&zone[..], &[("MUSTER_TTL_FLOOR", "60")]].concat()), ("53 60.\n".to_owned(), 0));
    let (said, code) = settings(shown, &zone[..1]);
    assert_eq!((said.trim(), code), (MISSING, 2));
    for (name, value) in [
        ("MUSTER_TTL_FLOOR", "60s"),
        ("MUSTER_TTL_FLOOR", "60\n60; include: /etc/passwd"),
        ("MUSTER_TTL_FLOOR", "60\n"),
        ("MUSTER_SERVE_STALE", "0"),
        ("MUSTER_AUTHORITY_PORT", "$(id)"),
    ] {
        let (said, code) = settings(shown, &[&zone[..], &[(name, value)]].concat());
        assert!(code == 2 && said.contains(&format!("{name}={value}; expected")), "{code}: {said}");
    }
    let (said, code) = settings("lacks MUSTER_X 'there is none'", &[("MUSTER_X", "1")]);
    assert!(code == 2 && said.contains("MUSTER_X=1 cannot be had: there is none"), "{code}: {said}");
}

const MISSING: &str = "muster: MUSTER_AUTHORITY is not set; expected the address of its authoritative server";
