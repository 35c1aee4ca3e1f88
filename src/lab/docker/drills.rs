//! The drills of the folder, planned for the Docker lab: what its tests lay out.

use std::path::{Path, PathBuf};

use crate::clock::Speed;
use crate::drill::{PlanOptions, load};
use crate::plan::{Plan, WireTtl};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("drills")
}

/// A drill at five lab seconds per wall second.
pub(super) fn plan(drill: &str) -> Plan {
    let speed = Some(Speed::new(5.0).unwrap());
    let options = PlanOptions { seed: 1, speed, wire: WireTtl::WallSeconds, ..PlanOptions::default() };
    load(&folder().join(format!("{drill}.yaml"))).unwrap().plan(options)
}

/// Every drill that there is.
pub(super) fn every() -> Vec<Plan> {
    let files = folder().read_dir().unwrap().map(|entry| entry.unwrap().path());
    let drills = files.filter(|file| std::fs::read_to_string(file).is_ok_and(|text| text.contains("\ndrill:")));
    let plans: Vec<Plan> = drills.map(|file| plan(&file.file_stem().unwrap().to_string_lossy())).collect();
    assert!(plans.len() > 20, "{} drills", plans.len());
    plans
}
