//! Campaigns made by hand, for tests.

use std::path::Path;
use std::time::Duration;

use crate::journal::synthetic::{self, bounds, secs};
use crate::plan::{Bounds, Source};
use crate::report::figures::Figures;
use crate::timeline::measure::Span;
use crate::verdict::ExitCode;

use super::load::{LoadedCampaign, load};
use super::plan::CampaignPlan;
use super::summary::{CampaignSummary, DrillSummary};

/// The ready campaign.
pub(crate) fn quarterly() -> LoadedCampaign {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("drills/quarterly.yaml")).unwrap()
}

/// The plan of a campaign of two drills.
pub(crate) fn plan(control: bool) -> CampaignPlan {
    let named = |(name, seed): (&&str, u64)| {
        let mut plan = synthetic::passing().plan;
        (plan.drill, plan.seed, plan.control) = ((*name).to_owned(), seed, control);
        plan
    };
    CampaignPlan {
        campaign: "quarterly".to_owned(),
        title: "The quarterly exercise".to_owned(),
        seed: 7,
        control,
        at_once: 4,
        drills: NAMES[..2].iter().zip(7..).map(named).collect(),
    }
}

/// A drill that ended so, after 20 s, with the figures of a database that dies.
pub(crate) fn drill(name: &str, code: ExitCode) -> DrillSummary {
    let seen = matches!(code, ExitCode::Passed | ExitCode::Inconclusive);
    let measured = |least, most| seen.then_some(Span { least: secs(least), most: secs(most) });
    let bad = code != ExitCode::Passed;
    DrillSummary {
        drill: name.to_owned(),
        file: format!("drills/{name}.yaml"),
        outcome: code.outcome(),
        reason: bad.then(|| "this is why".to_owned()),
        exit_code: code,
        seed: 7,
        speed: 17.0,
        ground: seen.then(|| "namespace".to_owned()),
        folder: (code != ExitCode::CannotRun).then(|| format!("{name}-20260301T120000Z")),
        wall_seconds: Duration::from_secs(20),
        detection: Figures { predicted: bounds(15.0, 30.0), measured: measured(18.9, 20.2) },
        longest_total: Some(Figures { predicted: bounds(15.0, 120.0), measured: measured(43.9, 47.1) }),
        findings: 0,
        journal_chain: seen.then(|| "ab".repeat(32)),
        first_try: None,
    }
}

/// A client that may stay for ever.
pub(crate) fn stays() -> Figures {
    Figures { predicted: Bounds::unbounded(secs(15.0)), measured: None }
}

/// The names of the drills of [`summary`], in order.
pub(crate) const NAMES: [&str; 5] =
    ["database-down", "region-down", "both-regions-down", "everything-down", "chat-region-down"];

/// A campaign whose drills ended so.
pub(crate) fn summary(codes: &[ExitCode], control: bool, interrupted: Option<&str>) -> CampaignSummary {
    let drills = NAMES.into_iter().zip(codes).map(|(name, code)| drill(name, *code)).collect();
    let plan = plan(control);
    let source = Source { file: "drills/quarterly.yaml".to_owned(), sha256: "cd".repeat(32) };
    let started = "2026-03-01T12:00:00Z".to_owned();
    CampaignSummary::of(&plan, source, started, Duration::from_secs(41), interrupted, drills)
}
