//! The page of a conformance run: a row for each feature, and why each scenario that does not hold does not.

use std::fmt::Write as _;

use crate::conform::{FeatureOutcome, RuleOutcome, ScenarioOutcome, Status, SuiteOutcome};
use crate::gherkin::Trouble;
use crate::gherkin::shortened::shortened;

use super::{Style, visible};

/// Who was held against the rules.
#[derive(Clone, Debug)]
pub struct HeldAgainst {
    /// `muster`, `mutant:<name>`, or an address.
    pub subject: String,
    /// Where it was asked.
    pub lab: String,
}

/// The whole page.
#[must_use]
pub fn render(outcome: &SuiteOutcome, held: &HeldAgainst, style: Style) -> String {
    let mut page = table(outcome, style);
    let told = outcome
        .scenarios()
        .filter(|(.., scenario)| matches!(scenario.status(), Status::Failed | Status::CannotRun | Status::LabBroke));
    for (feature, rule, scenario) in told {
        page += &explained(feature, rule, scenario);
    }
    page += &not_applicable(outcome);
    page + &last_line(outcome, held)
}

fn table(outcome: &SuiteOutcome, style: Style) -> String {
    let mut table = style.grid();
    table.set_header(["feature", "rules", "scenarios", "passed", "failed", "not applicable"]);
    for feature in &outcome.features {
        let rules = feature.rules.iter().filter(|rule| rule.name.is_some()).count();
        let failed =
            [Status::Failed, Status::CannotRun, Status::LabBroke].map(|status| feature.count(status)).iter().sum();
        let numbers: [usize; 5] =
            [rules, feature.scenarios(), feature.count(Status::Passed), failed, feature.count(Status::NotApplicable)];
        let cells = numbers.map(|number| number.to_string());
        table.add_row(std::iter::once(shown(&feature.name)).chain(cells));
    }
    format!("{table}\n")
}

fn explained(feature: &FeatureOutcome, rule: &RuleOutcome, scenario: &ScenarioOutcome) -> String {
    let Some(step) = scenario.stopped_at() else { return String::new() };
    let kind = match step.status {
        Status::CannotRun => Trouble::CannotRun,
        Status::LabBroke => Trouble::LabBroke,
        _ => Trouble::Wrong,
    };
    let explanation = visible(step.explanation.as_deref().unwrap_or_default()).replace('\n', "\n    ");
    let rule = rule.name.as_ref().map_or_else(String::new, |name| format!("\n  rule: {}", title(rule, name)));
    format!(
        "\n{kind}: {}{rule}\n  {}:{}: {}{}\n    {explanation}\n",
        shown(&scenario.name),
        visible(&feature.file.to_string_lossy()),
        step.line,
        step.keyword,
        shown(&step.text),
    )
}

/// A text of a feature as it may go onto the page, whose own colours cannot be told from it later.
fn shown(text: &str) -> String {
    visible(&shortened(text)).into_owned()
}

fn title(rule: &RuleOutcome, name: &str) -> String {
    let missing: Vec<&str> = rule.numbers().filter(|number| !name.contains(*number)).collect();
    let name = shown(name);
    if missing.is_empty() { name } else { format!("{} {name}", missing.join(", ")) }
}

/// What does not apply is listed, for it is no pass.
fn not_applicable(outcome: &SuiteOutcome) -> String {
    let mut text = String::new();
    for (feature, _, scenario) in outcome.scenarios() {
        if scenario.status() == Status::NotApplicable {
            let why = scenario.stopped_at().and_then(|step| step.explanation.as_deref()).unwrap_or_default();
            let why = visible(why);
            let _ = write!(
                text,
                "\nnot applicable: {}:{}: {}\n    {why}",
                visible(&feature.file.to_string_lossy()),
                scenario.line,
                shown(&scenario.name)
            );
        }
    }
    if text.is_empty() { text } else { text + "\n" }
}

fn last_line(outcome: &SuiteOutcome, HeldAgainst { subject, lab }: &HeldAgainst) -> String {
    let counts = [
        (Status::Passed, "passed"),
        (Status::Failed, "failed"),
        (Status::CannotRun, "cannot be run as written"),
        (Status::LabBroke, "broke the lab"),
        (Status::NotApplicable, "not applicable"),
        (Status::NotReached, "not reached"),
    ];
    let counted = counts.iter().map(|(status, word)| (outcome.count(*status), word)).filter(|(count, _)| *count > 0);
    let counted: Vec<String> = counted.map(|(count, word)| format!("{count} {word}")).collect();
    let scenarios = outcome.scenarios().count();
    let early = outcome.early.as_ref();
    let early = early.map_or_else(String::new, |early| format!("\nthe run ended before its time: {early}\n"));
    format!(
        "{early}\n{scenarios} scenarios against {subject} in the {lab} lab: {}; {:.2} s\n",
        counted.join(", "),
        outcome.took.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::testing::outcome_of;

    #[test]
    fn what_is_very_long_is_shown_by_its_ends() {
        let long = "x".repeat(200_000);
        let text = format!("Feature: {long}\n  Rule: {long}\n    Scenario: {long}\n      Then the answer is {long}\n");
        let held = HeldAgainst { subject: "muster".to_owned(), lab: "virtual".to_owned() };
        let page = render(&outcome_of(&text), &held, Style::PLAIN);
        assert!(page.len() < 10_000 && page.contains("characters more"), "{} bytes", page.len());
    }
}
