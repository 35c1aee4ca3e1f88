//! `muster matrix`: real clients behind a real resolver, and what is told of them.

use serde_json::Value;

use crate::desk::{Desk, code, muster, said};

/// Runs a matrix of these clients behind one resolver. `muster matrix` itself runs it a second time, slower, when the
/// machine was too busy to tell.
fn matrix(desk: &Desk, more: &[&str]) -> (i32, Value) {
    let asked = ["matrix", "--quiet", "--json", "--resolvers", "dnsmasq", "--clients", "curl,go,python-recycling"];
    let output = muster().args(asked).args(more).arg("--out").arg(desk.out.path()).output().unwrap();
    let told = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&output)));
    (code(&output), told)
}

pub(crate) fn a_resolver_with_three_clients_is_measured_each_by_what_arrived_of_it() {
    let mut desk = Desk::new();
    let (mut ended, mut told) = matrix(&desk, &[]);
    if ended != 0 {
        eprintln!("once more, slower: {told:#}");
        desk = Desk::new();
        (ended, told) = matrix(&desk, &["--speed", crate::drill::SLOWER]);
    }
    assert_eq!(ended, 0, "{told:#}");
    let of_the_resolver = &told["resolvers"][0]["told"];
    assert_eq!(of_the_resolver["standing"], "agrees", "{told:#}");
    let clients = of_the_resolver["clients"].as_array().unwrap();
    let names: Vec<&Value> = clients.iter().map(|client| &client["client"]).collect();
    assert_eq!(names, ["curl", "go", "python-recycling"]);
    let [curl, go, python] = &clients[..] else { panic!("{told:#}") };
    for client in clients {
        assert_eq!(client["standing"], "agrees", "{client:#}");
        assert!(client["arrived"].as_u64().unwrap() > 5, "it was heard of: {client:#}");
    }
    // A pool that nothing breaks stays where it is (CLI-GO-2), and one that is recycled does not.
    assert!(go["moved"] == false && go["never_in"].as_f64().unwrap() > 60.0, "{go:#}");
    for client in [curl, python] {
        assert_eq!(client["moved"], true, "{client:#}");
        assert!(!client["total"]["measured"].is_null() && client["never_in"].is_null(), "{client:#}");
    }
}
