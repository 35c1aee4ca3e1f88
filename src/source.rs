//! Where things stand in the files that people write: positions in YAML and JSON, for errors that point.
//!
//! Values are read by `serde_yaml` and `serde_json`; this is the map beside them, from a path in the document to
//! line and column. It knows no schema.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A place in a file. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Position {
    /// The file, as it was named.
    pub file: Arc<PathBuf>,
    /// From 1; 0 when not known.
    pub line: usize,
    /// From 1; 0 when not known.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        Ok(())
    }
}

/// Reads a file that a person named: a regular one, and none that would fill the memory.
///
/// # Errors
/// When it cannot be read, is no regular file, or is larger than `most` bytes.
pub fn read_bytes(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let invalid = |problem: String| std::io::Error::new(std::io::ErrorKind::InvalidInput, problem);
    let found = std::fs::metadata(path)?;
    if !found.is_file() {
        let what = if found.is_dir() { "a folder" } else { "no regular file" };
        return Err(invalid(format!("it is {what}; expected a file")));
    }
    if found.len() > most {
        return Err(invalid(format!("it is {} bytes long; expected at most {most}", found.len())));
    }
    std::fs::read(path)
}

/// A text that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
pub struct TextError {
    /// Line and column from which on it is no text, both from 1; `None` when nothing of it can be read.
    pub place: Option<(usize, usize)>,
    /// What the system says, or what is there instead.
    pub problem: String,
}

/// Reads a text that a person named, without the mark that some editors put at its start.
///
/// # Errors
/// As [`read_bytes`], for at most 64 MiB; and when it is not UTF-8.
pub fn read_text(path: &Path) -> Result<String, TextError> {
    let bytes = read_bytes(path, MOST_TEXT).map_err(|error| TextError { place: None, problem: error.to_string() })?;
    text_of(bytes)
}

/// Reads a text that comes from elsewhere than a file, as [`read_text`] does.
///
/// # Errors
/// When it cannot be read to its end, has more than 64 MiB, or is not UTF-8.
pub fn read_text_from(reader: impl std::io::Read) -> Result<String, TextError> {
    let mut bytes = Vec::new();
    let read = reader.take(MOST_TEXT + 1).read_to_end(&mut bytes);
    let problem = match read {
        Err(error) => error.to_string(),
        Ok(_) if bytes.len() as u64 > MOST_TEXT => format!("it has more than {MOST_TEXT} bytes; expected no more"),
        Ok(_) => return text_of(bytes),
    };
    Err(TextError { place: None, problem })
}

/// The most bytes of a text that are read.
const MOST_TEXT: u64 = 64 << 20;

fn text_of(bytes: Vec<u8>) -> Result<String, TextError> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..byte]);
        let problem = format!("its byte {byte}, counted from 0, is not UTF-8; expected a text in UTF-8");
        TextError { place: Some(Lines::of(&before).place(byte)), problem }
    })?;
    Ok(text.strip_prefix('\u{feff}').map_or_else(|| text.clone(), str::to_owned))
}

/// A text that is not YAML, or not JSON.
#[derive(Debug, thiserror::Error)]
#[error("{at}: not readable as {format}: {problem}")]
pub struct SourceError {
    /// Where it stops being readable.
    pub at: Position,
    /// `YAML` or `JSON`.
    pub format: &'static str,
    /// What the parser says.
    pub problem: String,
}

/// From paths in a document to positions in its file.
///
/// A path is the keys and indices that lead to a node, joined by dots: `clients.br-fresh.every`, `Changes.0.Action`.
#[derive(Clone, Debug)]
pub struct SourceMap {
    file: Arc<PathBuf>,
    keys: BTreeMap<String, (usize, usize)>,
    values: BTreeMap<String, (usize, usize)>,
    /// The first key that stands a second time in its JSON object.
    twice: Option<(String, (usize, usize))>,
    /// Where YAML has `null`, in one of its spellings.
    nothing: Vec<(Vec<Segment>, (usize, usize))>,
}

/// One step on the way into a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Into the value of a key.
    Key(String),
    /// Into the entry of a list, from 0.
    Index(usize),
}

impl SourceMap {
    /// # Errors
    /// When the text is not YAML, has a key twice, or uses anchors or tags.
    pub fn of_yaml(file: &Path, text: &str) -> Result<Self, SourceError> {
        let mut map = Self::empty(file);
        if text.trim().is_empty() {
            map.values.insert(String::new(), (1, 1));
            return Ok(map);
        }
        let options = marked_yaml::LoaderOptions::default().error_on_duplicate_keys(true).prevent_coercion(true);
        let root = marked_yaml::parse_yaml_with_options(0, text, options).map_err(|error| map.yaml_error(&error))?;
        map.walk_yaml(&root, "", &mut Vec::new());
        Ok(map)
    }

    /// # Errors
    /// When the text is not strict JSON, or an object has a key twice.
    pub fn of_json(file: &Path, text: &str) -> Result<Self, SourceError> {
        let mut map = Self::empty(file);
        let strict = jsonc_parser::ParseOptions {
            allow_comments: false,
            allow_loose_object_property_names: false,
            allow_trailing_commas: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            ..Default::default()
        };
        let parsed =
            jsonc_parser::parse_to_ast(text, &jsonc_parser::CollectOptions::default(), &strict).map_err(|error| {
                SourceError {
                    at: map.position((error.line_display(), error.column_display())),
                    format: "JSON",
                    problem: error.kind().to_string(),
                }
            })?;
        let Some(root) = &parsed.value else {
            let problem = "nothing stands here; expected a value".to_owned();
            return Err(SourceError { at: map.position((1, 1)), format: "JSON", problem });
        };
        map.walk_json(root, "", &Lines::of(text));
        if let Some((key, place)) = map.twice.take() {
            let problem = format!("key `{key}` stands twice in one object");
            return Err(SourceError { at: map.position(place), format: "JSON", problem });
        }
        Ok(map)
    }

    /// The file that this maps.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The keys at the top of the document, in the order of the alphabet.
    pub fn top_keys(&self) -> impl Iterator<Item = &str> {
        self.keys.keys().map(String::as_str).filter(|path| !path.contains('.'))
    }

    /// The first value of a YAML document that is none (`null`, `~`, or nothing behind the colon): the way to it, and
    /// where it stands; of one that is not written at all, where its key does.
    #[must_use]
    pub fn nothing(&self) -> Option<(&[Segment], Position)> {
        self.nothing.first().map(|(way, place)| (way.as_slice(), self.position(*place)))
    }

    /// Where the value at `path` starts; that of the nearest ancestor that is known when `path` is not.
    #[must_use]
    pub fn value(&self, path: &str) -> Position {
        self.nearest(path, &self.values)
    }

    /// Where the last key of `path` starts; that of the nearest ancestor's value when there is no such key.
    #[must_use]
    pub fn key(&self, path: &str) -> Position {
        match self.keys.get(path) {
            Some(&place) => self.position(place),
            None => self.nearest(path, &self.values),
        }
    }

    /// A position in this file by line and column, both from 1.
    #[must_use]
    pub fn position(&self, (line, column): (usize, usize)) -> Position {
        Position { file: Arc::clone(&self.file), line, column }
    }

    fn empty(file: &Path) -> Self {
        Self {
            file: Arc::new(file.to_path_buf()),
            keys: BTreeMap::new(),
            values: BTreeMap::new(),
            twice: None,
            nothing: Vec::new(),
        }
    }

    fn nearest(&self, path: &str, places: &BTreeMap<String, (usize, usize)>) -> Position {
        let mut path = path;
        loop {
            if let Some(&place) = places.get(path) {
                return self.position(place);
            }
            match path.rfind('.') {
                Some(dot) => path = &path[..dot],
                None if path.is_empty() => return self.position((0, 0)),
                None => path = "",
            }
        }
    }

    fn walk_yaml(&mut self, node: &marked_yaml::Node, path: &str, way: &mut Vec<Segment>) {
        // The parser lets a block mapping start at its first colon; people see it start at its first key.
        let first_key = node.as_mapping().and_then(|mapping| mapping.keys().next()?.span().start());
        let starts = node.span().start().into_iter().chain(first_key).map(|start| (start.line(), start.column()));
        if let Some(place) = starts.min() {
            self.values.insert(path.to_owned(), place);
            if is_nothing(node) {
                // Of what is not written at all the parser gives the place of what comes next.
                let unwritten = node.as_scalar().is_some_and(|word| word.as_str().is_empty());
                let key = self.keys.get(path).copied().filter(|_| unwritten);
                self.nothing.push((way.clone(), key.unwrap_or(place)));
            }
        }
        if let Some(mapping) = node.as_mapping() {
            for (key, value) in mapping.iter() {
                let below = join(path, key.as_str());
                if let Some(start) = key.span().start() {
                    self.keys.insert(below.clone(), (start.line(), start.column()));
                }
                way.push(Segment::Key(key.as_str().to_owned()));
                self.walk_yaml(value, &below, way);
                way.pop();
            }
        } else if let Some(sequence) = node.as_sequence() {
            for (index, value) in sequence.iter().enumerate() {
                way.push(Segment::Index(index));
                self.walk_yaml(value, &join(path, &index.to_string()), way);
                way.pop();
            }
        }
    }

    fn walk_json(&mut self, node: &jsonc_parser::ast::Value<'_>, path: &str, lines: &Lines<'_>) {
        use jsonc_parser::ast::Value;
        use jsonc_parser::common::Ranged;
        self.values.insert(path.to_owned(), lines.place(node.start()));
        match node {
            Value::Object(object) => {
                let mut seen = BTreeSet::new();
                for property in &object.properties {
                    let below = join(path, property.name.as_str());
                    if !seen.insert(property.name.as_str()) {
                        self.twice
                            .get_or_insert((property.name.as_str().to_owned(), lines.place(property.name.start())));
                    }
                    self.keys.insert(below.clone(), lines.place(property.name.start()));
                    self.walk_json(&property.value, &below, lines);
                }
            }
            Value::Array(array) => {
                for (index, value) in array.elements.iter().enumerate() {
                    self.walk_json(value, &join(path, &index.to_string()), lines);
                }
            }
            Value::StringLit(_) | Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => {}
        }
    }

    fn yaml_error(&self, error: &marked_yaml::LoadError) -> SourceError {
        use marked_yaml::LoadError;
        let (marker, problem) = match error {
            LoadError::TopLevelMustBeMapping(at) | LoadError::TopLevelMustBeSequence(at) => {
                (Some(*at), "expected a mapping (`key: value`) at the top".to_owned())
            }
            LoadError::UnexpectedAnchor(at) => (Some(*at), "anchors and aliases are not supported here".to_owned()),
            LoadError::MappingKeyMustBeScalar(at) => (Some(*at), "expected a plain word as key".to_owned()),
            LoadError::UnexpectedTag(at) => (Some(*at), "tags (`!name`) are not supported here".to_owned()),
            LoadError::ScanError(at, scan) => (Some(*at), scan.to_string()),
            LoadError::DuplicateKey(both) => {
                let first = both.prev_key.span().start().map_or(0, marked_yaml::Marker::line);
                let problem = format!("key `{}` stands twice; the first is on line {first}", both.key.as_str());
                (both.key.span().start().copied(), problem)
            }
        };
        let place = marker.map_or((0, 0), |at| (at.line(), at.column()));
        SourceError { at: self.position(place), format: "YAML", problem }
    }
}

/// Of `known`, the name that `found` was most likely meant to be; `None` when nothing is near.
///
/// Case does not matter. Of names that are equally near, the first is taken. Nothing is near to what is very long.
#[must_use]
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // No known name is so long, and to compare with all of them would take its time.
    const LONGEST: usize = 200;
    if found.len() > LONGEST {
        return None;
    }
    let found = found.to_lowercase();
    let mut best: Option<(f64, &str)> = None;
    for name in known {
        let score = strsim::jaro_winkler(&found, &name.to_lowercase());
        if score > best.map_or(0.75, |(score, _)| score) {
            best = Some((score, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Whether YAML reads a node as `null`. In quotes it is a text.
fn is_nothing(node: &marked_yaml::Node) -> bool {
    node.as_scalar()
        .is_some_and(|word| word.may_coerce() && matches!(word.as_str(), "" | "~" | "null" | "Null" | "NULL"))
}

fn join(path: &str, segment: &str) -> String {
    if path.is_empty() { segment.to_owned() } else { format!("{path}.{segment}") }
}

/// From bytes of a text to lines and columns. A text may be one line of many megabytes, as programs write JSON.
struct Lines<'a> {
    text: &'a [u8],
    /// The byte at which each line starts.
    starts: Vec<usize>,
    /// How many characters there are before each block of [`BLOCK`] bytes.
    before: Vec<usize>,
}

/// Bytes; characters are counted anew within one.
const BLOCK: usize = 256;

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let text = text.as_bytes();
        let mut before = vec![0];
        let mut count = 0;
        for block in text.chunks(BLOCK) {
            count += characters(block);
            before.push(count);
        }
        Self { text, starts, before }
    }

    fn place(&self, byte: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|&start| start <= byte);
        let start = self.starts[line - 1];
        (line, self.characters_before(byte) - self.characters_before(start) + 1)
    }

    fn characters_before(&self, byte: usize) -> usize {
        let block = byte / BLOCK;
        self.before[block] + characters(&self.text[block * BLOCK..byte])
    }
}

/// How many characters start in these bytes of UTF-8.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_yaml_path_leads_to_its_line_and_column() {
        let text = "drill: x\nclients:\n  br:\n    every: 5s\nexpect:\n  - within: 90s\n";
        let map = SourceMap::of_yaml(Path::new("d.yaml"), text).unwrap();
        assert_eq!(map.key("clients.br.every").to_string(), "d.yaml:4:5");
        assert_eq!(map.value("clients.br.every").to_string(), "d.yaml:4:12");
        assert_eq!(map.value("expect.0.within").to_string(), "d.yaml:6:13");
        assert_eq!(map.value("expect.0").to_string(), "d.yaml:6:5");
        assert_eq!(map.value("clients.br.unknown").line, map.value("clients.br").line);
    }

    #[test]
    fn a_null_is_found_in_each_of_its_spellings_and_in_quotes_it_is_a_text() {
        for null in ["null", "~", "Null", "NULL", ""] {
            let text = format!("a: 1\nb:\n  - c: 'null'\n    d: {null}\n");
            let map = SourceMap::of_yaml(Path::new("d.yaml"), &text).unwrap();
            let (way, at) = map.nothing().unwrap();
            assert_eq!(way, [Segment::Key("b".into()), Segment::Index(0), Segment::Key("d".into())], "{null}");
            assert_eq!((at.line, at.column), (4, if null.is_empty() { 5 } else { 8 }), "{null}");
        }
        let text = "a: \"\"\nb: '~'\nc: nullable\n";
        assert_eq!(SourceMap::of_yaml(Path::new("d.yaml"), text).unwrap().nothing(), None);
    }

    #[test]
    fn the_top_keys_are_those_that_stand_in_nothing_else() {
        let map = SourceMap::of_yaml(Path::new("d.yaml"), "drill: x\nclients:\n  br: { every: 5s }\n").unwrap();
        assert_eq!(map.top_keys().collect::<Vec<_>>(), ["clients", "drill"]);
    }

    #[test]
    fn a_json_path_leads_to_its_line_and_column() {
        let text = "{\n  \"Changes\": [\n    {\"Action\": \"UPSERT\"}\n  ]\n}\n";
        let map = SourceMap::of_json(Path::new("z.json"), text).unwrap();
        assert_eq!(map.key("Changes.0.Action").to_string(), "z.json:3:6");
        assert_eq!(map.value("Changes.0.Action").to_string(), "z.json:3:16");
    }

    #[test]
    fn broken_yaml_names_the_place() {
        let error = SourceMap::of_yaml(Path::new("d.yaml"), "a: 1\nb: [1,\n").unwrap_err();
        assert!(error.at.line >= 2, "{error}");
    }

    #[test]
    fn a_key_that_stands_twice_is_refused() {
        let error = SourceMap::of_yaml(Path::new("d.yaml"), "a: 1\nb: 2\na: 3\n").unwrap_err();
        assert_eq!(error.to_string(), "d.yaml:3:1: not readable as YAML: key `a` stands twice; the first is on line 1");
    }

    #[test]
    fn a_json_key_that_stands_twice_is_refused() {
        let error = SourceMap::of_json(Path::new("z.json"), "{\"TTL\": 900,\n \"TTL\": 5}").unwrap_err();
        assert_eq!(error.to_string(), "z.json:2:2: not readable as JSON: key `TTL` stands twice in one object");
    }

    #[test]
    fn a_column_counts_characters_however_long_the_line_is() {
        let line = format!("é\n{}", "aé€😀".repeat(1_000));
        let lines = Lines::of(&line);
        for (column, (byte, _)) in line.char_indices().skip(2).enumerate() {
            assert_eq!(lines.place(byte), (2, column + 1));
        }
        assert_eq!(lines.place(line.len()), (2, 4_001));
        assert_eq!(lines.place(0), (1, 1));
    }

    #[test]
    fn a_json_key_with_dots_is_none_that_stands_twice() {
        let text = r#"{"records.0": 1, "records": [2], "tags": {"a.b": 1, "a": {"b": 2}}}"#;
        assert!(SourceMap::of_json(Path::new("x"), text).is_ok());
    }

    #[test]
    fn a_text_from_elsewhere_is_read_to_its_end_and_no_further_than_may_be() {
        assert_eq!(read_text_from("\u{feff}a: b\n".as_bytes()).unwrap(), "a: b\n");
        let told = read_text_from(std::io::repeat(b'a')).unwrap_err().to_string();
        assert!(told.contains("more than 67108864 bytes"), "{told}");
        assert_eq!(read_text_from(&b"a\nb\xff"[..]).unwrap_err().place, Some((2, 2)));
    }

    #[test]
    fn what_is_no_regular_file_or_too_large_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "\u{feff}abc").unwrap();
        assert_eq!(read_text(&file).unwrap(), "abc");
        assert!(read_bytes(&file, 5).unwrap_err().to_string().contains("6 bytes"));
        assert!(read_text(folder.path()).unwrap_err().to_string().contains("a folder"));
        assert!(read_text(Path::new("/dev/zero")).unwrap_err().to_string().contains("no regular file"));
    }

    #[test]
    fn a_text_that_is_not_utf_8_says_from_which_byte_on_and_where_that_stands() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, b"a: 1\n\xc3\xa9: \xff").unwrap();
        let error = read_text(&file).unwrap_err();
        assert_eq!(error.place, Some((2, 4)));
        assert!(error.to_string().contains("byte 9"), "{error}");
    }

    #[test]
    fn broken_json_names_the_place() {
        let error = SourceMap::of_json(Path::new("z.json"), "{\n  \"a\": 1,\n}\n").unwrap_err();
        assert!(error.at.line == 2 && error.at.column > 0, "{error}");
    }
}
