//! A JSON value that knows where it stands, and collects what is wrong instead of stopping at it.

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Map, Value};

use hickory_proto::rr::{Name, RecordType};

use crate::source::{Position, SourceError, SourceMap, nearest};

use super::{
    RecordProblem, SUPPORTED_TYPES, ZoneError, ZoneErrors, is_unknown, name_of_text, type_of_text, unknown_name,
};

/// Something worth knowing about what was read that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where.
    pub at: Position,
    /// One sentence.
    pub text: String,
}

/// A JSON text twice: where everything stands, and what it is.
///
/// # Errors
/// When it is no JSON, has a key twice in one object, or is nested more than 128 deep.
pub(crate) fn json(file: &Path, text: &str) -> Result<(SourceMap, Value), SourceError> {
    let map = SourceMap::of_json(file, text)?;
    let value = serde_json::from_str(text).map_err(|error| SourceError {
        at: map.position((error.line(), error.column())),
        format: "JSON",
        problem: error.to_string(),
    })?;
    Ok((map, value))
}

/// A YAML text twice: where everything stands, and what it is.
///
/// # Errors
/// When it is no YAML, has a key twice, uses anchors or tags, or is nested more than 128 deep.
pub(crate) fn yaml(file: &Path, text: &str) -> Result<(SourceMap, Value), SourceError> {
    if let Some(place) = too_deep(text) {
        let at = Position { file: Arc::new(file.to_path_buf()), line: place.0, column: place.1 };
        let problem = format!("more than {DEEPEST} brackets or lists are open; expected far fewer");
        return Err(SourceError { at, format: "YAML", problem });
    }
    // This parser looks at the depth before anything is built that deep.
    let value = serde_yaml::from_str(text).map_err(|error| {
        let at = error.location().map_or((1, 1), |place| (place.line(), place.column()));
        let (line, column) = at;
        let at = Position { file: Arc::new(file.to_path_buf()), line, column };
        let problem = error.to_string();
        let problem = problem.rsplit_once(" at line ").map_or(problem.clone(), |(said, _)| said.to_owned());
        SourceError { at, format: "YAML", problem }
    });
    // What is wrong with a text is told better by the parser that knows every place.
    match value {
        Ok(value) => Ok((SourceMap::of_yaml(file, text)?, value)),
        Err(error) => Err(error),
    }
}

/// So many brackets open, or lists begun on one line, are no file that anybody wrote; the parser, whose own limit is far
/// lower, would take long over them.
const DEEPEST: usize = 1_000;

/// Where a text first goes deeper than [`DEEPEST`], as line and column. It knows no quotes: its limit is too high to
/// meet a text in which brackets are only written.
fn too_deep(text: &str) -> Option<(usize, usize)> {
    let mut open = 0_usize;
    for (number, line) in text.lines().enumerate() {
        let mut begun = Some(0_usize);
        for (place, c) in line.chars().enumerate() {
            match c {
                '[' | '{' => open += 1,
                ']' | '}' => open = open.saturating_sub(1),
                _ => {}
            }
            begun = match c {
                '-' | '?' | ':' => begun.map(|begun| begun + 1),
                ' ' => begun,
                _ => None,
            };
            if open > DEEPEST || begun.is_some_and(|begun| begun > DEEPEST) {
                return Some((number + 1, place + 1));
            }
        }
    }
    None
}

/// What was found on the way.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    errors: RefCell<Vec<ZoneError>>,
    notes: RefCell<Vec<Note>>,
}

impl Findings {
    pub(crate) fn add(&self, error: ZoneError) {
        self.errors.borrow_mut().push(error);
    }

    pub(crate) fn note(&self, at: Position, text: String) {
        self.notes.borrow_mut().push(Note { at, text });
    }

    /// # Errors
    /// All that was found, if anything was; it is taken out.
    pub(crate) fn none_so_far(&self) -> Result<(), ZoneErrors> {
        ZoneErrors::none_of(self.errors.take())
    }

    /// The notes; they are taken out.
    pub(crate) fn notes(&self) -> Vec<Note> {
        self.notes.take()
    }

    pub(crate) fn into_parts(self) -> (Vec<ZoneError>, Vec<Note>) {
        (self.errors.into_inner(), self.notes.into_inner())
    }

    /// The errors, if any, and else the notes.
    pub(crate) fn finish(self) -> Result<Vec<Note>, ZoneErrors> {
        ZoneErrors::none_of(self.errors.into_inner())?;
        Ok(self.notes.into_inner())
    }
}

/// How the keys of a document are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// As in Route 53's API: `SetIdentifier`.
    #[default]
    Api,
    /// The same words as muster's own YAML has them: `set-identifier`.
    Kebab,
}

/// A key of Route 53's API in muster's own YAML: `DNSName` is `dns-name`.
pub(crate) fn kebab(key: &str) -> String {
    let chars: Vec<char> = key.chars().collect();
    let mut spelled = String::new();
    for (place, c) in chars.iter().enumerate() {
        let after_small = place > 0 && !chars[place - 1].is_ascii_uppercase();
        let starts_word = place > 0 && chars.get(place + 1).is_some_and(char::is_ascii_lowercase);
        if c.is_ascii_uppercase() && (after_small || starts_word) {
            spelled.push('-');
        }
        spelled.push(c.to_ascii_lowercase());
    }
    spelled
}

/// One value of the document.
#[derive(Clone)]
pub(crate) struct Node<'a> {
    value: &'a Value,
    path: String,
    map: &'a SourceMap,
    findings: &'a Findings,
    spelling: Spelling,
}

impl<'a> Node<'a> {
    pub(crate) fn root(value: &'a Value, map: &'a SourceMap, findings: &'a Findings) -> Self {
        Self { value, path: String::new(), map, findings, spelling: Spelling::Api }
    }

    /// A value that stands, perhaps changed, at this path of the document.
    pub(crate) const fn at_path(value: &'a Value, path: String, map: &'a SourceMap, findings: &'a Findings) -> Self {
        Self { value, path, map, findings, spelling: Spelling::Api }
    }

    /// The same, its keys and those below it spelled otherwise.
    pub(crate) fn spelled(self, spelling: Spelling) -> Self {
        Self { spelling, ..self }
    }

    /// How its keys are spelled.
    pub(crate) const fn spelling(&self) -> Spelling {
        self.spelling
    }

    fn key<'k>(&self, key: &'k str) -> Cow<'k, str> {
        match self.spelling {
            Spelling::Api => Cow::Borrowed(key),
            Spelling::Kebab => Cow::Owned(kebab(key)),
        }
    }

    /// The value of each key, whatever the keys are.
    pub(crate) fn entries(&self) -> Vec<(&'a str, Self)> {
        let Some(object) = self.object() else { return Vec::new() };
        object.iter().map(|(key, value)| (key.as_str(), self.below(key, value))).collect()
    }

    /// Another value that stands at this path of the same document.
    pub(crate) const fn elsewhere(&self, value: &'a Value, path: String) -> Self {
        Self::at_path(value, path, self.map, self.findings)
    }

    /// The same value in another shape: what stands below it is looked for at its own place.
    pub(crate) fn reshaped<'b>(&self, value: &'b Value) -> Node<'b>
    where
        'a: 'b,
    {
        Node { value, path: self.path.clone(), map: self.map, findings: self.findings, spelling: self.spelling }
    }

    /// The way to it in the document.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    pub(crate) const fn findings(&self) -> &'a Findings {
        self.findings
    }

    pub(crate) const fn value(&self) -> &'a Value {
        self.value
    }

    /// Where the value starts.
    pub(crate) fn at(&self) -> Position {
        self.map.value(&self.path)
    }

    /// Where the key of this value starts.
    pub(crate) fn key_at(&self) -> Position {
        self.map.key(&self.path)
    }

    pub(crate) fn invalid(&self, problem: String) {
        self.findings.add(ZoneError::Invalid { at: self.at(), problem });
    }

    fn wrong(&self, expected: &str) {
        self.invalid(format!("found {}; expected {expected}", kind(self.value)));
    }

    fn below(&self, key: &str, value: &'a Value) -> Self {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Self { value, path, map: self.map, findings: self.findings, spelling: self.spelling }
    }

    pub(crate) fn object(&self) -> Option<&'a Map<String, Value>> {
        let object = self.value.as_object();
        if object.is_none() {
            self.wrong("an object");
        }
        object
    }

    /// The value of a key; `null` counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<Self> {
        let key = self.key(key);
        let value = self.value.as_object()?.get(key.as_ref())?;
        (!value.is_null()).then(|| self.below(&key, value))
    }

    /// The value of a key that must be there.
    pub(crate) fn need(&self, key: &str) -> Option<Self> {
        let found = self.get(key);
        if found.is_none() && self.value.is_object() {
            self.invalid(format!("`{}` is missing", self.key(key)));
        }
        found
    }

    pub(crate) fn items(&self) -> Vec<Self> {
        let Some(items) = self.value.as_array() else {
            self.wrong("a list");
            return Vec::new();
        };
        items.iter().enumerate().map(|(index, value)| self.below(&index.to_string(), value)).collect()
    }

    pub(crate) fn text(&self) -> Option<&'a str> {
        let text = self.value.as_str();
        if text.is_none() {
            self.wrong("a text");
        }
        text
    }

    pub(crate) fn flag(&self) -> Option<bool> {
        let flag = self.value.as_bool();
        if flag.is_none() {
            self.wrong("`true` or `false`");
        }
        flag
    }

    /// An absolute name in lower case, its octal escapes resolved; a missing trailing dot is no matter. What stands for a
    /// name that is not known yet is one too.
    pub(crate) fn name(&self) -> Option<Name> {
        let text = self.text()?;
        if is_unknown(text) {
            let name = unknown_name(text);
            if name.is_none() {
                self.invalid(format!("`{text}` is longer than a domain name can be; expected a shorter address"));
            }
            return name;
        }
        match name_of_text(text) {
            Ok(name) => {
                let mut name = name.to_lowercase();
                name.set_fqdn(true);
                Some(name)
            }
            Err(problem) => {
                self.invalid(format!("`{text}` is no domain name: {problem}"));
                None
            }
        }
    }

    /// A record type that Route 53 keeps, by its name.
    pub(crate) fn record_type(&self) -> Option<RecordType> {
        let text = self.text()?;
        let found = type_of_text(text);
        if found.is_none() {
            let hint = nearest(text, SUPPORTED_TYPES.iter().map(|(known, _)| *known)).map_or_else(
                || "expected one of the types that Route 53 keeps".to_owned(),
                |known| format!("did you mean `{known}`?"),
            );
            self.invalid(format!("record type `{text}` is not known; {hint}"));
        }
        found
    }

    /// Seconds, 0 to 2147483647 (R53-173).
    pub(crate) fn ttl(&self) -> Option<u32> {
        let seconds = self.value.as_u64().and_then(|ttl| u32::try_from(ttl).ok());
        let seconds = seconds.filter(|&ttl| i32::try_from(ttl).is_ok());
        if seconds.is_none() {
            let found = self.value.to_string();
            self.findings.add(ZoneError::Record { at: self.at(), problem: RecordProblem::TtlRange { found } });
        }
        seconds
    }

    /// Every key must be one of `known`.
    pub(crate) fn only(&self, known: &[&str]) {
        let Some(object) = self.object() else { return };
        let known: Vec<Cow<'_, str>> = known.iter().map(|key| self.key(key)).collect();
        for (key, value) in object {
            if !known.contains(&Cow::Borrowed(key.as_str())) {
                let hint = nearest(key, known.iter().map(AsRef::as_ref)).map_or_else(
                    || format!("expected one of {}", known.join(", ")),
                    |name| format!("did you mean `{name}`?"),
                );
                let at = self.below(key, value).key_at();
                self.findings.add(ZoneError::Invalid { at, problem: format!("key `{key}` is not known; {hint}") });
            }
        }
    }
}

const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing (`null`)",
        Value::Bool(_) => "`true` or `false`",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_api_have_one_spelling_in_muster_s_own_yaml() {
        for (key, spelled) in [
            ("TTL", "ttl"),
            ("DNSName", "dns-name"),
            ("AWSRegion", "aws-region"),
            ("EnableSNI", "enable-sni"),
            ("IPAddress", "ip-address"),
            ("MultiValueAnswer", "multi-value-answer"),
            ("HostedZoneId", "hosted-zone-id"),
        ] {
            assert_eq!(kebab(key), spelled);
        }
    }

    #[test]
    fn what_is_nested_beyond_all_measure_is_refused_before_it_is_parsed() {
        let deep = |what: &str| too_deep(&format!("a:\n  {}", what.repeat(DEEPEST + 1)));
        assert_eq!(deep("["), Some((2, DEEPEST + 3)));
        assert_eq!(deep("- "), Some((2, 2 * DEEPEST + 3)));
        assert_eq!(too_deep(&"- [1, 2]\n".repeat(DEEPEST + 1)), None);
    }
}
