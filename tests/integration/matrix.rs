//! What `muster matrix` says before anything runs.

use crate::desk::{Desk, code, drill_file, muster, said};

#[test]
fn a_dry_run_plans_each_resolver_with_every_client_and_starts_nothing() {
    let desk = Desk::new();
    let reports = desk.out.path().join("reports");
    let asked = ["matrix", "--dry-run", "--json", "--seed", "7", "--resolvers", "bind,dnsmasq", "--clients", "curl,go"];
    let output = muster().args(asked).arg("--out").arg(&reports).output().unwrap();
    assert_eq!(code(&output), 0, "{}", said(&output));
    let plans: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |key: &str| -> Vec<String> {
        let plans = plans.as_array().unwrap().iter();
        plans.map(|plan| plan[key].as_str().map_or_else(|| plan[key].to_string(), str::to_owned)).collect()
    };
    assert_eq!(of("drill"), ["matrix-bind", "matrix-dnsmasq"]);
    assert_eq!(of("seed"), ["7", "8"]);
    for plan in plans.as_array().unwrap() {
        let clients: Vec<&String> = plan["clients"].as_object().unwrap().keys().collect();
        assert_eq!(clients, ["curl", "go"]);
        assert_eq!(plan["wire"], "wall-seconds");
    }
    assert!(!reports.exists(), "something was started");
}

#[test]
fn a_drill_of_ones_own_lends_its_zone_its_cells_and_its_fault() {
    let asked = ["matrix", "--dry-run", "--resolvers", "unbound", "--clients", "curl,go", "--drill"];
    let output = muster().args(asked).arg(drill_file("region-down")).output().unwrap();
    assert_eq!(code(&output), 0, "{}", said(&output));
    // A region that is gone breaks connections: then Go dials, and looks up.
    assert!(!said(&output).contains("never"), "{}", said(&output));
}

#[test]
fn what_is_no_matrix_is_refused_with_what_to_do() {
    let (held, zone) = (drill_file("routing-control-waits"), drill_file("zone-down"));
    let (held, zone) = (held.display().to_string(), zone.display().to_string());
    for (asked, told) in [
        (["--resolvers", "bnd"], "bind"),
        (["--clients", "firefox"], "python-recycling"),
        (["--speed", "0.5"], "expected at least 1"),
        (["--drill", "no/such.yaml"], "no/such.yaml"),
        (["--drill", held.as_str()], "is predicted to move"),
        (["--drill", zone.as_str()], "expected one cell"),
    ] {
        let output = muster().args(["matrix", "--dry-run"]).args(asked).output().unwrap();
        assert_eq!(code(&output), 2, "{asked:?}: {}", said(&output));
        assert!(said(&output).contains(told), "{asked:?}: {}", said(&output));
    }
}
