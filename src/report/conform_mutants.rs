//! The table of mutants: which were killed by whom, and which survived.

use std::fmt::Write as _;

use crate::conform::mutants::{Fate, MutantOutcome};

use super::Style;

/// The whole page.
#[must_use]
pub fn render(outcomes: &[MutantOutcome], style: Style) -> String {
    let mut table = style.grid();
    table.set_header(["mutant", "rules", "fate"]);
    for outcome in outcomes {
        let fate = match &outcome.fate {
            Fate::Killed(by) => format!("killed by {by}"),
            Fate::KilledByAnother(by) => format!("KILLED BY ANOTHER RULE'S SCENARIO, {by}"),
            Fate::Survived => "SURVIVED".to_owned(),
        };
        table.add_row([outcome.name.to_owned(), outcome.rules.join(", "), fate]);
    }
    let mut page = format!("{table}\n");
    for outcome in outcomes.iter().filter(|outcome| !outcome.fate.is_killed()) {
        let _ = write!(
            page,
            "\n{}: {}\n  no scenario of {} fails against it; expected one that does: run it alone with \
             `muster conform --subject mutant:{}`\n",
            outcome.name,
            outcome.what,
            outcome.rules.join(", "),
            outcome.name
        );
    }
    let killed = outcomes.iter().filter(|outcome| outcome.fate.is_killed()).count();
    page + &format!("\n{} mutants: {killed} killed, {} not\n", outcomes.len(), outcomes.len() - killed)
}
