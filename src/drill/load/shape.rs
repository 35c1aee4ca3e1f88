//! The shape of a file: which keys there are, and whether their values are of the right kind.

use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment as Step};

use crate::source::{Position, Segment, SourceMap};

use super::super::error::Problem;
use super::{expected, wording};

#[cfg(test)]
mod tests;

/// Reads `text`, which `map` maps; `whole` is what the file is, as in "the drill".
pub(crate) fn parse<T: DeserializeOwned>(map: &SourceMap, text: &str, whole: &str) -> Result<T, (Position, Problem)> {
    // Of a key that may be missing the parser would take `null` for the same.
    if let Some((way, at)) = map.nothing()
        && let Some(said) = expected::of::<T>(way)
    {
        return Err(misfit(map, &path_of(way), Some(at), &said, whole));
    }
    serde_path_to_error::deserialize(serde_yaml::Deserializer::from_str(text)).map_err(|error| {
        let said = without_place(&error.inner().to_string(), error.path());
        misfit(map, &dotted(error.path()), None, &said, whole)
    })
}

/// What the parser says of the value at `path`, as a mistake; `at` where that is known better than from the path.
fn misfit(map: &SourceMap, path: &str, at: Option<Position>, said: &str, whole: &str) -> (Position, Problem) {
    if let Some((key, known)) = unknown_key(said) {
        // The parser's path leads to the key itself, except where the key is no plain word.
        let leads_there = path == key || path.ends_with(&format!(".{key}"));
        let path = if leads_there { path.to_owned() } else { join(path, &key) };
        return (map.key(&path), Problem::UnknownKey { key, known });
    }
    let at = at.unwrap_or_else(|| map.value(path));
    let path = if path.is_empty() { whole } else { path }.to_owned();
    (at, Problem::Shape { path, problem: wording::of(said) })
}

fn path_of(way: &[Segment]) -> String {
    way.iter().fold(String::new(), |path, segment| match segment {
        Segment::Key(key) => join(&path, key),
        Segment::Index(index) => join(&path, &index.to_string()),
    })
}

/// The path as [`SourceMap`] writes it.
fn dotted(path: &Path) -> String {
    path.iter().fold(String::new(), |path, segment| match segment {
        Step::Seq { index } => join(&path, &index.to_string()),
        Step::Map { key } => join(&path, key),
        Step::Enum { variant } => join(&path, variant),
        Step::Unknown => path,
    })
}

fn join(path: &str, segment: &str) -> String {
    if path.is_empty() { segment.to_owned() } else { format!("{path}.{segment}") }
}

/// The parser's words without its own path in front and its own position behind: both are told better elsewhere.
fn without_place(said: &str, path: &Path) -> String {
    let said = said.strip_prefix(&format!("{path}: ")).unwrap_or(said);
    let said = said.split_once(": ").filter(|(before, _)| is_path(before)).map_or(said, |(_, rest)| rest);
    said.rsplit_once(" at line ").map_or(said, |(before, _)| before).to_owned()
}

/// Whether this can be the path that the parser writes in front of what it says, for example `clients.br.every`.
fn is_path(text: &str) -> bool {
    !text.contains([' ', '`']) && !text.is_empty()
}

/// The key and what could stand in its place, out of serde's words for an unknown field.
fn unknown_key(said: &str) -> Option<(String, Vec<String>)> {
    let rest = said.strip_prefix("unknown field `")?;
    let (key, rest) = rest.split_once('`')?;
    let known = rest.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    Some((key.to_owned(), known))
}
