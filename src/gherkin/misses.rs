//! Steps that are one of the catalogue but for a choice: which parameter was missed, and what it admits.

use std::collections::HashMap;

use cucumber_expressions::Expression;
use gherkin::StepType;
use regex::Regex;

use super::call::arguments;
use super::catalogue::Entry;
use super::parameters::{self, PARAMETERS, Parameter};

/// What may stand in place of a choice: no other parameter lies within it, but for a text that it asks for.
const ANYTHING: &str = r"[^\x22]+?(?: ?\x22[^\x22]*\x22)?|\x22[^\x22]*\x22";

/// A step that a text would be, were one of its choices wider.
pub(super) struct Miss<'t> {
    /// The step.
    pub(super) entry: &'static Entry,
    parameter: &'static Parameter,
    written: &'t str,
}

impl Miss<'_> {
    /// Which parameter was missed, and what it admits.
    pub(super) fn told(&self) -> String {
        let (written, expected) = (self.written, self.parameter.written.expected(self.written));
        format!("`{written}` is no {{{}}}; {expected}", self.parameter.name)
    }
}

/// The step that was meant, if but a choice was missed.
pub(super) fn among<'t>(
    entries: impl Iterator<Item = &'static Entry>,
    keyword: StepType,
    text: &'t str,
    likely: Option<&'static Entry>,
) -> Option<Miss<'t>> {
    let misses = entries.filter(|entry| entry.keywords.contains(&keyword)).flat_map(|entry| of(entry, text));
    let is_likely = |miss: &Miss<'_>| likely.is_some_and(|likely| likely.expression == miss.entry.expression);
    // Of another step than the likely one, enough must be right that it was meant.
    let misses = misses.filter(|miss| {
        is_likely(miss) || miss.parameter.written.meant(miss.written).is_some() || miss.written.len() * 2 < text.len()
    });
    // The less was missed, the more of the step is certain.
    misses.min_by_key(|miss| (miss.written.len(), !is_likely(miss)))
}

/// The choices of a step that would make it this text, were they wider.
fn of<'t>(entry: &'static Entry, text: &'t str) -> Vec<Miss<'t>> {
    let choices = PARAMETERS.iter().filter(|parameter| !parameter.written.choices().is_empty());
    let here = choices.filter(|parameter| entry.expression.contains(&format!("{{{}}}", parameter.name)));
    here.filter_map(|parameter| {
        let written = missed(entry, parameter, text)?;
        Some(Miss { entry, parameter, written })
    })
    .collect()
}

fn missed<'t>(entry: &'static Entry, parameter: &'static Parameter, text: &'t str) -> Option<&'t str> {
    let mut patterns: HashMap<&str, String> = parameters::patterns();
    patterns.insert(parameter.name, ANYTHING.to_owned());
    let regex: Regex = Expression::regex_with_parameters(entry.expression, &patterns).ok()?;
    let captured = regex.captures(text)?;
    let groups = regex.capture_names().zip(captured.iter());
    let arguments = arguments(groups.map(|(name, group)| (name, group.map_or("", |group| group.as_str()))));
    let (before, _) = entry.expression.split_once(&format!("{{{}}}", parameter.name))?;
    arguments.get(before.matches('{').count()).copied()
}
