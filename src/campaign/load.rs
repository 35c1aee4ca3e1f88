//! Loading: a campaign file in, every drill that it names loaded, or all mistakes of all of them out.
//!
//! It reads files and nothing else. Nothing is started while one of them has a mistake.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::drill::{self, LoadedDrill, no_title, not_plain, shape, source, unreadable};
use crate::mistakes::Mistakes;
use crate::plan::Source;
use crate::source::{Position, SourceMap, TextError, read_text};

use super::error::{CampaignError, CampaignErrors, Problem};
use super::schema::CampaignFile;

#[cfg(test)]
mod tests;

/// How many drills are run side by side when the campaign does not say.
const AT_ONCE: u32 = 4;
/// What a campaign may say.
const MOST_AT_ONCE: u32 = 16;

/// What a file says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A drill. Also what cannot be read at all: loading it as a drill tells why.
    Drill,
    /// A campaign.
    Campaign,
}

/// A campaign whose drills are all loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedCampaign {
    /// The campaign's name, also that of its report folder.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// How many drills are run side by side at most; 1 to 16.
    pub at_once: usize,
    /// The campaign file.
    pub source: Source,
    /// At least one; no name stands twice.
    pub drills: Vec<Member>,
}

/// One drill of a campaign.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Its file, as this process can open it.
    pub file: PathBuf,
    /// What it says.
    pub drill: LoadedDrill,
}

/// Whether a file is a drill or a campaign, by its keys at the top.
///
/// # Errors
/// When it is neither.
pub fn kind(path: &Path) -> Result<Kind, CampaignErrors> {
    let Ok(text) = read_text(path) else { return Ok(Kind::Drill) };
    let Ok(map) = SourceMap::of_yaml(path, &text) else { return Ok(Kind::Drill) };
    told_kind(&map).ok_or_else(|| {
        let found = map.top_keys().map(str::to_owned).collect();
        let error = CampaignError::Campaign { at: map.value(""), problem: Problem::NeitherKind { found } };
        with_text(vec![error], path, &text)
    })
}

/// The mistakes, with the text of the campaign file.
fn with_text(errors: Vec<CampaignError>, file: &Path, text: &str) -> CampaignErrors {
    Mistakes::new(errors, BTreeMap::from([(file.to_path_buf(), text.into())]))
}

fn told_kind(map: &SourceMap) -> Option<Kind> {
    let has = |wanted| map.top_keys().any(|key| key == wanted);
    if has("campaign") {
        return Some(Kind::Campaign);
    }
    has("drill").then_some(Kind::Drill)
}

/// Loads the campaign at `path`, and every drill that it names.
///
/// # Errors
/// All mistakes of all files. When the campaign file cannot be read at all, or its shape does not fit, only that.
pub fn load(path: &Path) -> Result<LoadedCampaign, CampaignErrors> {
    let text = read_text(path).map_err(|error| {
        let at = Position { file: Arc::new(path.to_path_buf()), line: 0, column: 0 };
        with_text(vec![of_file(at, path, &error)], path, "")
    })?;
    load_text(path, &text).map_err(|errors| with_text(errors, path, &text))
}

fn load_text(path: &Path, text: &str) -> Result<LoadedCampaign, Vec<CampaignError>> {
    let map = SourceMap::of_yaml(path, text).map_err(|error| vec![error.into()])?;
    let file: CampaignFile = shape::parse(&map, text, "the campaign")
        .map_err(|(at, problem)| vec![CampaignError::Campaign { at, problem: problem.into() }])?;
    let mut errors = Vec::new();
    let mut complain = |at: Position, problem: drill::Problem| {
        errors.push(CampaignError::Campaign { at, problem: problem.into() });
    };
    if let Some(problem) = not_plain("the campaign's name", &file.campaign) {
        complain(map.key("campaign"), problem);
    }
    let title = file.title.trim();
    if let Some(problem) = no_title(title) {
        complain(map.value("title"), problem);
    }
    if file.drills.is_empty() {
        complain(map.key("drills"), drill::Problem::Empty { what: "drills" });
    }
    let at_once = file.at_once.unwrap_or(AT_ONCE);
    if !(1..=MOST_AT_ONCE).contains(&at_once) {
        let expected = format!("1 to {MOST_AT_ONCE}");
        let problem = drill::Problem::OutOfRange { key: "at-once", found: at_once.to_string(), expected };
        complain(map.value("at-once"), problem);
    }
    let drills = members(&map, path.parent().unwrap_or(Path::new("")), &file.drills, &mut errors);
    if errors.is_empty() {
        let at_once = usize::try_from(at_once).unwrap_or(1);
        return Ok(LoadedCampaign {
            name: file.campaign,
            title: title.to_owned(),
            at_once,
            source: source(path, text),
            drills,
        });
    }
    // What stands in the campaign file itself is told first, in its order.
    errors.sort_by_key(|error| match error {
        CampaignError::Campaign { at, .. } => (0, at.line, at.column),
        CampaignError::NotYaml(_) | CampaignError::Drill(_) => (1, 0, 0),
    });
    Err(errors)
}

/// Every drill that could be loaded; the mistakes of the others.
fn members(map: &SourceMap, beside: &Path, written: &[String], errors: &mut Vec<CampaignError>) -> Vec<Member> {
    let mut members: Vec<Member> = Vec::new();
    let mut lines: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for (index, word) in written.iter().enumerate() {
        let at = map.value(&format!("drills.{index}"));
        let file = beside.join(word);
        // One file may be written in several ways: `a.yaml`, `./a.yaml`.
        let same = file.canonicalize().unwrap_or_else(|_| file.clone());
        if let Some(&first) = lines.get(&same) {
            errors.push(CampaignError::Campaign { at, problem: Problem::NamedTwice { drill: word.clone(), first } });
            continue;
        }
        lines.insert(same, at.line);
        let drill = match member(&file, word, &at) {
            Ok(drill) => drill,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        if let Some(first) = members.iter().find(|member| member.drill.name == drill.name) {
            let first = first.file.display().to_string();
            let problem = Problem::SameName { drill: drill.name, file: file.display().to_string(), first };
            errors.push(CampaignError::Campaign { at, problem });
            continue;
        }
        members.push(Member { file, drill });
    }
    members
}

fn member(file: &Path, word: &str, at: &Position) -> Result<LoadedDrill, CampaignError> {
    let text = read_text(file).map_err(|error| of_file(at.clone(), file, &error))?;
    let inside = SourceMap::of_yaml(file, &text).ok().as_ref().and_then(told_kind);
    if inside == Some(Kind::Campaign) {
        let problem = Problem::CampaignInside { file: word.to_owned() };
        return Err(CampaignError::Campaign { at: at.clone(), problem });
    }
    Ok(drill::load(file)?)
}

fn of_file(named_at: Position, file: &Path, error: &TextError) -> CampaignError {
    let (at, problem) = unreadable(named_at, file, error);
    CampaignError::Campaign { at, problem: problem.into() }
}
