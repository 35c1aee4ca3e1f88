//! A JSON value that knows where it stands, and collects what is wrong instead of stopping at it.

use std::cell::RefCell;

use serde_json::{Map, Value};

use crate::source::{Position, SourceMap, nearest};

use super::super::ZoneError;
use super::Note;

/// What was found on the way.
#[derive(Debug, Default)]
pub(super) struct Findings {
    errors: RefCell<Vec<ZoneError>>,
    notes: RefCell<Vec<Note>>,
}

impl Findings {
    pub(super) fn add(&self, error: ZoneError) {
        self.errors.borrow_mut().push(error);
    }

    pub(super) fn note(&self, at: Position, text: String) {
        self.notes.borrow_mut().push(Note { at, text });
    }

    pub(super) fn into_parts(self) -> (Vec<ZoneError>, Vec<Note>) {
        (self.errors.into_inner(), self.notes.into_inner())
    }

    /// The errors, if any, and else the notes.
    pub(super) fn finish(self) -> Result<Vec<Note>, super::ZoneErrors> {
        super::ZoneErrors::none_of(self.errors.into_inner())?;
        Ok(self.notes.into_inner())
    }
}

/// One value of the document.
#[derive(Clone)]
pub(super) struct Node<'a> {
    value: &'a Value,
    path: String,
    map: &'a SourceMap,
    findings: &'a Findings,
}

impl<'a> Node<'a> {
    pub(super) fn root(value: &'a Value, map: &'a SourceMap, findings: &'a Findings) -> Self {
        Self { value, path: String::new(), map, findings }
    }

    pub(super) const fn findings(&self) -> &'a Findings {
        self.findings
    }

    pub(super) const fn value(&self) -> &'a Value {
        self.value
    }

    /// Where the value starts.
    pub(super) fn at(&self) -> Position {
        self.map.value(&self.path)
    }

    /// Where the key of this value starts.
    pub(super) fn key_at(&self) -> Position {
        self.map.key(&self.path)
    }

    pub(super) fn invalid(&self, problem: String) {
        self.findings.add(ZoneError::Invalid { at: self.at(), problem });
    }

    fn wrong(&self, expected: &str) {
        self.invalid(format!("found {}; expected {expected}", kind(self.value)));
    }

    fn below(&self, key: &str, value: &'a Value) -> Self {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        Self { value, path, map: self.map, findings: self.findings }
    }

    pub(super) fn object(&self) -> Option<&'a Map<String, Value>> {
        let object = self.value.as_object();
        if object.is_none() {
            self.wrong("an object");
        }
        object
    }

    /// The value of a key; `null` counts as absent.
    pub(super) fn get(&self, key: &str) -> Option<Self> {
        let value = self.value.as_object()?.get(key)?;
        (!value.is_null()).then(|| self.below(key, value))
    }

    /// The value of a key that must be there.
    pub(super) fn need(&self, key: &str) -> Option<Self> {
        let found = self.get(key);
        if found.is_none() && self.value.is_object() {
            self.invalid(format!("`{key}` is missing"));
        }
        found
    }

    pub(super) fn items(&self) -> Vec<Self> {
        let Some(items) = self.value.as_array() else {
            self.wrong("a list");
            return Vec::new();
        };
        items.iter().enumerate().map(|(index, value)| self.below(&index.to_string(), value)).collect()
    }

    pub(super) fn text(&self) -> Option<&'a str> {
        let text = self.value.as_str();
        if text.is_none() {
            self.wrong("a text");
        }
        text
    }

    pub(super) fn flag(&self) -> Option<bool> {
        let flag = self.value.as_bool();
        if flag.is_none() {
            self.wrong("`true` or `false`");
        }
        flag
    }

    /// Every key must be one of `known`.
    pub(super) fn only(&self, known: &[&str]) {
        let Some(object) = self.object() else { return };
        for (key, value) in object {
            if !known.contains(&key.as_str()) {
                let hint = nearest(key, known.iter().copied()).map_or_else(
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
