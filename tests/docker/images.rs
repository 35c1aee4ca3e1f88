//! Images are built once.

use crate::desk::{code, muster, said};

pub(crate) fn an_image_that_is_as_it_should_be_is_not_built_again() {
    let build = |args: &[&str]| {
        let output = muster().args(["images", "build", "dnsmasq"]).args(args).output().unwrap();
        assert_eq!(code(&output), 0, "{}", said(&output));
        said(&output)
    };
    let first = build(&["--again"]);
    assert!(first.contains("dnsmasq: built in"), "{first}");
    let second = build(&[]);
    assert!(second.contains("up to date, nothing to do") && !second.contains("building"), "{second}");
    let listed = said(&muster().args(["images", "list", "--json"]).output().unwrap());
    let listed: Vec<serde_json::Value> = serde_json::from_str(&listed).unwrap();
    let dnsmasq = listed.iter().find(|entry| entry["image"] == "dnsmasq").unwrap();
    assert_eq!(dnsmasq["state"], "up-to-date");
    assert!(second.contains(dnsmasq["tag"].as_str().unwrap()), "{second}");
}
