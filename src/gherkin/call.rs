//! One step as a feature calls it: its parameters, its table, its text, and where all of that stands.

use std::cell::Cell;
use std::net::IpAddr;
use std::time::Duration;

use cucumber::step::Context;
use hickory_proto::rr::RecordType;
use ipnet::IpNet;

use crate::decide::Viewpoint;
use crate::source::Position;

use super::explanation::Explanation;
use super::parameters;
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

/// So many are more than any rule counts, and few enough for a scenario to make.
const MOST: usize = 100_000;

impl<'c> Call<'c> {
    /// What cucumber matched, in this file.
    #[must_use]
    pub fn new(context: &'c Context, text: &'c FeatureText) -> Self {
        let mut arguments: Vec<&str> = Vec::new();
        let mut previous = None;
        for (name, value) in context.matches.iter().skip(1) {
            // A `{string}` has a group for each kind of quotes, `__<parameter>_<kind>`; one of them matched.
            let parameter = name.as_deref().and_then(|name| name.rsplit_once('_')).map(|(parameter, _)| parameter);
            if parameter.is_none() || parameter != previous {
                arguments.push(value);
            } else if let Some(last) = arguments.last_mut().filter(|last| last.is_empty()) {
                *last = value;
            }
            previous = parameter;
        }
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

    /// # Errors
    /// When it is no IP address.
    pub fn address(&self, index: usize) -> Result<IpAddr, Explanation> {
        self.read(index, parameters::address)
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
