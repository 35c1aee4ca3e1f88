//! The table of rules: who exercises each, and which nobody does.

use std::fmt::Write as _;

use crate::conform::coverage::{Coverage, CoveredRule};

use super::Style;

/// The whole page.
#[must_use]
pub fn render(coverage: &Coverage, style: Style) -> String {
    let mut table = style.grid();
    table.set_header(["rule", "rests on", "title", "exercised by"]);
    for rule in &coverage.rules {
        table.add_row([rule.id.clone(), rule.evidence.clone(), rule.title.clone(), exercised(rule)]);
    }
    let due = coverage.rules.iter().filter(|rule| rule.due).count();
    let missing: Vec<&str> = coverage.missing().map(|rule| rule.id.as_str()).collect();
    let mut page = format!(
        "{table}\n\n{}: {} of the {due} rules that rest on AWS's own word (D, A, M) and can be told are exercised\n",
        coverage.dialect,
        due - missing.len()
    );
    if !missing.is_empty() {
        let _ = writeln!(page, "MISSING: {}", missing.join(", "));
    }
    if !coverage.unknown.is_empty() {
        let _ = writeln!(page, "tags that name no rule: {}", coverage.unknown.join(", "));
    }
    page
}

fn exercised(rule: &CoveredRule) -> String {
    match (rule.scenarios.as_slice(), rule.due) {
        ([], true) => "NOBODY".to_owned(),
        ([], false) => "–".to_owned(),
        ([only], _) => only.clone(),
        ([first, rest @ ..], _) => format!("{first}, and {} more", rest.len()),
    }
}
