//! What a parameter becomes: each as wide in its pattern as a person may err, and told where it stands when it is none.

use std::net::IpAddr;
use std::time::Duration;

use hickory_proto::rr::RecordType;
use ipnet::IpNet;

use crate::decide::Viewpoint;
use crate::geography::REGIONS;
use crate::source::nearest;
use crate::zone::{SUPPORTED_TYPES, type_of_text};

/// The greatest TTL (RFC 2181).
const LONGEST: Duration = Duration::from_secs((1 << 31) - 1);

const UNITS: [(&str, f64); 5] = [("ms", 0.001), ("s", 1.0), ("min", 60.0), ("h", 3600.0), ("d", 86_400.0)];

/// # Errors
/// What was expected.
pub fn duration(text: &str) -> Result<Duration, String> {
    let end = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (number, unit) = (text[..end].trim(), text[end..].trim());
    let expected = "expected a number and a unit: ms, s, min, h or d, as in `60 s`";
    let Some((_, seconds)) = UNITS.iter().find(|(known, _)| *known == unit) else {
        return Err(format!("unit `{unit}` is not known; {expected}"));
    };
    let number: f64 = number.parse().map_err(|_| format!("`{text}` is no duration; {expected}"))?;
    let read = Duration::try_from_secs_f64(number * seconds).ok().filter(|read| *read <= LONGEST);
    read.ok_or_else(|| format!("`{text}` is out of range; expected 0 s to {} s", LONGEST.as_secs()))
}

/// What a decision sees of a sender there: a country, a state of the US, or whoever stands in an AWS Region.
///
/// # Errors
/// When the place is not known; with the nearest known name.
pub fn place(text: &str) -> Result<Viewpoint, String> {
    if let Some(viewpoint) = Viewpoint::of_region(text) {
        return Ok(viewpoint);
    }
    if text.contains('-') && text.chars().any(|c| c.is_ascii_digit()) {
        let meant = nearest(text, REGIONS.iter().map(|(name, ..)| *name));
        let meant = meant.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        return Err(format!("AWS Region `{text}` is not known{meant}"));
    }
    let state = text.split_once('-').filter(|(country, state)| country.len() == 2 && state.len() == 2);
    let written = state.map_or_else(|| text.to_owned(), |(country, state)| format!("{country}/{state}"));
    Viewpoint::of_place(&written).map_err(|error| error.to_string())
}

/// # Errors
/// What was expected.
pub fn address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| format!("`{text}` is no IP address; expected one such as 192.0.2.1 or 2001:db8::1"))
}

/// # Errors
/// What was expected.
pub fn subnet(text: &str) -> Result<IpNet, String> {
    let network: IpNet = text
        .parse()
        .map_err(|_| format!("`{text}` is no network; expected one such as 198.51.100.0/24 or 2001:db8::/56"))?;
    if network.trunc() == network {
        Ok(network)
    } else {
        Err(format!("`{text}` has bits beyond its prefix; expected `{}`", network.trunc()))
    }
}

/// # Errors
/// When Route 53 has no such type; with the nearest.
pub fn record_type(text: &str) -> Result<RecordType, String> {
    if text == "ANY" {
        return Ok(RecordType::ANY);
    }
    type_of_text(text).ok_or_else(|| {
        let known = || SUPPORTED_TYPES.iter().map(|(name, _)| *name);
        let meant = nearest(text, known()).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
        let known = known().collect::<Vec<_>>().join(", ");
        format!("record type `{text}` is not one of Route 53; expected one of {known}{meant}")
    })
}

/// The items of a list, without their quotes.
#[must_use]
pub fn items(text: &str) -> Vec<String> {
    let mut items = Vec::new();
    let (mut item, mut quoted) = (String::new(), false);
    for character in text.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => items.push(std::mem::take(&mut item).trim().to_owned()),
            other => item.push(other),
        }
    }
    items.push(item.trim().to_owned());
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_a_number_and_a_unit() {
        assert_eq!(duration("60 s").unwrap(), Duration::from_secs(60));
        assert_eq!(duration("1.5 min").unwrap(), Duration::from_secs(90));
        assert_eq!(duration("250 ms").unwrap(), Duration::from_millis(250));
        assert_eq!(
            duration("60 sec").unwrap_err(),
            "unit `sec` is not known; expected a number and a unit: ms, s, min, h or d, as in `60 s`"
        );
        for out in ["-1 s", "99999999999999999999 d", "24856 d"] {
            assert!(duration(out).unwrap_err().ends_with("is out of range; expected 0 s to 2147483647 s"), "{out}");
        }
    }

    #[test]
    fn a_place_is_a_country_a_state_or_a_region() {
        assert_eq!(place("Brazil").unwrap().country.as_deref(), Some("BR"));
        assert_eq!(place("US-CA").unwrap().subdivision.as_deref(), Some("CA"));
        let region = place("sa-east-1").unwrap();
        assert_eq!((region.country.as_deref(), region.continent.as_deref()), (Some("BR"), Some("SA")));
        assert!(place("Brasil").unwrap_err().contains("did you mean `Brazil`?"));
        assert!(place("sa-est-1").unwrap_err().contains("did you mean `sa-east-1`?"));
    }

    #[test]
    fn a_subnet_has_no_bits_beyond_its_prefix() {
        assert!(subnet("198.51.100.0/24").is_ok());
        assert!(subnet("198.51.100.1/24").unwrap_err().contains("expected `198.51.100.0/24`"));
    }

    #[test]
    fn an_unknown_type_names_the_nearest() {
        assert!(record_type("AAA").unwrap_err().contains("did you mean `AAAA`?"));
    }

    #[test]
    fn a_list_may_hold_quoted_items() {
        assert_eq!(items("e0, \"10 mail.example.com.\", e1"), ["e0", "10 mail.example.com.", "e1"]);
    }
}
