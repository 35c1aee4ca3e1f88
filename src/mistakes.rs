//! All mistakes of the files that people write, together with the texts in which they stand.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many names are listed in one message at most.
const MOST_NAMES: usize = 20;

/// All mistakes of one file and of those that it names.
#[derive(Debug)]
pub struct Mistakes<E> {
    /// At least one, in the order in which they are told.
    pub errors: Vec<E>,
    texts: BTreeMap<PathBuf, Arc<str>>,
}

impl<E> Mistakes<E> {
    pub(crate) const fn new(errors: Vec<E>, texts: BTreeMap<PathBuf, Arc<str>>) -> Self {
        Self { errors, texts }
    }

    /// The text of a file that was read, for whoever shows the line.
    #[must_use]
    pub fn text(&self, file: &Path) -> Option<&str> {
        self.texts.get(file).map(AsRef::as_ref)
    }
}

impl<E: fmt::Display> fmt::Display for Mistakes<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{error}")?;
        }
        Ok(())
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for Mistakes<E> {}

/// Names for a message, each in quotes; of many the first, and how many more there are.
pub(crate) fn quoted(names: &[impl AsRef<str>]) -> String {
    let mut listed: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{}`", name.as_ref())).collect();
    let more = names.len().saturating_sub(MOST_NAMES);
    if more > 0 {
        listed.push(format!("and {more} more"));
    }
    listed.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_names_the_first_are_listed_and_the_others_counted() {
        assert_eq!(quoted(&["a", "b"]), "`a`, `b`");
        let many: Vec<String> = (0..10_000).map(|name| format!("n{name}")).collect();
        let listed = quoted(&many);
        assert!(listed.starts_with("`n0`, `n1`, ") && listed.ends_with("`n19`, and 9980 more"), "{listed}");
    }
}
