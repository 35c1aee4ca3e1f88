//! Errors as a person reads them: the line of the file, with a caret under the word.

use std::collections::BTreeSet;

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report};

use crate::campaign::{CampaignError, CampaignErrors};
use crate::drill::DrillErrors;
use crate::report::Style;
use crate::source::Position;

use super::run::RunError;

/// What is wrong with a run, in full.
pub(super) fn of_run(error: &RunError, style: Style) -> String {
    match error {
        RunError::Drill(errors) => all(of_drill(errors, style)),
        RunError::Campaign(errors) => all(of_campaign(errors, style)),
        other => other.to_string(),
    }
}

fn all(mut shown: Vec<String>) -> String {
    // Drills of a campaign may share a zone, and then have its mistakes in common.
    let mut seen = BTreeSet::new();
    shown.retain(|mistake| seen.insert(mistake.clone()));
    let count = match shown.len() {
        1 => "1 mistake".to_owned(),
        count => format!("{count} mistakes"),
    };
    format!("{count}; nothing was started\n\n{}", shown.join("\n"))
}

fn of_drill(errors: &DrillErrors, style: Style) -> Vec<String> {
    let one = |error: &crate::drill::DrillError| {
        let at = error.position();
        drawn(&error.to_string(), at, errors.text(&at.file), style)
    };
    errors.errors.iter().map(one).collect()
}

fn of_campaign(errors: &CampaignErrors, style: Style) -> Vec<String> {
    let one = |error: &CampaignError| match error {
        CampaignError::Drill(errors) => of_drill(errors, style),
        CampaignError::Campaign { at, .. } => vec![drawn(&error.to_string(), at, errors.text(&at.file), style)],
        CampaignError::NotYaml(source) => {
            vec![drawn(&error.to_string(), &source.at, errors.text(&source.at.file), style)]
        }
    };
    errors.errors.iter().flat_map(one).collect()
}

/// A message, with the place that it speaks of where its file could be read.
fn drawn(message: &str, at: &Position, source: Option<&str>, style: Style) -> String {
    let mut text = message.to_owned();
    let span = source.and_then(|source| Some((source, word_at(source, at)?)));
    if let Some((source, (start, length))) = span {
        let label = LabeledSpan::at(start..start + length, "here");
        let diagnostic = MietteDiagnostic::new(message.to_owned()).with_label(label);
        let named = NamedSource::new(at.file.display().to_string(), source.to_owned());
        let theme = if style.colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(style.width.into())
            .with_context_lines(1)
            .with_break_words(false)
            .with_wrap_lines(true);
        let report = Report::new(diagnostic).with_source_code(named);
        let mut page = String::new();
        if handler.render_report(&mut page, report.as_ref()).is_ok() {
            text = page;
        }
    }
    text
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

    #[test]
    fn a_position_past_the_end_is_no_panic() {
        let text = "drill: x";
        assert_eq!(word_at(text, &Position { line: 9, column: 1, ..Position::default() }), None);
        assert_eq!(word_at(text, &Position { line: 1, column: 99, ..Position::default() }), Some((8, 0)));
    }
}
