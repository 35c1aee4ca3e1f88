//! From paths to parsed features, with every mistake at its line.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cucumber::feature::Ext;
use gherkin::{Feature, GherkinEnv};

use crate::gherkin::{Catalogue, FeatureText};
use crate::source::{Position, read_text};

use super::check::check;
use super::layout::Layout;
use super::outline;
use super::walk::Walk;

/// The parser looks through all lines before one whenever it tells where something stands, so a file is bounded: the
/// largest takes it a second or two.
const MOST_LINES: usize = 20_000;
const MOST_BYTES: usize = 4 << 20;

/// Features in the order of their files, outlines already expanded.
#[derive(Debug, Default)]
pub struct Features {
    /// Parsed.
    pub parsed: Vec<Feature>,
    /// Their texts.
    pub texts: BTreeMap<PathBuf, Arc<FeatureText>>,
}

/// A mistake in a feature file, or in a path to one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct FeatureError {
    /// Where.
    pub at: Position,
    /// What, and what was expected.
    pub problem: String,
}

/// Every mistake that was found.
#[derive(Clone, Debug, thiserror::Error)]
pub struct FeatureErrors(pub Vec<FeatureError>);

impl fmt::Display for FeatureErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl Features {
    /// Reads these files, and every `.feature` file below these folders; each real file once.
    ///
    /// # Errors
    /// All mistakes: a path that leads nowhere, a file that is no feature.
    pub fn read(paths: &[PathBuf], catalogue: &Catalogue) -> Result<Self, FeatureErrors> {
        let mut errors = Vec::new();
        let mut walk = Walk::default();
        for path in paths {
            match walk.take(path) {
                Ok(true) => {}
                Ok(false) => {
                    let problem = "there is no feature below it; expected files that end in `.feature`";
                    errors.push(at_file(path, problem.to_owned()));
                }
                Err(problem) => errors.push(at_file(path, format!("it cannot be read: {problem}"))),
            }
        }
        let mut features = Self::default();
        for file in walk.into_files() {
            if file.to_str().is_none() {
                let problem = "its path is not UTF-8, and reports could not name it; expected another name";
                errors.push(at_file(&file, problem.to_owned()));
                continue;
            }
            match read_text(&file) {
                Ok(text) => features.add(&file, &text, catalogue, &mut errors),
                Err(error) => {
                    let (line, column) = error.place.unwrap_or((0, 0));
                    let at = Position { file: Arc::new(file.clone()), line, column };
                    errors.push(FeatureError { at, problem: format!("it cannot be read: {error}") });
                }
            }
        }
        if errors.is_empty() { Ok(features) } else { Err(FeatureErrors(errors)) }
    }

    /// Features of one text.
    #[cfg(test)]
    pub(crate) fn of_text(file: &Path, text: &str, catalogue: &Catalogue) -> Result<Self, FeatureErrors> {
        let (mut features, mut errors) = (Self::default(), Vec::new());
        features.add(file, text, catalogue, &mut errors);
        if errors.is_empty() { Ok(features) } else { Err(FeatureErrors(errors)) }
    }

    fn add(&mut self, file: &Path, text: &str, catalogue: &Catalogue, errors: &mut Vec<FeatureError>) {
        let lines = FeatureText::new(file.to_path_buf(), text);
        match parsed(file, text, &lines, catalogue) {
            Ok(feature) => {
                self.parsed.push(feature);
                self.texts.insert(file.to_path_buf(), Arc::new(lines));
            }
            Err(mut found) => {
                found.sort_by_key(|error| (error.at.line, error.at.column));
                errors.append(&mut found);
            }
        }
    }
}

fn at_file(path: &Path, problem: String) -> FeatureError {
    FeatureError { at: Position { file: Arc::new(path.to_path_buf()), line: 0, column: 0 }, problem }
}

/// The feature of a text, its outlines already expanded.
fn parsed(file: &Path, text: &str, lines: &FeatureText, catalogue: &Catalogue) -> Result<Feature, Vec<FeatureError>> {
    bounded(text, lines).map_err(|error| vec![error])?;
    let Layout { tags } = Layout::of(lines).map_err(|error| vec![error])?;
    let mut feature = parse(text, lines).map_err(|error| vec![error])?;
    feature.path = Some(file.to_path_buf());
    let errors = check(&feature, &tags, lines, catalogue);
    if errors.is_empty() { expanded(feature, lines) } else { Err(errors) }
}

fn bounded(text: &str, lines: &FeatureText) -> Result<(), FeatureError> {
    let (bytes, count) = (text.len(), lines.lines.len());
    if bytes <= MOST_BYTES && count <= MOST_LINES {
        return Ok(());
    }
    let problem = format!(
        "this feature has {count} lines and {bytes} bytes; expected at most {MOST_LINES} lines and {MOST_BYTES} bytes: \
         divide its scenarios, or the examples of an outline, among several files"
    );
    Err(FeatureError { at: lines.at(0, 0), problem })
}

fn parse(text: &str, lines: &FeatureText) -> Result<Feature, FeatureError> {
    // The parser's error gives its place in its text alone.
    Feature::parse(text, GherkinEnv::default()).map_err(|error| unreadable(lines, place_in(&error.to_string())))
}

/// `Error at 3:5: …`
fn place_in(message: &str) -> (usize, usize) {
    let place = message.strip_prefix("Error at ").unwrap_or_default();
    let mut numbers = place.split(':').map(|number| number.trim().parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// What the parser cannot read starts on this line, or on the first after it that is not blank.
fn unreadable(lines: &FeatureText, (line, _): (usize, usize)) -> FeatureError {
    let numbered = lines.lines.iter().enumerate().skip(line.saturating_sub(1));
    let found = numbered.map(|(index, text)| (index + 1, text)).find(|(_, text)| !text.trim().is_empty());
    let Some((line, text)) = found else {
        let problem = "the file ends too early; expected a feature with a scenario and its steps".to_owned();
        return FeatureError { at: lines.at(lines.lines.len().max(1), 1), problem };
    };
    let column = text.chars().take_while(|c| c.is_whitespace()).count() + 1;
    let problem = format!(
        "`{}` cannot be read here; expected a step, a table row, or `Scenario:` and the like. A description has no line \
         that starts with such a word",
        text.trim()
    );
    FeatureError { at: lines.at(line, column), problem }
}

fn expanded(mut feature: Feature, lines: &FeatureText) -> Result<Feature, Vec<FeatureError>> {
    let rules = feature.rules.iter_mut().map(|rule| &mut rule.scenarios);
    for scenarios in std::iter::once(&mut feature.scenarios).chain(rules) {
        *scenarios = std::mem::take(scenarios).into_iter().flat_map(|one| outline::by_row(one, lines)).collect();
    }
    feature.expand_examples().map_err(|error| {
        let problem = format!("`<{}>` is no column of the examples", error.name);
        vec![FeatureError { at: lines.at(error.pos.line, error.pos.col), problem }]
    })
}
