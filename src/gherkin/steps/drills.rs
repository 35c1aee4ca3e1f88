//! Whole drills: what is predicted of them, what is seen, and how they are judged.

use std::path::Path;
use std::time::Duration;

use crate::gherkin::catalogue::{Theme, step};
use crate::gherkin::drill_runs::Played;
use crate::gherkin::parameters;
use crate::gherkin::table::Row;
use crate::gherkin::{Call, Explanation, Trouble, World};
use crate::plan::expectation::Leg;
use crate::plan::{Bounds, LegPrediction};
use crate::report::{Style, stages, terminal};
use crate::timeline::measure::{Fit, LegMeasured, Measured, Span};
use crate::verdict::wording::bounds;
use crate::verdict::{Outcome, Verdict};

pub(super) const THEME: Theme = Theme {
    name: "drills",
    about: "whole drills: what is predicted, what is seen, how it is judged",
    entries: &[
        step!(When "{run} {string} runs", Drill, run, r#"When the drill "../drills/database-down.yaml" runs"#),
        step!(Then "the drill {outcome}", Drill, ends, "Then the drill passes"),
        step!(Then "the {leg} {times}:", Drill, times,
            "Then the failover is predicted as:\n  | stage     | of  | best | worst |\n  | detection |     | 15 s | 30 s  |\n  | total     | web | 15 s | 90 s  |"),
    ],
};

fn run(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let control = call.choice("run", 0)?.choice == "the control of the drill";
    let folder = call.file().file.parent().map(Path::to_path_buf).unwrap_or_default();
    let setting = world.setting()?;
    let played = setting.drills.play(&folder.join(call.word(1)), control, setting.seed);
    // What is wrong with a drill's file is told with its own place, and with that of the step.
    world.drill = Some(played.map_err(|why| match why.trouble {
        Trouble::CannotRun => call.refuse(why.text),
        _ => why,
    })?);
    Ok(())
}

fn played<'w>(world: &'w World, call: &Call<'_>) -> Result<&'w Played, Explanation> {
    world.drill.as_deref().ok_or_else(|| call.refuse("no drill was run; expected `When the drill \"…\" runs` before"))
}

fn ends(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    match call.choice("outcome", 0)?.choice {
        "passes" => is_judged(&played(world, call)?.verdict, Outcome::Passed),
        "fails" => is_judged(&played(world, call)?.verdict, Outcome::Failed),
        _ => all_inside(&played(world, call)?.measured),
    }
}

fn is_judged(verdict: &Verdict, expected: Outcome) -> Result<(), Explanation> {
    if verdict.outcome == expected {
        return Ok(());
    }
    let told = terminal::judged(verdict, Style::PLAIN);
    Err(Explanation::wrong(format!("expected: the drill {expected}\nfound:\n{told}")))
}

fn times(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    if call.choice("times", 1)?.choice == "is predicted as" {
        is_predicted(world, call)
    } else {
        took_at_most(world, call)
    }
}

fn is_predicted(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let rows = call.rows(&["stage", "of", "best", "worst"], &["stage", "best", "worst"])?;
    rows.each_once(&["stage", "of"])?;
    let expected: Vec<Bounds> = rows.iter().map(|row| bounds_of(&row)).collect::<Result<_, _>>()?;
    let prediction = &played(world, call)?.plan.prediction;
    let leg = if call.choice("leg", 0)?.choice == "failover" { &prediction.failover } else { &prediction.failback };
    for (row, expected) in rows.iter().zip(expected) {
        let (stage, of) = (row.need("stage")?, row.get("of").unwrap_or_default());
        let found = of_stage(leg, &row, stage, of)?;
        if found != expected {
            let (at, expected, found) = (row.at("stage"), bounds(&expected), bounds(&found));
            return Err(Explanation::wrong(format!("{at}: {stage} {of}\nexpected:  {expected}\npredicted: {found}")));
        }
    }
    Ok(())
}

fn took_at_most(world: &mut World, call: &Call<'_>) -> Result<(), Explanation> {
    let rows = call.rows(&["stage", "of", "time"], &["stage", "time"])?;
    rows.each_once(&["stage", "of"])?;
    let measured = &played(world, call)?.measured;
    let leg = if call.choice("leg", 0)?.choice == "failover" { Leg::Failover } else { Leg::Failback };
    for row in rows.iter() {
        let (stage, of) = (row.need("stage")?, row.get("of").unwrap_or_default());
        let limit = row.need_as("time", parameters::duration)?;
        let found = measured_of(measured.leg(leg), &row, stage, of)?;
        if found.is_none_or(|span| span.most > limit) {
            let at = row.at("time");
            let told = found.map_or_else(|| "not seen to its end".to_owned(), |span| span.to_string());
            let limit = limit.as_secs_f64();
            return Err(Explanation::wrong(format!(
                "{at}: {stage} {of}\nexpected: at most {limit} s\nmeasured: {told}"
            )));
        }
    }
    Ok(())
}

/// How long a stage took; `None` when it was not seen to its end.
fn measured_of(leg: &LegMeasured, row: &Row<'_>, stage: &str, of: &str) -> Result<Option<Span>, Explanation> {
    named_right(row, stage, of)?;
    let parts = match stage {
        "detection" => return Ok(leg.detection.span),
        "authoritative" => return Ok(leg.authoritative.as_ref().and_then(|measured| measured.span)),
        "resolver" => &leg.resolvers,
        "client" => &leg.clients,
        _ => &leg.totals,
    };
    let found = parts.iter().find(|measured| measured.of == of);
    found.map(|measured| measured.span).ok_or_else(|| {
        let known: Vec<&str> = parts.iter().map(|measured| measured.of.as_str()).collect();
        row.refuse("of", format!("nothing is measured of {stage} `{of}`; known here: {}", known.join(", ")))
    })
}

/// Refuses a stage that is none, and a name where a stage has none.
fn named_right(row: &Row<'_>, stage: &str, of: &str) -> Result<(), Explanation> {
    match stage {
        "detection" | "authoritative" if !of.is_empty() => {
            Err(row.refuse("of", format!("`{of}`: {stage} is of the whole drill; expected nothing here")))
        }
        "detection" | "authoritative" | "resolver" | "client" | "total" => Ok(()),
        _ => {
            let expected = "expected detection, authoritative, resolver, client or total";
            Err(row.refuse("stage", format!("`{stage}` is no stage; {expected}")))
        }
    }
}

fn bounds_of(row: &Row<'_>) -> Result<Bounds, Explanation> {
    let bounds = Bounds { best: row.need_as("best", parameters::duration)?, worst: row.need_as("worst", at_worst)? };
    if bounds.worst.is_some_and(|worst| worst < bounds.best) {
        return Err(row.refuse("worst", "the worst is less than the best; expected it as long at least, or `never`"));
    }
    Ok(bounds)
}

fn of_stage(leg: &LegPrediction, row: &Row<'_>, stage: &str, of: &str) -> Result<Bounds, Explanation> {
    named_right(row, stage, of)?;
    let parts = match stage {
        "detection" => return Ok(leg.detection),
        "authoritative" => return Ok(leg.authoritative),
        "resolver" => &leg.resolvers,
        "client" => &leg.clients,
        _ => &leg.totals,
    };
    parts.get(of).copied().ok_or_else(|| {
        let known: Vec<&str> = parts.keys().map(String::as_str).collect();
        row.refuse("of", format!("nothing is predicted of {stage} `{of}`; known here: {}", known.join(", ")))
    })
}

fn at_worst(text: &str) -> Result<Option<Duration>, String> {
    if text == "never" { Ok(None) } else { parameters::duration(text).map(Some) }
}

fn all_inside(measured: &Measured) -> Result<(), Explanation> {
    let beside: Vec<String> = [Leg::Failover, Leg::Failback]
        .into_iter()
        .filter(|leg| {
            measured.leg(*leg).figures().any(|figure| !matches!(figure.fit, Fit::Inside | Fit::NotApplicable))
        })
        .map(|leg| stages::table(leg, measured.leg(leg), Style::PLAIN))
        .collect();
    if beside.is_empty() {
        return Ok(());
    }
    let expected = "every stage was measured inside its prediction";
    Err(Explanation::wrong(format!("expected: {expected}\nfound:\n{}", beside.join("\n"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic::{bounds, control, passing};
    use crate::timeline::measure::measure;
    use crate::verdict::judge;

    #[test]
    fn a_drill_that_does_not_end_as_expected_is_told_as_its_report_tells_it() {
        let verdict = judge(&control().events()).unwrap();
        assert_eq!(is_judged(&verdict, Outcome::Failed), Ok(()));
        let told = is_judged(&verdict, Outcome::Passed).unwrap_err().text;
        for part in ["expected: the drill passed\n", "✗ ", "  [", "expectations were met", "verdict: failed"] {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!told.contains('✓') && !told.contains("Judged {"), "{told}");
    }

    #[test]
    fn a_stage_beside_its_prediction_is_told_in_the_table_of_its_leg() {
        assert_eq!(all_inside(&measure(&passing().events()).unwrap()), Ok(()));
        let script = passing().planned(|plan| plan.prediction.failover.detection = bounds(10.0, 20.0));
        let told = all_inside(&measure(&script.events()).unwrap()).unwrap_err().text;
        for part in ["expected: every stage was measured inside its prediction\n", "failover", "10 – 20 s", "OUTSIDE"]
        {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!told.contains("failback"), "{told}");
    }
}
