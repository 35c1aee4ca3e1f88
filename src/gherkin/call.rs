//! One step as a feature calls it: its parameters, its table, its text, and where all of that stands.

use std::cell::Cell;
use std::time::Duration;

use cucumber::step::Context;
use hickory_proto::rr::RecordType;
use ipnet::IpNet;

use crate::decide::Viewpoint;
use crate::source::Position;

use super::explanation::{Explanation, Trouble};
use super::parameters::{self, Chosen};
use super::source::FeatureText;
use super::table::Rows;

/// One step as a feature calls it.
#[derive(Debug)]
pub struct Call<'c> {
    step: &'c gherkin::Step,
    /// One for each parameter of the expression.
    arguments: Vec<&'c str>,
    text: &'c FeatureText,
    table_was_read: Cell<bool>,
    doc_string_was_read: Cell<bool>,
}

/// One text for each parameter of an expression, from the groups of its regular expression with their names, the whole
/// match first.
pub(super) fn arguments<'n, 'm>(groups: impl Iterator<Item = (Option<&'n str>, &'m str)>) -> Vec<&'m str> {
    let mut arguments: Vec<&str> = Vec::new();
    let mut previous = None;
    for (name, value) in groups.skip(1) {
        // A `{string}` has a group for each kind of quotes, `__<parameter>_<kind>`; one of them matched.
        let parameter = name.and_then(|name| name.rsplit_once('_')).map(|(parameter, _)| parameter);
        if parameter.is_none() || parameter != previous {
            arguments.push(value);
        } else if let Some(last) = arguments.last_mut().filter(|last| last.is_empty()) {
            *last = value;
        }
        previous = parameter;
    }
    arguments
}

/// So many are more than any rule counts, and few enough for a scenario to make.
const MOST: usize = 100_000;

impl<'c> Call<'c> {
    /// What cucumber matched, in this file.
    #[must_use]
    pub fn new(context: &'c Context, text: &'c FeatureText) -> Self {
        let matches = context.matches.iter().map(|(name, value)| (name.as_deref(), value.as_str()));
        let arguments = arguments(matches);
        let (table_was_read, doc_string_was_read) = (Cell::new(false), Cell::new(false));
        Self { step: &context.step, arguments, text, table_was_read, doc_string_was_read }
    }

    /// What follows the step was read by it: nobody may believe that a table was checked which was not looked at.
    ///
    /// # Errors
    /// When the step has no use for its table, or for its text.
    pub fn nothing_unread(&self) -> Result<(), Explanation> {
        if self.step.table.is_some() && !self.table_was_read.get() {
            return Err(self.refuse("this step has no use for a table; expected none below it"));
        }
        if self.step.docstring.is_some() && !self.doc_string_was_read.get() {
            return Err(self.refuse("this step has no use for a text; expected none between \"\"\" below it"));
        }
        Ok(())
    }

    /// Where the step stands.
    #[must_use]
    pub fn at(&self) -> Position {
        self.text.at(self.step.position.line, self.step.position.col)
    }

    /// The file in which it stands.
    #[must_use]
    pub fn file(&self) -> &FeatureText {
        self.text
    }

    /// This step cannot be run as it is written, and why.
    #[must_use]
    pub fn refuse(&self, problem: impl AsRef<str>) -> Explanation {
        Explanation::cannot_run(format!("{}: {}", self.at(), problem.as_ref()))
    }

    /// What cannot be run as it is written is told with its place: this step's, unless it names one itself.
    #[must_use]
    pub fn placed(&self, explanation: Explanation) -> Explanation {
        let has_place = explanation.text.starts_with(&*self.text.file.to_string_lossy());
        if explanation.trouble == Trouble::CannotRun && !has_place {
            self.refuse(explanation.text)
        } else {
            explanation
        }
    }

    /// Who asks, as a step `… asks for {type} …` says it.
    #[must_use]
    pub fn asker(&self) -> String {
        let text = self.step.value.as_str();
        let end = [" asks for ", " ask for "].iter().find_map(|verb| text.find(verb)).unwrap_or(text.len());
        text[..end].to_owned()
    }

    /// A parameter as it was written, counted from 0.
    #[must_use]
    pub fn word(&self, index: usize) -> &'c str {
        self.arguments.get(index).copied().unwrap_or_default()
    }

    /// # Errors
    /// When it is no number from 0 to 100,000.
    pub fn count(&self, index: usize) -> Result<usize, Explanation> {
        let text = self.word(index);
        text.parse().ok().filter(|count| *count <= MOST).ok_or_else(|| {
            self.refuse(format!(
                "`{text}` is no count that a scenario can have; expected a whole number from 0 to {MOST}"
            ))
        })
    }

    /// # Errors
    /// When the unit is not known.
    pub fn duration(&self, index: usize) -> Result<Duration, Explanation> {
        self.read(index, parameters::duration)
    }

    /// # Errors
    /// When the place is not known.
    pub fn place(&self, index: usize) -> Result<Viewpoint, Explanation> {
        self.read(index, parameters::place)
    }

    /// What a parameter that is a choice was chosen as. A text that a choice asks for must not be empty: it would be
    /// found in anything.
    ///
    /// # Errors
    /// When its text is empty.
    pub fn choice(&self, parameter: &str, index: usize) -> Result<Chosen<'c>, Explanation> {
        let (text, parameter) = (self.word(index), parameters::parameter(parameter));
        let chosen = parameter.and_then(|parameter| parameter.written.chosen(text));
        let chosen =
            chosen.ok_or_else(|| self.refuse(format!("`{text}` is no choice here; this is a defect of muster")))?;
        if chosen.choice.contains('…') && chosen.text.trim().is_empty() {
            let expected =
                format!("`{text}` would hold of anything; expected a text where `{}` has `…`", chosen.choice);
            return Err(self.refuse(expected));
        }
        Ok(chosen)
    }

    /// # Errors
    /// When it is no network.
    pub fn subnet(&self, index: usize) -> Result<IpNet, Explanation> {
        self.read(index, parameters::subnet)
    }

    /// # Errors
    /// When Route 53 has no such type.
    pub fn record_type(&self, index: usize) -> Result<RecordType, Explanation> {
        self.read(index, parameters::record_type)
    }

    /// The times that two parameters say, the lesser first.
    ///
    /// # Errors
    /// When a unit is not known, or the second is less than the first.
    pub fn times(&self, least: usize, most: usize) -> Result<(Duration, Duration), Explanation> {
        let (soonest, latest) = (self.duration(least)?, self.duration(most)?);
        if soonest <= latest { Ok((soonest, latest)) } else { Err(self.reversed(least, most)) }
    }

    /// The counts that two parameters say, the lesser first.
    ///
    /// # Errors
    /// When one is no count, or the second is less than the first.
    pub fn counts(&self, least: usize, most: usize) -> Result<(usize, usize), Explanation> {
        let (fewest, greatest) = (self.count(least)?, self.count(most)?);
        if fewest <= greatest { Ok((fewest, greatest)) } else { Err(self.reversed(least, most)) }
    }

    fn reversed(&self, least: usize, most: usize) -> Explanation {
        let (least, most) = (self.word(least), self.word(most));
        self.refuse(format!("nothing lies between {least} and {most}; expected the lesser first: {most}, then {least}"))
    }

    /// Whether a `{health}` is healthy.
    #[must_use]
    pub fn is_healthy(&self, index: usize) -> bool {
        self.word(index) == "healthy"
    }

    /// Whether a `{turn}` is on.
    #[must_use]
    pub fn is_on(&self, index: usize) -> bool {
        self.word(index) == "on"
    }

    /// The items of `{answers}` or `{names}`.
    #[must_use]
    pub fn items(&self, index: usize) -> Vec<String> {
        parameters::items(self.word(index))
    }

    /// The text between `"""` that follows the step.
    ///
    /// # Errors
    /// When there is none.
    pub fn doc_string(&self) -> Result<&'c str, Explanation> {
        self.doc_string_was_read.set(true);
        self.step.docstring.as_deref().map(str::trim).ok_or_else(|| {
            self.refuse("the text of this step is missing; expected it below, between two lines of \"\"\"")
        })
    }

    /// That text, if there is one.
    #[must_use]
    pub fn doc_string_if_any(&self) -> Option<&'c str> {
        self.doc_string_was_read.set(true);
        self.step.docstring.as_deref().map(str::trim)
    }

    /// Whether a table stands below the step.
    #[must_use]
    pub const fn has_table(&self) -> bool {
        self.step.table.is_some()
    }

    /// The step's table of settings, of which each stands there once.
    ///
    /// # Errors
    /// When there is no such table, or a setting stands twice.
    pub fn settings(&self) -> Result<Rows<'c>, Explanation> {
        let rows = self.rows(&["setting", "value"], &["setting", "value"])?;
        rows.each_once(&["setting"])?;
        Ok(rows)
    }

    /// The step's table, which has these columns and no others, in any order; of them, `needed` must be there.
    ///
    /// # Errors
    /// When there is no table, or one with other columns.
    pub fn rows(&self, columns: &[&str], needed: &[&str]) -> Result<Rows<'c>, Explanation> {
        self.table_was_read.set(true);
        let Some(table) = self.step.table.as_ref() else {
            let expected = columns.join(" | ");
            return Err(
                self.refuse(format!("the table of this step is missing; expected it below, with | {expected} |"))
            );
        };
        Rows::of(table, self.text, columns, needed)
    }

    fn read<T>(&self, index: usize, read: impl Fn(&str) -> Result<T, String>) -> Result<T, Explanation> {
        read(self.word(index)).map_err(|problem| self.refuse(problem))
    }
}
