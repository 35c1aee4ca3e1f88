//! Scenario outlines: their columns and placeholders, and the one example that each row is.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gherkin::{Examples, Scenario, Step, Table};
use regex::Regex;

use crate::gherkin::FeatureText;
use crate::source::{Position, nearest};

use super::files::FeatureError;

/// As cucumber has it, which puts the values in.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "the pattern is part of the program, and tests use it")]
    Regex::new(r"<([^>\s](?:[^>\s]?|[^>\t\n\r\v\f]*[^>\s]))>").unwrap()
});

/// A text of an outline into which values are put, and the lines of the file on which it stands.
struct Place<'s> {
    text: &'s str,
    first: usize,
    end: usize,
}

/// Whether a scenario is written as an outline.
fn is_outline(scenario: &Scenario) -> bool {
    let keyword = scenario.keyword.as_str();
    !scenario.examples.is_empty() || keyword.contains("Outline") || keyword.contains("Template")
}

/// What makes an outline prove less than it seems to: examples without rows, columns without use, placeholders without
/// a column.
pub(super) fn check(scenario: &Scenario, lines: &FeatureText, errors: &mut Vec<FeatureError>) {
    if !is_outline(scenario) {
        return;
    }
    if scenario.examples.is_empty() {
        let at = lines.at(scenario.position.line, scenario.position.col);
        let problem = format!("outline `{}` has no examples, so it would prove nothing", scenario.name);
        errors.push(FeatureError { at, problem });
        return;
    }
    let places = places(scenario, lines);
    if let Some(size) = too_large(scenario, &places) {
        let at = lines.at(scenario.position.line, scenario.position.col);
        let problem = format!(
            "outline `{}` becomes some {} MiB of text, for each row is a scenario of its own; expected at most {} MiB",
            scenario.name,
            size >> 20,
            MOST_TEXT >> 20
        );
        errors.push(FeatureError { at, problem });
    }
    let used: BTreeSet<&str> = places.iter().flat_map(|place| placeholders(place.text)).collect();
    for examples in &scenario.examples {
        let Some((table, head)) = head(examples) else {
            let at = lines.at(examples.position.line, examples.position.col);
            let problem =
                "these examples have no row, so they would prove nothing; expected a head and one row at least";
            errors.push(FeatureError { at, problem: problem.to_owned() });
            continue;
        };
        let rows = lines.table_rows(table.position.line);
        let at = |index: usize| {
            let (line, columns) = rows.first().map_or((table.position.line, &[][..]), |(line, cells)| (*line, cells));
            lines.at(line, columns.get(index).copied().unwrap_or(1))
        };
        for (index, column) in head.iter().enumerate() {
            if let Some(problem) = trouble_with(column, &head[..index], &used) {
                errors.push(FeatureError { at: at(index), problem });
            }
        }
        let unknown = |name: &&str| !head.iter().any(|column| column == *name);
        for name in used.iter().filter(|name| unknown(name)) {
            errors.push(without_column(name, head, &places, lines));
        }
    }
}

/// All examples of an outline together, in bytes, with what is put in.
const MOST_TEXT: usize = 64 << 20;

/// How much text an outline becomes, when that is too much. A value counts as the longest of its examples.
fn too_large(scenario: &Scenario, places: &[Place<'_>]) -> Option<usize> {
    let text: usize = places.iter().map(|place| place.text.len()).sum();
    let gaps: usize = places.iter().map(|place| placeholders(place.text).count()).sum();
    let tables = scenario.examples.iter().filter_map(|examples| examples.table.as_ref());
    let size = tables.fold(0_usize, |sum, table| {
        let longest = table.rows.iter().flatten().map(String::len).max().unwrap_or_default();
        let each = text.saturating_add(gaps.saturating_mul(longest));
        sum.saturating_add(each.saturating_mul(table.rows.len().saturating_sub(1)))
    });
    (size > MOST_TEXT).then_some(size)
}

fn head(examples: &Examples) -> Option<(&Table, &[String])> {
    let table = examples.table.as_ref().filter(|table| table.rows.len() > 1)?;
    Some((table, table.rows.first()?))
}

fn trouble_with(column: &str, before: &[String], used: &BTreeSet<&str>) -> Option<String> {
    if column.is_empty() {
        Some("this column has no name; expected one that a step writes as `<name>`".to_owned())
    } else if before.iter().any(|other| other == column) {
        Some(format!("column `{column}` stands twice; expected it once"))
    } else if used.contains(column) {
        None
    } else {
        let meant = nearest(column, used.iter().copied());
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        Some(format!("no step uses column `{column}`; expected `<{column}>` in a step or in the outline's name{meant}"))
    }
}

fn without_column(name: &str, head: &[String], places: &[Place<'_>], lines: &FeatureText) -> FeatureError {
    let written = format!("<{name}>");
    let at = places
        .iter()
        .filter(|place| place.text.contains(&written))
        .find_map(|place| written_at(place, &written, lines));
    let meant = nearest(name, head.iter().map(String::as_str));
    let meant = meant.map_or_else(String::new, |name| format!("; did you mean `<{name}>`?"));
    let columns = head.join(" | ");
    let problem = format!("`{written}` is no column of the examples; expected one of | {columns} |{meant}");
    FeatureError { at: at.unwrap_or_else(|| lines.at(0, 0)), problem }
}

fn written_at(place: &Place<'_>, written: &str, lines: &FeatureText) -> Option<Position> {
    (place.first..place.end).find_map(|number| {
        let line = lines.lines.get(number - 1)?;
        let column = line[..line.find(written)?].chars().count() + 1;
        Some(lines.at(number, column))
    })
}

fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    PLACEHOLDER.captures_iter(text).filter_map(|found| found.get(1)).map(|name| name.as_str())
}

/// Every text into which values are put.
fn places<'s>(scenario: &'s Scenario, lines: &FeatureText) -> Vec<Place<'s>> {
    let line = scenario.position.line;
    let mut places = vec![Place { text: &scenario.name, first: line, end: line + 1 }];
    let examples = scenario.examples.first().map_or(lines.lines.len() + 1, |examples| examples.position.line);
    for (index, step) in scenario.steps.iter().enumerate() {
        let end = scenario.steps.get(index + 1).map_or(examples, |next| next.position.line);
        places.extend(texts(step).map(|text| Place { text, first: step.position.line, end }));
    }
    places
}

fn texts(step: &Step) -> impl Iterator<Item = &str> {
    let cells = step.table.iter().flat_map(|table| table.rows.iter().flatten()).map(String::as_str);
    std::iter::once(step.value.as_str()).chain(step.docstring.as_deref()).chain(cells)
}

/// An outline as one scenario for each of its rows, which stands on the line of the row. What is no outline stays as it
/// is.
///
/// cucumber puts in the values. For each row it copies the whole outline with all of its rows, so it is given outlines
/// of one row: what it does then grows with the rows, and not with their square. It also counts lines from `Examples:`
/// on as if nothing stood between them.
pub(super) fn by_row(scenario: Scenario, lines: &FeatureText) -> Vec<Scenario> {
    if scenario.examples.is_empty() {
        return vec![scenario];
    }
    let bare = Scenario { examples: Vec::new(), ..scenario.clone() };
    let of_examples = |examples: &Examples| {
        let Some((table, head)) = head(examples) else { return Vec::new() };
        let numbers = lines.table_rows(table.position.line);
        let one = |(index, row): (usize, &Vec<String>)| {
            let rows = vec![head.to_vec(), row.clone()];
            let mut only =
                Examples { table: Some(Table { rows, ..table_without_rows(table) }), ..without_table(examples) };
            // cucumber says that the first row stands two lines below the examples.
            let line = numbers.get(index).map_or(examples.position.line + 1 + index, |(line, _)| *line);
            only.position.line = line.saturating_sub(2);
            Scenario { examples: vec![only], ..bare.clone() }
        };
        table.rows.iter().enumerate().skip(1).map(one).collect::<Vec<_>>()
    };
    scenario.examples.iter().flat_map(of_examples).collect()
}

fn table_without_rows(table: &Table) -> Table {
    Table { rows: Vec::new(), span: table.span, position: table.position }
}

fn without_table(examples: &Examples) -> Examples {
    Examples {
        keyword: examples.keyword.clone(),
        name: examples.name.clone(),
        description: examples.description.clone(),
        table: None,
        tags: examples.tags.clone(),
        span: examples.span,
        position: examples.position,
    }
}
