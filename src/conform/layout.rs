//! The lines of a feature file as Gherkin has them: what each is, and whether it may stand where it does.
//!
//! The parser takes what it cannot read for a description where it may, and else tells how far it looked, which is not
//! where the mistake is. So the lines are looked at before it. Only the keywords of English are known here; of a file in
//! another language the tags, the tables and the texts are held to their form, and the rest is the parser's.

use crate::gherkin::FeatureText;
use crate::source::nearest;

use super::files::FeatureError;
use super::row::width_of_row;

/// A tag, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    /// Without `@`.
    pub(super) name: String,
    pub(super) line: usize,
    /// Of its `@`.
    pub(super) column: usize,
}

/// What the lines say that the parser does not.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// Every tag, in the order of the file.
    pub(super) tags: Vec<Tag>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Head {
    Feature,
    Rule,
    Background,
    Scenario,
    Examples,
}

const HEADS: [(&str, Head); 10] = [
    ("Feature", Head::Feature),
    ("Business Need", Head::Feature),
    ("Ability", Head::Feature),
    ("Rule", Head::Rule),
    ("Background", Head::Background),
    ("Scenario", Head::Scenario),
    ("Example", Head::Scenario),
    ("Scenario Outline", Head::Scenario),
    ("Scenario Template", Head::Scenario),
    ("Examples", Head::Examples),
];
/// The other word for `Examples`.
const SCENARIOS: &str = "Scenarios";
const STEPS: [&str; 5] = ["Given", "When", "Then", "And", "But"];
const QUOTES: [&str; 2] = ["\"\"\"", "```"];

impl Layout {
    /// Looks at every line.
    ///
    /// # Errors
    /// The first line that has no place where it stands.
    pub(super) fn of(text: &FeatureText) -> Result<Self, FeatureError> {
        let mut reader = Reader {
            text,
            number: 0,
            english: true,
            begun: false,
            within: None,
            last: Last::Head,
            width: None,
            waiting: None,
            owed: Vec::new(),
            layout: Self::default(),
        };
        while reader.number < text.lines.len() {
            reader.number += 1;
            reader.line()?;
        }
        reader.end()?;
        Ok(reader.layout)
    }
}

/// What stands last: it says what may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    /// A head, or the description behind it.
    Head,
    Step,
    Row,
    Text,
}

struct Reader<'t> {
    text: &'t FeatureText,
    /// Of the line that is looked at, from 1.
    number: usize,
    english: bool,
    /// Whether anything but blank lines was seen.
    begun: bool,
    within: Option<Head>,
    last: Last,
    /// How many cells the table's first row has.
    width: Option<usize>,
    /// Where tags stand that wait for what they belong to.
    waiting: Option<(usize, usize)>,
    /// Heads that need something below them, what that is, and where they stand.
    owed: Vec<(Head, &'static str, String, (usize, usize))>,
    layout: Layout,
}

impl Reader<'_> {
    fn line(&mut self) -> Result<(), FeatureError> {
        let line = self.text.lines[self.number - 1].clone();
        let found = line.trim();
        let column = line.chars().take_while(|c| c.is_whitespace()).count() + 1;
        if found.is_empty() {
            return Ok(());
        }
        let first = !std::mem::replace(&mut self.begun, true);
        if let Some(comment) = found.strip_prefix('#') {
            return if first { self.language(comment, &line) } else { Ok(()) };
        }
        if found.starts_with('@') {
            return self.tags(&line);
        }
        if found.starts_with('|') && !self.is_description(Some(Head::Examples)) {
            return self.row(&line);
        }
        let quote = QUOTES.into_iter().find(|quote| found.starts_with(quote));
        if let Some(quote) = quote.filter(|_| !self.is_description(None)) {
            return self.doc_string(&line, column, quote);
        }
        self.width = None;
        if !self.english {
            (self.last, self.waiting) = (Last::Step, None);
            return Ok(());
        }
        if let Some((head, name)) = head_of(found) {
            return self.head(head, name, column);
        }
        let of_scenario = matches!(self.within, Some(Head::Background | Head::Scenario | Head::Examples));
        match found.split_once(' ') {
            Some(("*", step)) if of_scenario => Err(self.here(
                column,
                format!("`*` does not say what `{step}` is; expected Given, When, Then, And or But before it"),
            )),
            Some((keyword, _)) if of_scenario && STEPS.contains(&keyword) => self.step(column, found),
            _ => self.other(column, found),
        }
    }

    /// Whether a line may be part of a description, unless it stands below a head `but`.
    fn is_description(&self, but: Option<Head>) -> bool {
        self.english && self.last == Last::Head && self.within.is_some() && self.within != but
    }

    fn language(&mut self, comment: &str, line: &str) -> Result<(), FeatureError> {
        let Some((word, named)) = comment.split_once(':') else { return Ok(()) };
        if word.trim() != "language" {
            return Ok(());
        }
        let language = named.trim();
        self.english = language == "en";
        if gherkin::is_language_supported(language) {
            return Ok(());
        }
        let behind_colon = line.find(':').map_or(0, |colon| line[..=colon].chars().count());
        let blank = named.chars().take_while(|c| c.is_whitespace()).count();
        let problem =
            format!("language `{language}` is not known; expected one that Gherkin has, as `en` (`pt`, `de`, …)");
        Err(self.here(behind_colon + blank + 1, problem))
    }

    fn tags(&mut self, line: &str) -> Result<(), FeatureError> {
        let mut column = 1;
        for word in line.split_inclusive(char::is_whitespace) {
            let at = column;
            column += word.chars().count();
            let word = word.trim();
            match word.strip_prefix('@') {
                _ if word.is_empty() => {}
                None if word.starts_with('#') => break,
                Some(names) if names.split('@').all(|name| !name.is_empty()) => {
                    for name in names.split('@') {
                        self.layout.tags.push(Tag { name: name.to_owned(), line: self.number, column: at });
                    }
                    self.waiting.get_or_insert((self.number, at));
                }
                _ => {
                    let problem = format!("`{word}` is no tag; expected `@` and a name without spaces, as `@{}`", {
                        let name = word.replace('@', "");
                        if name.is_empty() { "slow".to_owned() } else { name }
                    });
                    return Err(self.here(at, problem));
                }
            }
        }
        Ok(())
    }

    fn row(&mut self, line: &str) -> Result<(), FeatureError> {
        self.nothing_waits()?;
        let placed = !self.english || self.last != Last::Head || self.within == Some(Head::Examples);
        let width = width_of_row(line).map_err(|(column, problem)| self.here(column, problem))?;
        if !placed {
            let column = line.chars().take_while(|c| c.is_whitespace()).count() + 1;
            return Err(self.here(column, "this row belongs to nothing; expected `Feature:` first".to_owned()));
        }
        let expected = *self.width.get_or_insert(width);
        if width != expected {
            let cells = self.text.table_rows(self.number);
            let column = cells.first().and_then(|(_, cells)| cells.last().copied()).unwrap_or(1);
            return Err(self.here(column, format!("this row has {width} cells; expected {expected}, as in the first")));
        }
        self.last = Last::Row;
        Ok(())
    }

    fn doc_string(&mut self, line: &str, column: usize, quote: &str) -> Result<(), FeatureError> {
        self.nothing_waits()?;
        self.width = None;
        if self.english && self.last != Last::Step {
            return Err(self.here(column, format!("a text between two {quote} belongs right below a step")));
        }
        let opened = self.number;
        let mut from = line.find(quote).map_or(0, |start| start + quote.len());
        loop {
            let current = &self.text.lines[self.number - 1];
            if let Some(end) = current[from..].find(quote) {
                let rest = &current[from + end + quote.len()..];
                if !rest.trim().is_empty() {
                    let blank = rest.len() - rest.trim_start().len();
                    let column = current[..current.len() - rest.len() + blank].chars().count() + 1;
                    let problem =
                        format!("`{}` stands behind the {quote} that ends the text; expected nothing", rest.trim());
                    return Err(self.here(column, problem));
                }
                self.last = Last::Text;
                return Ok(());
            }
            if self.number == self.text.lines.len() {
                let at = self.text.at(opened, column);
                let problem = format!("this text is never ended; expected a line of {quote} below it");
                return Err(FeatureError { at, problem });
            }
            self.number += 1;
            from = 0;
        }
    }

    fn head(&mut self, head: Head, name: &str, column: usize) -> Result<(), FeatureError> {
        let refused = match (head, self.within) {
            (Head::Feature, None) => None,
            (Head::Feature, Some(_)) => Some("a file has one feature; expected the second in a file of its own"),
            (_, None) => Some("expected `Feature:` first"),
            (Head::Background, Some(Head::Feature | Head::Rule)) if self.waiting.is_some() => {
                Some("a background has no tags; expected them at its feature or its rule")
            }
            (Head::Background, within) if !matches!(within, Some(Head::Feature | Head::Rule)) => {
                Some("a background stands once, before the scenarios of its feature or its rule")
            }
            (Head::Examples, within) if !matches!(within, Some(Head::Scenario | Head::Examples)) => {
                Some("examples stand below the steps of a scenario outline")
            }
            _ => None,
        };
        if let Some(refused) = refused {
            return Err(self.here(column, format!("`{name}` has no place here: {refused}")));
        }
        // A rule or a feature ends where the next one starts; everything else with any head.
        let ends = |owing: Head| match owing {
            Head::Rule => head == Head::Rule,
            Head::Feature => false,
            _ => true,
        };
        if head == Head::Scenario {
            self.owed.retain(|(owing, ..)| *owing != Head::Rule);
        }
        self.paid(ends)?;
        let owes = match head {
            Head::Rule => Some("scenario"),
            Head::Background | Head::Scenario => Some("step"),
            Head::Feature | Head::Examples => None,
        };
        if let Some(owes) = owes {
            self.owed.push((head, owes, name.to_owned(), (self.number, column)));
        }
        (self.within, self.last, self.waiting) = (Some(head), Last::Head, None);
        Ok(())
    }

    fn step(&mut self, column: usize, found: &str) -> Result<(), FeatureError> {
        self.nothing_waits()?;
        if self.within == Some(Head::Examples) {
            let problem = format!("`{found}` has no place here: the steps of an outline stand before its examples");
            return Err(self.here(column, problem));
        }
        self.owed.retain(|(owing, ..)| !matches!(owing, Head::Background | Head::Scenario));
        self.last = Last::Step;
        Ok(())
    }

    fn other(&mut self, column: usize, found: &str) -> Result<(), FeatureError> {
        self.nothing_waits()?;
        if self.last == Last::Head && self.within.is_some() {
            return Ok(());
        }
        let word = found.split_inclusive([':', ' ']).next().unwrap_or(found).trim();
        let heads = ["Feature:", "Rule:", "Background:", "Scenario:", "Examples:"];
        let meant = nearest(word, STEPS.into_iter().chain(heads)).filter(|meant| *meant != word);
        let meant = meant.map_or_else(String::new, |meant| format!("; did you mean `{meant}`?"));
        let expected = if self.within.is_none() {
            "`Feature:` first"
        } else {
            "a step (Given, When, Then, And, But), a table row, `Scenario:`, `Scenario Outline:`, `Examples:` or `Rule:`"
        };
        Err(self.here(column, format!("`{found}` has no place here; expected {expected}{meant}")))
    }

    fn nothing_waits(&self) -> Result<(), FeatureError> {
        let Some((line, column)) = self.waiting.filter(|_| self.english) else { return Ok(()) };
        let problem = "this tag belongs to nothing; expected a feature, a rule, a scenario or examples below it";
        Err(FeatureError { at: self.text.at(line, column), problem: problem.to_owned() })
    }

    fn paid(&self, ended: impl Fn(Head) -> bool) -> Result<(), FeatureError> {
        let owing = self.owed.iter().find(|(owing, ..)| ended(*owing));
        owing.map_or(Ok(()), |(_, owes, name, (line, column))| {
            let problem = format!("`{name}` has no {owes}, so it would prove nothing; expected one at least");
            Err(FeatureError { at: self.text.at(*line, *column), problem })
        })
    }

    fn end(&mut self) -> Result<(), FeatureError> {
        if self.within.is_none() && self.english {
            self.number = self.number.max(1);
            return Err(self.here(1, "the file ends without a feature; expected `Feature:`".to_owned()));
        }
        self.nothing_waits()?;
        self.paid(|_| true)
    }

    fn here(&self, column: usize, problem: String) -> FeatureError {
        FeatureError { at: self.text.at(self.number, column), problem }
    }
}

/// What a line is the head of, and all that it says.
fn head_of(found: &str) -> Option<(Head, &str)> {
    let (keyword, _) = found.split_once(':')?;
    let known = HEADS.into_iter().chain([(SCENARIOS, Head::Examples)]);
    known.into_iter().find(|(word, _)| *word == keyword).map(|(_, head)| (head, found))
}
