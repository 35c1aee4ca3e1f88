//! The stage table: what was predicted beside what was measured.

use comfy_table::{Cell, Color};

use crate::journal::event::Signal;
use crate::plan::Bounds;
use crate::plan::expectation::Leg;
use crate::timeline::measure::{Fit, LegMeasured, Measurement, Span, Spread, Turning};
use crate::verdict::wording::{bounds, secs};

use super::Style;
use super::style::right;

/// One leg's table.
#[must_use]
pub fn table(leg: Leg, measured: &LegMeasured, style: Style) -> String {
    let mut table = style.table();
    let name = match leg {
        Leg::Failover => "failover",
        Leg::Failback => "failback",
    };
    table.set_header(["", name, "predicted", "measured", "±", ""].map(|text| style.heading(text)));
    for row in rows(leg, measured) {
        let [boundary, stage, predicted, time, uncertainty] = row.cells;
        let mut cells = vec![Cell::new(boundary), Cell::new(stage)];
        cells.extend([predicted, time, uncertainty].map(right));
        cells.push(fit_cell(row.fit, style));
        table.add_row(cells);
    }
    table.trim_fmt()
}

struct Row {
    cells: [String; 5],
    fit: Option<Fit>,
}

fn fit_cell(fit: Option<Fit>, style: Style) -> Cell {
    let (text, colour) = match fit {
        None => ("", Color::Reset),
        Some(Fit::Inside) => ("inside", Color::Green),
        Some(Fit::Outside) => ("OUTSIDE", Color::Red),
        Some(Fit::NotSeen) => ("not seen", Color::Yellow),
        Some(Fit::NotApplicable) => ("not on this ground", Color::DarkGrey),
    };
    if style.colour { Cell::new(text).fg(colour) } else { Cell::new(text) }
}

fn rows(leg: Leg, measured: &LegMeasured) -> Vec<Row> {
    let mut rows = vec![start(leg, measured)];
    for turning in measured.turnings.iter().filter(|turning| is_told(turning, &measured.turnings)) {
        let span = measured
            .window
            .start
            .map(|start| Span { least: turning.at.since(start.until), most: turning.at.since(start.after) });
        let cells = cells("", &format!("· {}", turning.signal), turning.predicted.as_ref(), span);
        rows.push(Row { cells, fit: None });
    }
    rows.push(row("t1", "detection", &measured.detection));
    if let [one] = &measured.questions[..] {
        rows.push(row("t2", &format!("authoritative: {}", one.of), one));
    } else {
        rows.extend(measured.authoritative.iter().map(|last| row("t2", "authoritative, last answer", last)));
        rows.extend(measured.questions.iter().map(|each| row("", &format!("· {}", each.of), each)));
    }
    rows.extend(group("t3", "resolver", &measured.resolvers));
    rows.extend(group("t4", "client", &measured.clients));
    rows.extend(group("", "total", &measured.totals));
    rows
}

/// Whether a turn has a row of its own. The only evidence there is, with nothing but targets and nodes before it, is
/// told by the detection itself.
fn is_told(turning: &Turning, all: &[Turning]) -> bool {
    let step = |other: &Turning| matches!(other.signal, Signal::Verdict { .. } | Signal::HealthCheck { .. });
    !turning.evidence || all.iter().any(|other| other != turning && (other.evidence || step(other)))
}

fn start(leg: Leg, measured: &LegMeasured) -> Row {
    let stage = match leg {
        Leg::Failover => "fault holds",
        Leg::Failback => "fault is gone",
    };
    let (time, uncertainty) = measured.window.start.map_or_else(
        || ("not seen".to_owned(), String::new()),
        |start| {
            let half = start.until.since(start.after) / 2;
            (format!("at {}", secs((start.after + half).since_start())), secs(half))
        },
    );
    let fit = measured.window.start.is_none().then_some(Fit::NotSeen);
    Row { cells: ["t0".to_owned(), stage.to_owned(), String::new(), time, uncertainty], fit }
}

/// A row for each, and first, median and last where there are several.
fn group(boundary: &str, stage: &str, all: &[Measurement]) -> Vec<Row> {
    let mut rows: Vec<Row> = all
        .iter()
        .enumerate()
        .map(|(index, each)| row(if index == 0 { boundary } else { "" }, &format!("{stage} {}", each.of), each))
        .collect();
    if all.len() > 1
        && let Some(spread) = Spread::of(all.iter().filter_map(|each| each.span))
    {
        for (which, span) in [("first", spread.first), ("median", spread.median), ("last", spread.last)] {
            rows.push(Row { cells: cells("", &format!("· {stage}s, {which}"), None, Some(span)), fit: None });
        }
    }
    rows
}

fn row(boundary: &str, stage: &str, measured: &Measurement) -> Row {
    Row { cells: cells(boundary, stage, Some(&measured.predicted), measured.span), fit: Some(measured.fit) }
}

fn cells(boundary: &str, stage: &str, predicted: Option<&Bounds>, span: Option<Span>) -> [String; 5] {
    let (time, uncertainty) = span.map_or_else(
        || ("–".to_owned(), String::new()),
        |span| (bounds(&Bounds::between(span.least, span.most)), secs(span.uncertainty())),
    );
    [boundary.to_owned(), stage.to_owned(), predicted.map(bounds).unwrap_or_default(), time, uncertainty]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::LabTime;

    fn turning(signal: Signal, evidence: bool) -> Turning {
        Turning { signal, healthy: false, first_check: None, at: LabTime::secs(90), evidence, predicted: None }
    }

    #[test]
    fn a_verdict_and_the_check_that_asks_for_it_are_told_each_and_a_cell_by_its_detection_alone() {
        let verdict = turning(Signal::Verdict { cell: "us".into() }, false);
        let check = |id: &str| turning(Signal::HealthCheck { id: id.into() }, true);
        let told = |all: &[Turning]| all.iter().filter(|each| is_told(each, all)).count();
        assert_eq!(told(&[verdict, check("HC")]), 2);
        assert_eq!(told(&[check("HC")]), 0, "it is the detection");
        assert_eq!(told(&[check("HC"), check("HC-2")]), 2);
        let target = turning(Signal::Target { cell: "us".into(), target: 0 }, false);
        assert_eq!(told(&[target, turning(Signal::Cell { cell: "us".into() }, true)]), 1, "the target");
    }
}
