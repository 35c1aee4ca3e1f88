//! Whole drills: what is predicted of them, what is seen, and how they are judged.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::drill::{PlanOptions, load};
use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::parameters;
use crate::gherkin::table::Row;
use crate::gherkin::{Call, Explanation, World};
use crate::journal::event::Stamped;
use crate::lab::rehearse;
use crate::plan::expectation::Leg;
use crate::plan::{Bounds, LegPrediction, Plan};
use crate::timeline::measure::{Fit, Measurement, measure, planned};
use crate::verdict::{Outcome, Verdict, judge};

pub(super) const THEME: Theme = Theme {
    name: "drills",
    about: "whole drills, in the virtual lab: what is predicted, what is seen, how it is judged",
    entries: &[
        step!(When "the drill {string} runs", Drill, drill_runs, r#"When the drill "../drills/database-down.yaml" runs"#),
        step!(When "the control of the drill {string} runs", Drill, control_runs,
            r#"When the control of the drill "../drills/database-down.yaml" runs"#),
        step!(Then "the drill passes", Drill, passes, "Then the drill passes"),
        step!(Then "the drill fails", Drill, fails, "Then the drill fails"),
        step!(Then "the failover is predicted as:", Drill, failover_is_predicted,
            "Then the failover is predicted as:\n  | stage     | of  | best | worst |\n  | detection |     | 15 s | 30 s  |\n  | total     | web | 15 s | 90 s  |"),
        step!(Then "the failback is predicted as:", Drill, failback_is_predicted,
            "Then the failback is predicted as:\n  | stage     | of | best | worst |\n  | detection |    | 60 s | 75 s  |"),
        step!(Then "every stage was measured inside its prediction", Drill, all_inside,
            "Then every stage was measured inside its prediction"),
    ],
};

fn drill_runs(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    run(world, call, false)
}

fn control_runs(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    run(world, call, true)
}

fn run(world: &mut World, call: &Call<'_>, control: bool) -> Result<(), Explanation> {
    let folder = call.file().file.parent().map(Path::to_path_buf).unwrap_or_default();
    let drill = load(&folder.join(call.word(0))).map_err(|errors| call.refuse(errors.to_string()))?;
    let plan = drill.plan(PlanOptions { seed: world.setting()?.seed, speed: None, control });
    let zone = Arc::new(drill.zone);
    // Scenarios are run by an executor of their own, which a lab's must not stand inside of.
    let run = std::thread::scope(|scope| scope.spawn(|| rehearse(plan, zone)).join());
    let events = run.map_err(|_| Explanation::lab_broke("the virtual lab panicked; this is a defect of muster"))?;
    world.drill = Some(events.map_err(|error| Explanation::lab_broke(format!("no runtime for the lab: {error}")))?);
    Ok(())
}

fn events<'w>(world: &'w World, call: &Call<'_>) -> Result<&'w [Stamped], Explanation> {
    world.drill.as_deref().ok_or_else(|| call.refuse("no drill was run; expected `When the drill \"…\" runs` before"))
}

fn plan<'w>(world: &'w World, call: &Call<'_>) -> Result<&'w Plan, Explanation> {
    planned(events(world, call)?).map_err(|error| Explanation::lab_broke(error.to_string()))
}

fn verdict(world: &World, call: &Call<'_>) -> Result<Verdict, Explanation> {
    judge(events(world, call)?).map_err(|error| Explanation::lab_broke(error.to_string()))
}

fn passes(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    is_judged(&verdict(world, call)?, Outcome::Passed)
}

fn fails(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    is_judged(&verdict(world, call)?, Outcome::Failed)
}

fn is_judged(verdict: &Verdict, expected: Outcome) -> Result<(), Explanation> {
    if verdict.outcome == expected {
        return Ok(());
    }
    Err(Explanation::wrong(format!("expected the verdict {expected:?}, it is {:?}:\n{verdict:#?}", verdict.outcome)))
}

fn failover_is_predicted(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    is_predicted(&plan(world, call)?.prediction.failover, call)
}

fn failback_is_predicted(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    is_predicted(&plan(world, call)?.prediction.failback, call)
}

fn is_predicted(leg: &LegPrediction, call: &Call<'_>) -> Result<(), Explanation> {
    for row in call.rows(&["stage", "of", "best", "worst"], &["stage", "best", "worst"])?.iter() {
        let expected =
            Bounds { best: row.need_as("best", parameters::duration)?, worst: row.need_as("worst", at_worst)? };
        let (stage, of) = (row.need("stage")?, row.get("of").unwrap_or_default());
        let found = of_stage(leg, &row, stage, of)?;
        if found != expected {
            let text =
                format!("{}: {stage} {of}: expected {}, predicted {}", row.at("stage"), told(expected), told(found));
            return Err(Explanation::wrong(text));
        }
    }
    Ok(())
}

fn of_stage(leg: &LegPrediction, row: &Row<'_>, stage: &str, of: &str) -> Result<Bounds, Explanation> {
    let parts = match stage {
        "detection" => return Ok(leg.detection),
        "authoritative" => return Ok(leg.authoritative),
        "resolver" => &leg.resolvers,
        "client" => &leg.clients,
        "total" => &leg.totals,
        _ => {
            let expected = "expected detection, authoritative, resolver, client or total";
            return Err(row.refuse("stage", format!("`{stage}` is no stage; {expected}")));
        }
    };
    parts.get(of).copied().ok_or_else(|| {
        let known: Vec<&str> = parts.keys().map(String::as_str).collect();
        row.refuse("of", format!("nothing is predicted of {stage} `{of}`; known here: {}", known.join(", ")))
    })
}

fn at_worst(text: &str) -> Result<Option<Duration>, String> {
    if text == "never" { Ok(None) } else { parameters::duration(text).map(Some) }
}

fn told(bounds: Bounds) -> String {
    let worst = bounds.worst.map_or_else(|| "never".to_owned(), |worst| format!("{worst:?}"));
    format!("{:?} to {worst}", bounds.best)
}

fn all_inside(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let measured = measure(events(world, call)?).map_err(|error| Explanation::lab_broke(error.to_string()))?;
    let legs = [Leg::Failover, Leg::Failback];
    let beside = |(leg, figure): (Leg, &Measurement)| {
        (figure.fit != Fit::Inside)
            .then(|| format!("{leg:?} {}: {:?}, measured {:?}", figure.of, figure.fit, figure.span))
    };
    let figures = legs.iter().flat_map(|leg| measured.leg(*leg).figures().map(|figure| (*leg, figure)));
    let beside: Vec<String> = figures.filter_map(beside).collect();
    if beside.is_empty() { Ok(()) } else { Err(Explanation::wrong(beside.join("\n"))) }
}
