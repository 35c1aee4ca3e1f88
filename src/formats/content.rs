//! A text as JSON or YAML: what it says, and where.

use std::path::Path;

use serde_json::Value;

use crate::source::{SourceError, SourceMap};
use crate::zone::document;

/// A text that could be parsed.
#[derive(Debug)]
pub(super) struct Content {
    /// Where everything stands.
    pub(super) map: SourceMap,
    /// What it says.
    pub(super) value: Value,
}

impl Content {
    /// JSON when it starts with a bracket, and else YAML. Both are nested at most 128 deep.
    pub(super) fn parse(file: &Path, text: &str) -> Result<Self, SourceError> {
        if text.trim_start().starts_with(['{', '[']) {
            let (map, value) = document::json(file, text)?;
            return Ok(Self { map, value });
        }
        if text.trim().is_empty() {
            let at = crate::source::Position { file: std::sync::Arc::new(file.to_path_buf()), line: 1, column: 1 };
            return Err(SourceError { at, format: "JSON or YAML", problem: "it is empty".to_owned() });
        }
        let (map, value) = document::yaml(file, text)?;
        Ok(Self { map, value })
    }

    /// Whether the top is an object with this key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.value.get(key).is_some()
    }
}
