//! `muster explain --dot`: the tree that a question walked, for Graphviz.

use std::fmt::Write as _;

use crate::decide::{Reason, StepEnd};
use crate::explain::{Explanation, ToldRecord, percent};

/// A digraph: a box for each group, an ellipse for each record; what is in is solid, what is out is dashed.
#[must_use]
pub fn render(told: &Explanation) -> String {
    let mut dot = String::from("digraph answer {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n");
    let question = format!("{} {}", told.name, told.rtype);
    let _ = writeln!(dot, "  question [shape=plaintext, label={}];", quoted(&question));
    for (number, group) in told.groups.iter().enumerate() {
        let border = match group.end {
            StepEnd::Used => "",
            StepEnd::LastResort => ", color=orange",
            StepEnd::BackedOut | StepEnd::NothingApplies => ", color=red",
        };
        let label = format!("{}\n{}", group.name, group.policy);
        let _ = writeln!(dot, "  g{number} [shape=box, label={}{border}];", quoted(&label));
        for (which, record) in group.records.iter().enumerate() {
            let style = if is_in(record) { "solid" } else { "dashed" };
            let _ = writeln!(dot, "  g{number}r{which} [style={style}, label={}];", quoted(&label_of(record)));
            let _ = writeln!(dot, "  g{number} -> g{number}r{which} [style={style}];");
        }
        let above = told.groups[..number].iter().rposition(|above| above.depth + 1 == group.depth);
        let from = above.and_then(|above| {
            let which = told.groups[above].records.iter().position(|one| Some(&one.record) == group.under.as_ref())?;
            Some(format!("g{above}r{which}"))
        });
        let _ = writeln!(dot, "  {} -> g{number};", from.as_deref().unwrap_or("question"));
    }
    for (number, answer) in told.answers.iter().enumerate() {
        let values = if answer.values.is_empty() { "no data".to_owned() } else { answer.values.join("\n") };
        let label = format!("{}\n{values}\nTTL {} s", percent(answer.probability), answer.ttl);
        let _ = writeln!(dot, "  answer{number} [shape=note, label={}];", quoted(&label));
        let last = answer.via.last().and_then(|last| {
            told.groups.iter().enumerate().find_map(|(number, group)| {
                Some(format!("g{number}r{}", group.records.iter().position(|one| one.record == *last)?))
            })
        });
        let _ = writeln!(dot, "  {} -> answer{number};", last.as_deref().unwrap_or("question"));
    }
    dot + "}\n"
}

const fn is_in(record: &ToldRecord) -> bool {
    matches!(record.reason, Reason::Healthy | Reason::Unchecked | Reason::LastResort)
}

fn label_of(record: &ToldRecord) -> String {
    let id = record.record.set_identifier.as_deref().unwrap_or(&record.record.name);
    [id, &record.chosen_by, &record.because].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

/// A text as Graphviz quotes it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::tests::{multi_region, told};

    #[test]
    fn each_group_hangs_on_the_record_whose_alias_leads_to_it() {
        insta::assert_snapshot!(render(&told(&multi_region(), "api.exemplo.com", &["Brazil"], &["alb-sa-east-1"])));
    }

    #[test]
    fn what_is_quoted_stays_one_text() {
        assert_eq!(quoted("a\"b\\c\nd"), r#""a\"b\\c\nd""#);
    }
}
