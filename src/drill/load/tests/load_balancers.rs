//! What a drill may say of the programs that its load balancers are.

use super::*;
use crate::drill::PlanOptions;
use crate::plan::{LoadBalancerSoftware, Plan};

const REGION: &str = "region: {}";
const FAULT: &str = "fault: { kill-database: east }";
const HAPROXY: (&str, &str) = (REGION, "region: { load-balancer: haproxy }");

#[test]
fn a_region_names_the_program_that_its_load_balancer_is() {
    let load = |drill: &str| load_texts(drill, ZONE).unwrap().plan(PlanOptions::default());
    let plan = load(&DRILL.replacen(HAPROXY.0, HAPROXY.1, 1));
    assert_eq!(plan.cells["east"].kind.load_balancer_software(), Some(LoadBalancerSoftware::Haproxy));
    assert!(plan.needs_docker().unwrap().starts_with("the load balancer of east is haproxy"));
    let journal = serde_json::to_string(&plan).unwrap();
    assert_eq!(serde_json::from_str::<Plan>(&journal).unwrap(), plan);
    let own = load(DRILL);
    assert_eq!((own.cells["east"].kind.load_balancer_software(), own.needs_docker()), (None, None));
}

#[test]
fn what_haproxy_is_not_and_cannot_do_is_refused() {
    let all: [&[(&str, &str)]; 6] = [
        &[(REGION, "region: { load-balancer: haproxxy }")],
        &[(REGION, "region: { load-balancr: haproxy }")],
        &[(REGION, "region: { load-balancer: haproxy, zones: [east-a, east-b] }")],
        &[HAPROXY, (FAULT, "fault: { lock-out-checkers: east }")],
        &[HAPROXY, (FAULT, "faults: [{ lock-out-checkers: page }, { lock-out-checkers: east }]")],
        &[HAPROXY, (FAULT, "health-checks: { HC-1: { cell: east, https: / } }\nfault: { kill-database: east }")],
    ];
    let told = |changes: &[(&str, &str)]| {
        let (_, new) = changes.last().unwrap();
        format!("{}\n  {}\n", new.replace('\n', " "), mistakes(changes).replace('\n', "\n  "))
    };
    insta::assert_snapshot!(all.map(told).concat());
}
