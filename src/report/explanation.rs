//! The page of `muster explain`: the tree that a question walked, what it is answered, and the rules behind it.

use std::fmt::Write as _;

use comfy_table::Color;
use termtree::{GlyphPalette, Tree};

use crate::decide::{Reason, StepEnd};
use crate::explain::{Explanation, ToldAnswer, ToldGroup, ToldRecord, name_of, percent};

use super::Style;

/// How deep the tree is drawn: deeper than any that people make, and than a terminal is wide.
const DRAWN: usize = 40;

/// The whole page.
#[must_use]
pub fn render(told: &Explanation, style: Style) -> String {
    let from = if told.from.is_empty() { "nowhere that is known".to_owned() } else { told.from.join(", ") };
    let mut page = format!("{} {}, asked from {from}\n", told.name, told.rtype);
    let down = if told.down.is_empty() {
        "everything is healthy".to_owned()
    } else {
        format!("down: {}", told.down.join(", "))
    };
    let _ = writeln!(page, "{down}\n");
    if let Some(root) = told.groups.first() {
        let mut rest = &told.groups[1..];
        let _ = writeln!(page, "{}", tree(root, &mut rest, style));
    }
    page += &outcome(told, style);
    page += &readings(told, style);
    page += &rules(told, style);
    page
}

/// A group with its records, and under each record the group that its alias leads to. `rest` are the groups after it.
fn tree(group: &ToldGroup, rest: &mut &[ToldGroup], style: Style) -> Tree<String> {
    let head = format!("{} {}{}", group.name, group.policy, end(group, style));
    let mut below: Vec<(Option<usize>, Tree<String>)> = Vec::new();
    while let Some((next, others)) = rest.split_first() {
        if next.depth <= group.depth || group.depth >= DRAWN {
            break;
        }
        *rest = others;
        let under = group.records.iter().position(|record| Some(&record.record) == next.under.as_ref());
        below.push((under, tree(next, rest, style)));
    }
    let mut drawn = Tree::new(head).with_glyphs(GlyphPalette::new());
    for (number, record) in group.records.iter().enumerate() {
        let mut leaf = Tree::new(line(record, style)).with_multiline(true);
        let own = below.extract_if(.., |(under, _)| *under == Some(number));
        for (_, under) in own {
            leaf.push(under);
        }
        drawn.push(leaf);
    }
    for (_, other) in below {
        drawn.push(other);
    }
    drawn
}

fn end(group: &ToldGroup, style: Style) -> String {
    let rules = group.rules.join(", ");
    match group.end {
        StepEnd::Used => format!("  [{rules}]"),
        StepEnd::BackedOut => style.paint(&format!("  nothing healthy: the search goes back  [{rules}]"), "31"),
        StepEnd::LastResort => {
            style.paint(&format!("  nothing healthy, nowhere to go back to: last resort  [{rules}]"), "33")
        }
        StepEnd::NothingApplies => style.paint(&format!("  no record for this query  [{rules}]"), "31"),
    }
}

fn line(record: &ToldRecord, style: Style) -> String {
    let (mark, ansi) = match record.reason {
        Reason::Healthy | Reason::Unchecked => ("✓", "32"),
        Reason::HealthCheckUnhealthy | Reason::TargetUnhealthy => ("✗", "31"),
        Reason::NotReached | Reason::NotApplicable => ("·", "2"),
        Reason::LastResort => ("!", "33"),
    };
    let id = record.record.set_identifier.as_ref().filter(|id| **id != record.chosen_by).map(|id| format!("`{id}`"));
    let by = Some(&record.chosen_by).filter(|by| !by.is_empty()).cloned();
    let named: Vec<String> = [id, by].into_iter().flatten().collect();
    let rules = if record.rules.is_empty() { String::new() } else { format!("  [{}]", record.rules.join(", ")) };
    let named = if named.is_empty() { String::new() } else { format!("{}\n", named.join("  ")) };
    format!("{} {named}{}\n{}{rules}", style.paint(mark, ansi), record.holds, record.because)
}

fn outcome(told: &Explanation, style: Style) -> String {
    match told.outcome {
        "nodata" => "no data: the name exists, and has nothing for this query\n".to_owned(),
        "nxdomain" => "no such name\n".to_owned(),
        "not-in-zone" => "the name is not in this zone\n".to_owned(),
        kind => {
            let head = if kind == "referral" { "referred to" } else { "answered" };
            told.answers.iter().fold(format!("{head}\n"), |page, answer| page + &answered(answer, style))
        }
    }
}

fn answered(answer: &ToldAnswer, style: Style) -> String {
    let share = format!("{:>7}", percent(answer.probability));
    let share = if answer.last_resort { style.paint(&share, "33") } else { share };
    let last_resort = if answer.last_resort { "; a last resort: nothing healthy was left" } else { "" };
    let from = if answer.ttl_from.is_empty() { String::new() } else { format!(", of {}", answer.ttl_from) };
    let mut told = format!("{share}  {}\n         TTL {} s{from}{last_resort}\n", values(answer), answer.ttl);
    for (number, record) in answer.via.iter().enumerate() {
        let lead = if number == 0 { "by way of" } else { "    then " };
        let _ = writeln!(told, "         {lead} {}", name_of(record));
    }
    told
}

fn values(answer: &ToldAnswer) -> String {
    let values = if answer.values.is_empty() { "no data".to_owned() } else { answer.values.join("\n         ") };
    match (answer.resource, answer.at_most) {
        (true, _) => format!("the addresses of {values}"),
        (false, Some(most)) => format!("{most} of {}:\n         {values}", answer.values.len()),
        (false, None) => values,
    }
}

fn readings(told: &Explanation, style: Style) -> String {
    let mut page = String::new();
    for reading in &told.readings {
        let head =
            format!("\nThis rests on {}, which AWS does not state in words:\n  {}\n", reading.rule, reading.title);
        page += &style.paint(&head, "33");
        let _ = writeln!(page, "Read otherwise, the answer is\n  {}", reading.otherwise);
    }
    page
}

fn rules(told: &Explanation, style: Style) -> String {
    let mut table = style.table();
    table.set_header([style.heading("rule"), style.heading("rests on"), style.heading("says")]);
    for rule in &told.rules {
        let on =
            if rule.inferred { style.coloured("inferred", Color::Yellow) } else { rests_on(&rule.evidence).into() };
        table.add_row([rule.id.clone().into(), on, rule.title.clone().into()]);
    }
    if told.rules.is_empty() { String::new() } else { format!("\n{table}\n") }
}

/// The firmest of what a rule rests on.
fn rests_on(letters: &str) -> &'static str {
    let names = [('D', "AWS's guide"), ('A', "AWS's API"), ('M', "measured"), ('L', "a catalogue"), ('C', "reports")];
    names.into_iter().find(|(letter, _)| letters.contains(*letter)).map_or("inferred", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::tests::{chain, multi_region, told};

    /// As wide as a page may be.
    fn fits(page: &str) {
        let widest = page.lines().map(|line| line.chars().count()).max().unwrap_or_default();
        assert!(widest <= 100, "{widest}: {page}");
    }

    #[test]
    fn the_page_of_a_region_that_is_down_says_why_and_by_which_rules() {
        let page = render(&told(&multi_region(), "api.exemplo.com", &["Brazil"], &["alb-sa-east-1"]), Style::PLAIN);
        fits(&page);
        insta::assert_snapshot!(page);
    }

    #[test]
    fn a_chain_that_is_deeper_than_a_page_is_drawn_without_end_and_not_nested() {
        let page = render(&told(&chain(500), "a0.example.com", &[], &[]), Style::PLAIN);
        assert!(page.contains("a499.example.com"), "{page}");
    }

    #[test]
    fn colour_changes_no_word() {
        let told = told(&multi_region(), "api.exemplo.com", &["Germany"], &["alb-eu"]);
        let coloured = render(&told, Style { colour: true, ..Style::PLAIN });
        let plain = render(&told, Style::PLAIN);
        assert!(coloured.contains('\u{1b}'));
        assert_eq!(console::strip_ansi_codes(&coloured), plain);
    }
}
