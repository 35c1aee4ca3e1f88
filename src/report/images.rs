//! The page of `muster images list`.

use comfy_table::ColumnConstraint;

use crate::images::Image;
use crate::images::inventory::{Entry, State};

use super::Style;

/// A table of every image.
#[must_use]
pub fn render(entries: &[Entry], style: Style) -> String {
    let mut table = style.grid();
    table.set_header(["image", "what it is", "state", "size", "tag"]);
    if let Some(tag) = table.column_mut(4) {
        // A tag is copied, so it stays in one piece.
        tag.set_constraint(ColumnConstraint::ContentWidth);
    }
    for entry in entries {
        let state = match entry.state {
            State::UpToDate => "up to date",
            State::OutOfDate => "out of date",
            State::NotBuilt => "not built",
            State::NotNeeded => "not needed",
        };
        let what = Image::named(&entry.image).map_or("of another muster", |image| image.what);
        let size = entry.size.map(|bytes| format!("{} MB", bytes / 1_000_000)).unwrap_or_default();
        table.add_row([&entry.image, what, state, &size, entry.tag.as_deref().unwrap_or_default()]);
    }
    format!("{table}\nA size counts the layers that an image shares with others.\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_shows_what_is_built_and_what_is_old() {
        let entry = |image: &str, state, size: Option<u64>| Entry {
            image: image.to_owned(),
            state,
            tag: size.map(|_| format!("muster/{image}:0123456789ab")),
            size,
        };
        insta::assert_snapshot!(render(
            &[
                entry("debian", State::NotNeeded, None),
                entry("base", State::UpToDate, Some(141_900_000)),
                entry("bind", State::NotBuilt, None),
                entry("base", State::OutOfDate, Some(99_000_000)),
                entry("gone", State::OutOfDate, Some(1)),
            ],
            Style::PLAIN
        ));
    }
}
