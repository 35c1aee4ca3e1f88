//! `muster conform` as a person runs it: against real servers, interrupted, and with reports.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use muster::authoritative::{AuthoritativeSettings, CellNames, LocationMap};
use muster::clock::LabTime;
use muster::decide::Switches;
use muster::gherkin::lab::Board;
use muster::ground::{Ground, GroundKind};
use muster::node::{Answering, DNS_PORT, DnsServer, Transport};
use muster::subject::mutants::find;
use muster::subject::{Deviation, Reference, Subject};
use muster::zone::route53_json;
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::LocalSet;

use crate::desk::{code, muster, said};

const ZONE: &str = r#"{"ResourceRecordSets": [
  {"Name": "example.com.", "Type": "SOA", "TTL": 900,
   "ResourceRecords": [{"Value": "ns1.example.com. host.example.com. 1 7200 900 1209600 86400"}]},
  {"Name": "example.com.", "Type": "NS", "TTL": 3600, "ResourceRecords": [{"Value": "ns1.example.com."}]},
  {"Name": "ns1.example.com.", "Type": "A", "TTL": 3600, "ResourceRecords": [{"Value": "192.0.2.53"}]},
  {"Name": "www.example.com.", "Type": "A", "TTL": 60,
   "ResourceRecords": [{"Value": "192.0.2.1"}, {"Value": "192.0.2.2"}]},
  {"Name": "shop.example.com.", "Type": "CNAME", "TTL": 60, "ResourceRecords": [{"Value": "www.example.com."}]},
  {"Name": "split.example.com.", "Type": "A", "TTL": 60, "SetIdentifier": "a", "Weight": 10,
   "ResourceRecords": [{"Value": "192.0.2.11"}]},
  {"Name": "split.example.com.", "Type": "A", "TTL": 60, "SetIdentifier": "b", "Weight": 30,
   "ResourceRecords": [{"Value": "192.0.2.12"}]}
]}"#;

const FEATURE: &str = r#"Feature: My zone
  Background:
    Given the zone under test

  Scenario: A name with two values
    When a client asks for A "www"
    Then the answer is 192.0.2.1, 192.0.2.2

  Scenario: A CNAME record
    When a client asks for A "shop"
    Then the answer section holds the CNAME "www.example.com."

  Scenario: A name that is not there
    When a client asks for A "nowhere"
    Then the response is NXDOMAIN

  Scenario: A type that is not there
    When a client asks for MX "www"
    Then the response is NODATA

  Scenario: Shares
    When many clients ask for A "split"
    Then the answers are shared:
      | answer | share |
      | a      | 10    |
      | b      | 30    |

  Scenario: What only its inside tells
    Given the switch "query-relative child health" is off
    When a client asks for A "www"
    Then the answer is 192.0.2.1, 192.0.2.2
"#;

/// A folder with a feature and its zone.
struct Suite(TempDir);

impl Suite {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("my.feature"), FEATURE).unwrap();
        std::fs::write(folder.path().join("zone.json"), ZONE).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, more: &[&str]) -> Output {
        muster().current_dir(self.0.path()).args(["conform", "my.feature"]).args(more).output().unwrap()
    }

    fn against(&self, server: SocketAddr, more: &[&str]) -> Output {
        let subject = server.to_string();
        self.run(&[&["--zone", "zone.json", "--subject", &subject], more].concat())
    }
}

/// A server of the zone on sockets of this machine, on a thread of its own.
struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    fn start(deviation: &'static dyn Deviation) -> Self {
        let ((ready, started), (stop, stopped)) = (mpsc::channel(), oneshot::channel());
        let serve = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            LocalSet::new().block_on(&runtime, async {
                let lab: IpAddr = Ipv4Addr::new(198, 18, 0, 1).into();
                let ground = Ground::open(GroundKind::Loopback, &[lab]).await.unwrap();
                let serving = Rc::new(Serving(RefCell::new(subject(deviation))));
                let server = DnsServer::start(&ground, &[lab], serving).await.unwrap();
                ready.send(ground.here(SocketAddr::new(lab, DNS_PORT)).unwrap()).unwrap();
                let _ = stopped.await;
                server.stop().await;
            });
        };
        let thread = std::thread::spawn(serve);
        Self { address: started.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        let _ = self.thread.take().map(std::thread::JoinHandle::join);
    }
}

fn subject(deviation: &'static dyn Deviation) -> Subject {
    let zone = route53_json::read(Path::new("zone.json"), ZONE, None).unwrap();
    let settings = AuthoritativeSettings {
        zone: Arc::new(zone),
        resources: BTreeMap::new(),
        name_servers: Vec::new(),
        locations: LocationMap::new(Vec::new()),
        cells: CellNames::default(),
        switches: Switches::default(),
        seed: 1,
    };
    Subject::new(settings, Board::default(), deviation).unwrap()
}

struct Serving(RefCell<Subject>);

impl Answering for Serving {
    async fn answer(&self, query: Vec<u8>, from: IpAddr, transport: Transport) -> Option<Vec<u8>> {
        Some(self.0.borrow_mut().ask(&query, from, transport, LabTime::START)?.bytes)
    }
}

#[test]
fn a_server_that_decides_by_the_rules_passes_and_what_its_inside_tells_is_listed() {
    let (suite, server) = (Suite::new(), Server::start(&Reference));
    let output = suite.against(server.address, &["--junit", "out.xml"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
    let page = said(&output);
    assert!(page.contains("5 passed, 1 not applicable"), "{page}");
    assert!(page.contains("not applicable: my.feature:28: What only its inside tells"), "{page}");
    let junit = std::fs::read_to_string(suite.path("out.xml")).unwrap();
    assert!(junit.contains("skipped=\"1\"") && junit.contains("type=\"not applicable\""), "{junit}");
}

#[test]
fn a_server_that_decides_wrongly_is_found_by_the_scenario_of_what_it_does_wrong() {
    for (mutant, scenario) in [
        ("nodata-where-nxdomain", "failed: A name that is not there"),
        ("nxdomain-where-nodata", "failed: A type that is not there"),
        ("simple-record-one-value", "failed: A name with two values"),
        ("cname-answers-only-cname", "failed: A CNAME record"),
        ("weights-by-record", "failed: Shares"),
    ] {
        let (suite, server) = (Suite::new(), Server::start(find(mutant).unwrap().deviation));
        let output = suite.against(server.address, &[]);
        assert_eq!(code(&output), 1, "{mutant}: {}", said(&output));
        assert!(said(&output).contains(scenario), "{mutant}: {}", said(&output));
        assert!(said(&output).contains("4 passed, 1 failed, 1 not applicable"), "{mutant}: {}", said(&output));
    }
}

#[test]
fn a_server_that_is_silent_or_not_there_ends_the_run_as_the_labs_trouble() {
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let gone = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (address, came) in [(silent.local_addr().unwrap(), "nothing came"), (gone, "nothing listens there")] {
        let suite = Suite::new();
        let started = Instant::now();
        let output = suite.against(address, &["--junit", "out.xml"]);
        assert!(started.elapsed() < Duration::from_secs(25), "{:?}", started.elapsed());
        assert_eq!(code(&output), 4, "{}", said(&output));
        for part in ["asked SOA example.com. over UDP", came, "The run ends here. Next: ", "not reached"] {
            assert!(said(&output).contains(part), "{part}: {}", said(&output));
        }
        let junit = std::fs::read_to_string(suite.path("out.xml")).unwrap();
        assert!(junit.contains("not run: the subject does not answer"), "{junit}");
    }
}

#[test]
fn a_zone_that_no_selected_scenario_speaks_of_is_refused() {
    let suite = Suite::new();
    std::fs::write(
        suite.path("my.feature"),
        "Feature: f\n  Scenario: s\n    Given the zone \"example.com\" with the record sets:\n      | name |\n      | www  |\n    \
         When a client asks for MX \"www\"\n    Then the response is NODATA\n",
    )
    .unwrap();
    let output = suite.run(&["--zone", "zone.json"]);
    assert_eq!(code(&output), 2, "{}", said(&output));
    assert!(said(&output).contains("--zone zone.json: no scenario that is selected speaks of it"), "{}", said(&output));
    assert_eq!(code(&suite.run(&[])), 0);
}

#[test]
fn a_report_that_would_take_an_input_with_it_is_refused_before_anything_runs() {
    let suite = Suite::new();
    let zone = ["--zone", "zone.json"];
    for (more, told) in [
        (&["--junit", "my.feature"][..], "this would overwrite my.feature"),
        (&["--cucumber-json", "./zone.json"], "this would overwrite zone.json"),
        (&["--junit", "out", "--cucumber-json", "./out"], "--junit writes there too"),
        (&["--junit", "none/out.xml"], "there is no folder none"),
    ] {
        let output = suite.run(&[&zone[..], more].concat());
        assert_eq!(code(&output), 2, "{more:?}: {}", said(&output));
        assert!(said(&output).contains(told), "{more:?}: {}", said(&output));
    }
    assert_eq!(std::fs::read_to_string(suite.path("my.feature")).unwrap(), FEATURE);
    assert_eq!(std::fs::read_to_string(suite.path("zone.json")).unwrap(), ZONE);
    assert!(!suite.path("out").exists());
}

#[test]
fn a_report_that_cannot_be_written_leaves_the_page_and_is_no_success() {
    let suite = Suite::new();
    let output = suite.run(&["--zone", "zone.json", "--junit", "/dev/full"]);
    assert_eq!(code(&output), 4, "{}", said(&output));
    assert!(said(&output).contains("6 passed") && said(&output).contains("--junit /dev/full: "), "{}", said(&output));
    // A failure stays one: that is what the table of exit codes says.
    let wrong = FEATURE.replace("answer section holds the CNAME \"www", "answer section holds the CNAME \"w");
    std::fs::write(suite.path("my.feature"), wrong).unwrap();
    assert_eq!(code(&suite.run(&["--zone", "zone.json", "--junit", "/dev/full"])), 1);
}

#[test]
fn a_report_that_does_not_fit_leaves_the_one_before() {
    let suite = Suite::new();
    std::fs::write(suite.path("out.xml"), "the one before").unwrap();
    // No file may grow beyond a block, and the report does; who ignores the signal is told as by a full disk.
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" conform my.feature --zone zone.json --junit out.xml";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_muster")]).current_dir(suite.0.path());
    let output = command.output().unwrap();
    assert_eq!(code(&output), 4, "{}", said(&output));
    assert!(said(&output).contains("--junit out.xml: the report cannot be written"), "{}", said(&output));
    assert_eq!(std::fs::read_to_string(suite.path("out.xml")).unwrap(), "the one before");
    assert_eq!(suite.0.path().read_dir().unwrap().count(), 3, "nothing is left beside it");
}

#[test]
fn the_zone_of_a_drill_is_not_overwritten_by_a_report() {
    let suite = Suite::new();
    let drill = "drill: d\nzone: zone.json\n";
    std::fs::write(suite.path("d.yaml"), drill).unwrap();
    std::fs::write(
        suite.path("my.feature"),
        "Feature: f\n  Scenario: s\n    When the drill \"d.yaml\" runs\n    Then the drill passes\n",
    )
    .unwrap();
    let output = suite.run(&["--junit", "zone.json"]);
    assert_eq!(code(&output), 2, "{}", said(&output));
    assert!(
        said(&output).contains("this would overwrite ") && said(&output).contains("zone.json"),
        "{}",
        said(&output)
    );
    assert_eq!(std::fs::read_to_string(suite.path("zone.json")).unwrap(), ZONE);
}

/// So many scenarios take seconds.
fn long_feature() -> String {
    let mut text = FEATURE.lines().take(3).collect::<Vec<_>>().join("\n") + "\n";
    for _ in 0..1000 {
        text += "\n  Scenario: Shares\n    When many clients ask for A \"split\"\n    Then the answers are shared:\n      \
                 | answer | share |\n      | a      | 10    |\n      | b      | 30    |\n";
    }
    text
}

#[test]
fn an_interrupted_run_says_what_was_done_and_what_was_not() {
    for signal in ["INT", "TERM"] {
        let suite = Suite::new();
        std::fs::write(suite.path("my.feature"), long_feature()).unwrap();
        let mut command = muster();
        command.current_dir(suite.0.path()).args([
            "conform",
            "my.feature",
            "--zone",
            "zone.json",
            "--junit",
            "out.xml",
        ]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Signals are caught before the first scenario; sooner the run would die of one.
        let caught = format!("/proc/{}/status", child.id());
        let bound = Instant::now() + Duration::from_secs(60);
        while !catches(&caught, signal) {
            let goes_on = Instant::now() < bound && child.try_wait().unwrap().is_none();
            assert!(goes_on, "the run never catches SIG{signal}");
            std::thread::yield_now();
        }
        let sent = std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(code(&output), 130, "{}", said(&output));
        let page = said(&output);
        assert!(page.contains(&format!("the run ended before its time: it was interrupted by SIG{signal}")), "{page}");
        assert!(page.contains("not reached"), "{page}");
        let junit = std::fs::read_to_string(suite.path("out.xml")).unwrap();
        assert!(junit.contains(&format!("not run: it was interrupted by SIG{signal}")), "{signal}");
        assert!(junit.contains("<error type=\"interrupted\""), "{signal}");
        assert_eq!(junit.matches("<testcase ").count(), 1001, "every scenario, and the run");
    }
}

/// Whether a process has a handler for a signal, as Linux tells it.
fn catches(status: &str, signal: &str) -> bool {
    let number = if signal == "INT" { 2 } else { 15 };
    let text = std::fs::read_to_string(status).unwrap_or_default();
    let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    mask & (1 << (number - 1)) != 0
}
