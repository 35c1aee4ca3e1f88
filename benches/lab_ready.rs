//! How long a lab of the twelve-record tree takes until every node serves, on each ground that this machine allows.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use muster::drill::{LoadedDrill, PlanOptions, load};
use muster::ground::{GroundKind, prepare_process};
use muster::journal::event::{Event, Stamped};
use muster::lab::{Lab, Next, embedded};

fn main() {
    // First of all: it needs a process of one thread.
    let allowed = prepare_process(None).map_or(GroundKind::Loopback, |ground| ground.kind);
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    let drill = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("drills/database-down.yaml"))
        .unwrap_or_else(|errors| panic!("{errors}"));
    let mut group = criterion.benchmark_group("lab_ready");
    for ground in [GroundKind::Namespace, GroundKind::Loopback] {
        if ground == GroundKind::Namespace && allowed != ground {
            eprintln!("left out: {ground} is not allowed here");
            continue;
        }
        group.bench_function(BenchmarkId::from_parameter(ground), |bencher| {
            bencher.iter_custom(|times| (0..times).map(|_| ready_after(&drill, ground)).sum());
        });
    }
    group.finish();
    criterion.final_summary();
}

/// What the lab itself says, from the start on its own thread until every node serves.
fn ready_after(drill: &LoadedDrill, ground: GroundKind) -> Duration {
    let plan = drill.plan(PlanOptions { seed: 1, speed: None, control: false, ..PlanOptions::default() });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.unwrap_or_else(|error| panic!("{error}"));
    runtime.block_on(async {
        let lab = embedded::start(plan, Arc::new(drill.zone.clone()), ground, None);
        let mut lab = lab.unwrap_or_else(|error| panic!("{error}"));
        let took = loop {
            match lab.next(None).await {
                Next::Event(Stamped { event: Event::LabReady { took, .. }, .. }) => break took,
                Next::Event(Stamped { event: Event::LabBroke { reason }, .. }) => panic!("{reason}"),
                Next::Event(_) => {}
                Next::Ended | Next::TimeIsUp => panic!("the lab ended by itself"),
            }
        };
        lab.stop().await;
        took
    })
}
