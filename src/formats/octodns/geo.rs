//! Where a rule holds: `AF`, `AF-ZA`, `NA-US-CA`.

use crate::zone::GeoLocation;
use crate::zone::document::Node;

/// The location that octodns-route53 makes of it; a country's continent is left out there.
pub(super) fn location(node: &Node<'_>) -> Option<GeoLocation> {
    let text = node.text()?;
    let parts: Vec<&str> = text.split('-').collect();
    let location = match parts.as_slice() {
        [continent] => GeoLocation::Continent((*continent).to_owned()),
        [_, country] => GeoLocation::Country((*country).to_owned()),
        [_, country, subdivision] => {
            GeoLocation::Subdivision { country: (*country).to_owned(), subdivision: (*subdivision).to_owned() }
        }
        _ => {
            node.invalid(format!("`{text}` is no place; expected one such as AF, AF-ZA or NA-US-CA"));
            return None;
        }
    };
    Some(location)
}

/// Whether `broad` is `narrow`, or a place around it.
pub(super) fn holds(broad: &str, narrow: &str) -> bool {
    narrow.strip_prefix(broad).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}
