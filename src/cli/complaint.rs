//! Errors as a person reads them: the line of the file, with a caret under the word.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};

use crate::campaign::{CampaignError, CampaignErrors};
use crate::drill::DrillErrors;
use crate::report::{Style, visible};
use crate::source::Position;
use crate::zone::ZoneErrors;

use super::explain::ExplainError;
use super::import::ImportError;
use super::matrix::MatrixError;
use super::run::RunError;

/// How many mistakes are shown at most: who has more of them mends these first.
const MOST: usize = 20;

/// A mistake, and the text of the file in which it stands where that could be read.
struct Mistake<'a> {
    message: String,
    at: &'a Position,
    source: Option<&'a str>,
}

/// What is wrong with a run.
pub(super) fn of_run(error: &RunError, style: Style) -> String {
    match error {
        RunError::Drill(errors) => all(of_drill(errors).collect(), style),
        RunError::Campaign(errors) => all(of_campaign(errors), style),
        other => visible(&other.to_string()).into_owned(),
    }
}

/// What is wrong with a matrix.
pub(super) fn of_matrix(error: &MatrixError, style: Style) -> String {
    match error {
        MatrixError::Run(error) => of_run(error, style),
        other => visible(&other.to_string()).into_owned(),
    }
}

/// What is told of a question that cannot be put.
pub(super) fn of_explain(error: &ExplainError, style: Style) -> String {
    match error {
        ExplainError::Tree(error) => of_import(error, style),
        other => other.to_string(),
    }
}

/// What is wrong with what was to be imported.
pub(super) fn of_import(error: &ImportError, style: Style) -> String {
    match error {
        ImportError::Content { errors, texts } => of_zones(errors, texts, style),
        other => visible(&other.to_string()).into_owned(),
    }
}

/// What is wrong with files, each mistake with the text of its file.
fn of_zones(errors: &ZoneErrors, texts: &BTreeMap<PathBuf, String>, style: Style) -> String {
    let mistakes = errors.0.iter().map(|error| {
        let at = error.at();
        Mistake { message: error.to_string(), at, source: texts.get(at.file.as_path()).map(String::as_str) }
    });
    all_with(mistakes.collect(), "nothing was written", style)
}

fn all(mistakes: Vec<Mistake<'_>>, style: Style) -> String {
    all_with(mistakes, "nothing was started", style)
}

fn all_with(mut mistakes: Vec<Mistake<'_>>, consequence: &str, style: Style) -> String {
    // Drills of a campaign may share a zone, and then have its mistakes in common.
    let mut seen = BTreeSet::new();
    mistakes.retain(|mistake| seen.insert(mistake.message.clone()));
    let count = match mistakes.len() {
        1 => "1 mistake".to_owned(),
        count => format!("{count} mistakes"),
    };
    let shown: Vec<String> = mistakes.iter().take(MOST).map(|mistake| mistake.drawn(style)).collect();
    let more = match mistakes.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("\nand {more} more, which are not shown; mend these {MOST} first"),
    };
    format!("{count}; {consequence}\n\n{}{more}", shown.join("\n"))
}

fn of_drill(errors: &DrillErrors) -> impl Iterator<Item = Mistake<'_>> {
    errors.errors.iter().map(|error| {
        let at = error.position();
        Mistake { message: error.to_string(), at, source: errors.text(&at.file) }
    })
}

fn of_campaign(errors: &CampaignErrors) -> Vec<Mistake<'_>> {
    let mut mistakes = Vec::new();
    for error in &errors.errors {
        let at = match error {
            CampaignError::Drill(errors) => {
                mistakes.extend(of_drill(errors));
                continue;
            }
            CampaignError::Campaign { at, .. } => at,
            CampaignError::NotYaml(source) => &source.at,
        };
        mistakes.push(Mistake { message: error.to_string(), at, source: errors.text(&at.file) });
    }
    mistakes
}

impl Mistake<'_> {
    /// The message, with the place that it speaks of.
    fn drawn(&self, style: Style) -> String {
        let message = visible(&self.message).into_owned();
        let Some(source) = self.source.map(|text| visible(&text.replace("\r\n", "\n")).into_owned()) else {
            return message;
        };
        let Some((start, length)) = word_at(&source, self.at) else { return message };
        if let Some(excerpt) = of_long_line(&source, start, length) {
            return format!("{message}\n  {excerpt}\n");
        }
        let label = LabeledSpan::at(start..start + length, "here");
        let diagnostic = MietteDiagnostic::new(message.clone()).with_label(label);
        let file = self.at.file.display().to_string();
        let theme = if style.colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(style.width.into())
            .with_context_lines(1)
            .with_break_words(false)
            .with_wrap_lines(true);
        let report = Report::new(diagnostic).with_source_code(NamedSource::new(visible(&file), source));
        let mut page = String::new();
        if handler.render_report(&mut page, report.as_ref()).is_ok() { page } else { message }
    }
}

/// What stands around a word in a line that is too long to be shown: programs write JSON in one.
fn of_long_line(text: &str, start: usize, length: usize) -> Option<String> {
    const LONGEST: usize = 400;
    const AROUND: usize = 30;
    let line_start = text[..start].rfind('\n').map_or(0, |end| end + 1);
    let line = text[line_start..].lines().next().unwrap_or_default();
    if line.len() <= LONGEST {
        return None;
    }
    let start = start - line_start;
    let before: String = {
        let mut last: Vec<char> = line[..start].chars().rev().take(AROUND).collect();
        last.reverse();
        last.into_iter().collect()
    };
    let after: String = line[start..].chars().take(AROUND + length.min(AROUND)).collect();
    Some(format!("… {before}{after} …"))
}

/// The word at a position, as bytes of the text: where it starts, how long it is.
fn word_at(text: &str, at: &Position) -> Option<(usize, usize)> {
    let line_start = match at.line {
        0 => return None,
        1 => 0,
        line => text.match_indices('\n').nth(line - 2)?.0 + 1,
    };
    let line = text[line_start..].lines().next().unwrap_or_default();
    let before = line.char_indices().nth(at.column.max(1) - 1).map_or(line.len(), |(byte, _)| byte);
    let word = &line[before..];
    let mut quoted = word.starts_with(['"', '\'']);
    let length = word
        .char_indices()
        .skip(1)
        .find(|(_, c)| {
            let ends = if quoted { matches!(c, '"' | '\'') } else { c.is_whitespace() || ",:}]".contains(*c) };
            quoted &= !ends;
            ends
        })
        .map_or(word.len(), |(byte, c)| if "\"'".contains(c) { byte + c.len_utf8() } else { byte });
    Some((line_start + before, length.max(1).min(text.len().saturating_sub(line_start + before))))
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    fn word(text: &str, line: usize, column: usize) -> &str {
        let (start, length) = word_at(text, &Position { line, column, ..Position::default() }).unwrap();
        &text[start..start + length]
    }

    #[test]
    fn the_caret_stands_under_the_whole_word() {
        let text = "drill: x\nclients:\n  br: {place: Brasil, every: 5s}\n  é: \"two words\" # no\n";
        assert_eq!(word(text, 3, 15), "Brasil");
        assert_eq!(word(text, 3, 8), "place");
        assert_eq!(word(text, 4, 6), "\"two words\"");
    }

    /// A drill in which each of so many clients has one mistake.
    fn drill_with(mistakes: usize) -> RunError {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("many.yaml");
        let mut text =
            "drill: many\ntitle: Many\nzone: z.json\nname: a.example\ncells: {}\nresolvers: {}\nclients:\n".to_owned();
        for client in 0..mistakes {
            writeln!(text, "  c{client}: {{ place: Brazil, resolver: none, profile: fresh-lookup }}").unwrap();
        }
        std::fs::write(&file, text + "fault: { kill-region: a }\nexpect: []\n").unwrap();
        RunError::Drill(crate::drill::load(&file).unwrap_err())
    }

    #[test]
    fn of_many_mistakes_the_first_are_shown_and_the_others_counted() {
        let told = of_run(&drill_with(3000), Style::PLAIN);
        assert_eq!(told.matches("╭─").count(), MOST, "{told}");
        let count: usize = told.split_once(' ').unwrap().0.parse().unwrap();
        assert!(count >= 3000, "{count}");
        assert!(
            told.ends_with(&format!("and {} more, which are not shown; mend these 20 first", count - MOST)),
            "{told}"
        );
        assert!(told.len() < 20_000, "{}", told.len());
    }

    #[test]
    fn controls_in_a_file_are_shown_and_the_caret_still_stands_under_the_word() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("escape.yaml");
        std::fs::write(&file, "drill: \"\\e[31mred\\a\"\r\ntitle: x # \u{9b}2J\r\nzone: null\r\n").unwrap();
        for text in ["drill: \"\\e[31mred\"\r\n", "# \u{9b}2J\u{202e}\ndrill: null\n", "\"\\e[2J\": 1\ndrill: x\n"] {
            std::fs::write(&file, text).unwrap();
            let told = of_run(&RunError::Drill(crate::drill::load(&file).unwrap_err()), Style::PLAIN);
            let obeyed = |c: char| c != '\n' && c.is_control() || c == '\u{202e}';
            assert!(!told.contains(obeyed), "{told:?}");
        }
        assert_eq!(
            word_at(&visible("a\u{1b}b: \u{7}c d"), &Position { line: 1, column: 6, ..Position::default() }),
            Some((7, 4))
        );
    }

    #[test]
    fn of_a_line_of_many_kilobytes_only_what_stands_around_the_word_is_shown() {
        let text =
            format!("{{\"a\": [{}], \"Type\": \"AAAB\", \"b\": [{}]}}", "1, ".repeat(9_000), "2, ".repeat(9_000));
        let byte = text.find("\"AAAB\"").unwrap();
        let at = Position { line: 1, column: byte + 1, ..Position::default() };
        let mistake = Mistake { message: "x:1:9: no".to_owned(), at: &at, source: Some(&text) };
        let drawn = mistake.drawn(Style::PLAIN);
        assert!(drawn.contains("\"Type\": \"AAAB\", \"b\": [2"), "{drawn}");
        assert!(drawn.lines().all(|line| line.chars().count() <= 100), "{drawn}");
    }

    #[test]
    fn a_position_past_the_end_is_no_panic() {
        let text = "drill: x";
        assert_eq!(word_at(text, &Position { line: 9, column: 1, ..Position::default() }), None);
        assert_eq!(word_at(text, &Position { line: 1, column: 99, ..Position::default() }), Some((8, 0)));
    }
}
