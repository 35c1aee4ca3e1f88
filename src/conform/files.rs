//! From paths to parsed features, with every mistake at its line.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cucumber::feature::Ext;
use gherkin::{Feature, GherkinEnv, ParseFileError, Scenario, StepType, Table};

use crate::gherkin::{Catalogue, FeatureText};
use crate::source::{Position, read_text};

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
    /// Reads these files, and every `.feature` file below these folders.
    ///
    /// # Errors
    /// All mistakes: a path that leads nowhere, a file that is no feature.
    pub fn read(paths: &[PathBuf], catalogue: &Catalogue) -> Result<Self, FeatureErrors> {
        let mut errors = Vec::new();
        let mut files = Vec::new();
        for path in paths {
            let before = files.len();
            if let Err(problem) = find(path, &mut files) {
                errors.push(at_file(path, format!("it cannot be read: {problem}")));
            } else if files.len() == before {
                errors
                    .push(at_file(path, "there is no feature below it; expected files that end in `.feature`".into()));
            }
        }
        files.sort();
        files.dedup();
        let mut features = Self::default();
        for file in files {
            match read_text(&file) {
                Ok(text) => features.add(&file, &text, catalogue, &mut errors),
                Err(problem) => errors.push(at_file(&file, format!("it cannot be read: {problem}"))),
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
        match parse(file, text, &lines) {
            Ok(feature) => {
                let found = errors.len();
                check(&feature, &lines, catalogue, errors);
                if errors.len() > found {
                    return;
                }
                match feature.expand_examples() {
                    Ok(feature) => {
                        self.parsed.push(feature);
                        self.texts.insert(file.to_path_buf(), Arc::new(lines));
                    }
                    Err(error) => errors.push(FeatureError {
                        at: lines.at(error.pos.line, error.pos.col),
                        problem: format!("`<{}>` is no column of the examples", error.name),
                    }),
                }
            }
            Err(error) => errors.push(error),
        }
    }
}

fn at_file(path: &Path, problem: String) -> FeatureError {
    FeatureError { at: Position { file: Arc::new(path.to_path_buf()), line: 0, column: 0 }, problem }
}

fn find(path: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !std::fs::metadata(path)?.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    for entry in std::fs::read_dir(path)? {
        let below = entry?.path();
        if below.is_dir() {
            find(&below, files)?;
        } else if below.extension().is_some_and(|extension| extension == "feature") {
            files.push(below);
        }
    }
    Ok(())
}

fn parse(file: &Path, text: &str, lines: &FeatureText) -> Result<Feature, FeatureError> {
    // The parser's error does not give its place but in its text; from a file it also tells what it stumbled over.
    match Feature::parse(text, GherkinEnv::default()) {
        Ok(mut feature) => {
            feature.path = Some(file.to_path_buf());
            Ok(feature)
        }
        Err(error) => {
            let (line, column) = place_in(&error.to_string());
            Err(unreadable(file, lines, line, column))
        }
    }
}

/// `Error at 3:5: …`
fn place_in(message: &str) -> (usize, usize) {
    let place = message.strip_prefix("Error at ").unwrap_or_default();
    let mut numbers = place.split(':').map(|number| number.trim().parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

fn unreadable(file: &Path, lines: &FeatureText, line: usize, column: usize) -> FeatureError {
    // What cannot be read starts on this line, or on the first after it that is not blank.
    let numbered = lines.lines.iter().enumerate().skip(line.saturating_sub(1));
    let found = numbered.map(|(index, text)| (index + 1, text.trim())).find(|(_, text)| !text.is_empty());
    let cause = match Feature::parse_path(file, GherkinEnv::default()) {
        Err(ParseFileError::Parsing { error: Some(gherkin::EnvError::UnsupportedLanguage(language)), .. }) => {
            Some(format!("language `{language}` is not known"))
        }
        Err(ParseFileError::Parsing { error: Some(gherkin::EnvError::InconsistentCellCount(rows)), .. }) => {
            Some(format!(
                "the rows of this table have {} cells in the first row, and others below",
                rows.first().map_or(0, Vec::len)
            ))
        }
        _ => None,
    };
    let (line, text) = found.unwrap_or((line, "the end of the file"));
    let problem = cause.unwrap_or_else(|| {
        format!(
            "`{text}` has no place here; expected a step (Given, When, Then, And, But), a table row, `Scenario:`, \
             `Scenario Outline:`, `Examples:`, `Rule:`, `Background:` or `Feature:`"
        )
    });
    FeatureError { at: lines.at(line, column.max(1)), problem }
}

/// What the parser lets pass, and would make a scenario prove nothing.
fn check(feature: &Feature, lines: &FeatureText, catalogue: &Catalogue, errors: &mut Vec<FeatureError>) {
    let mut found = Checked { lines, catalogue, errors };
    let rules = feature.rules.iter();
    let backgrounds = feature.background.iter().chain(rules.clone().filter_map(|rule| rule.background.as_ref()));
    for background in backgrounds {
        found.description(background.description.as_deref(), background.position.line);
        background.steps.iter().filter_map(|step| step.table.as_ref()).for_each(|table| found.table(table));
    }
    for scenario in feature.scenarios.iter().chain(rules.flat_map(|rule| &rule.scenarios)) {
        found.scenario(scenario);
    }
    if feature.scenarios.is_empty() && feature.rules.iter().all(|rule| rule.scenarios.is_empty()) {
        let at = lines.at(feature.position.line, feature.position.col);
        found
            .errors
            .push(FeatureError { at, problem: "this feature has no scenario, so it would prove nothing".to_owned() });
    }
}

struct Checked<'c> {
    lines: &'c FeatureText,
    catalogue: &'c Catalogue,
    errors: &'c mut Vec<FeatureError>,
}

impl Checked<'_> {
    fn scenario(&mut self, scenario: &Scenario) {
        self.description(scenario.description.as_deref(), scenario.position.line);
        let at = self.lines.at(scenario.position.line, scenario.position.col);
        if !scenario.steps.iter().any(|step| step.ty == StepType::Then) {
            let problem = format!("scenario `{}` has no `Then`, so it would prove nothing", scenario.name);
            self.errors.push(FeatureError { at: at.clone(), problem });
        }
        let rows = |examples: &gherkin::Examples| examples.table.as_ref().map_or(0, |table| table.rows.len());
        let outline = scenario.keyword.contains("Outline") || scenario.keyword.contains("Template");
        if (outline || !scenario.examples.is_empty()) && scenario.examples.iter().all(|examples| rows(examples) < 2) {
            let problem = format!("outline `{}` has no examples, so it would prove nothing", scenario.name);
            self.errors.push(FeatureError { at, problem });
        }
        let tables = scenario.steps.iter().filter_map(|step| step.table.as_ref());
        let examples = scenario.examples.iter().filter_map(|examples| examples.table.as_ref());
        tables.chain(examples).for_each(|table| self.table(table));
    }

    /// A step whose keyword is misspelt is text to the parser, and the scenario would run without it.
    fn description(&mut self, description: Option<&str>, line: usize) {
        for text in description.into_iter().flat_map(str::lines).map(str::trim) {
            let Some((keyword, step)) = text.split_once(' ') else { continue };
            let known = [StepType::Given, StepType::When, StepType::Then];
            if known.into_iter().any(|ty| self.catalogue.matching(ty, step).next().is_some()) {
                let at = self.place_of(text, line);
                let problem = format!(
                    "`{keyword}` is no keyword of a step; expected Given, When, Then, And or But before `{step}`"
                );
                self.errors.push(FeatureError { at, problem });
            }
        }
    }

    fn place_of(&self, text: &str, from: usize) -> Position {
        let below = self.lines.lines.iter().enumerate().skip(from.saturating_sub(1));
        let line = below.into_iter().find(|(_, line)| line.trim() == text).map_or(from, |(index, _)| index + 1);
        self.lines.at(line, 1)
    }

    /// The parser cuts rows that are longer than the first.
    fn table(&mut self, table: &Table) {
        let rows = self.lines.table_rows(table.position.line);
        let Some((_, head)) = rows.first() else { return };
        for (line, cells) in rows.iter().take(table.rows.len()) {
            if cells.len() != head.len() {
                let at = self.lines.at(*line, cells.last().copied().unwrap_or(1));
                let problem = format!("this row has {} cells; expected {}, as in the first", cells.len(), head.len());
                self.errors.push(FeatureError { at, problem });
            }
        }
    }
}
