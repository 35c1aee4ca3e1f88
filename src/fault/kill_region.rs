//! A whole region is gone: everything in it refuses connections.

use super::{Anatomy, Entry, Fault, Harm, Part};

pub(super) const ENTRY: Entry = Entry {
    word: "kill-region",
    harm: Harm::Killed,
    needs: "a region, an LLM region with muster's own engine, or a telemetry gateway",
    fits: |anatomy| !matches!(anatomy, Anatomy::StaticSite | Anatomy::Llm { own_engine: false, .. }),
    parts,
    subject: |cell| format!("the region of {cell}"),
    breaks: |cell| format!("{cell} is killed whole: everything in it refuses; open connections break"),
    confirmed: |_| "every one of its ports refuses".to_owned(),
    undo: |cell| format!("start everything of {cell} again"),
};

fn parts(_: &Fault, anatomy: Anatomy) -> Vec<Part> {
    match anatomy {
        Anatomy::Region { targets, queue } => {
            let inside = (0..targets).map(Part::Target).chain([Part::Database]);
            let queue = if queue { vec![Part::Producer, Part::Worker] } else { Vec::new() };
            [Part::LoadBalancer].into_iter().chain(inside).chain(queue).collect()
        }
        Anatomy::Llm { prober, .. } => {
            let prober = if prober { vec![Part::Healthz, Part::Prober] } else { Vec::new() };
            [Part::LoadBalancer, Part::Engine].into_iter().chain(prober).collect()
        }
        Anatomy::TelemetryGateway | Anatomy::StaticSite => vec![Part::LoadBalancer],
    }
}
