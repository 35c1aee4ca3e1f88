//! Viewpoints by the name of a place: `Brazil`, `BR`, `US/CA`, `United States/California`.

use crate::geography::{COUNTRIES, Coordinates, REGIONS, US_STATES};

use super::Viewpoint;

/// A place that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "place `{found}` is not known: expected a country (`Brazil`, `BR`) or a state of the US (`US/CA`){}",
    .nearest.as_deref().map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
)]
pub struct PlaceError {
    /// As it was written.
    pub found: String,
    /// The nearest known name.
    pub nearest: Option<String>,
}

impl Viewpoint {
    /// What a decision sees of a sender in a country or in a state of the US, by English name or by code; case does
    /// not matter. Coordinates are those of its middle, roughly. No latency is known, and no address.
    ///
    /// # Errors
    /// When there is no such place; with the nearest known name.
    pub fn of_place(name: &str) -> Result<Self, PlaceError> {
        let wanted = name.trim();
        let (country, state) = match wanted.split_once('/') {
            Some((country, state)) => (country.trim(), Some(state.trim())),
            None => (wanted, None),
        };
        let found = COUNTRIES
            .iter()
            .find(|known| known.code.eq_ignore_ascii_case(country) || known.name.eq_ignore_ascii_case(country))
            .ok_or_else(|| unknown(name, country, "", COUNTRIES.iter().flat_map(|known| [known.name, known.code])))?;
        let mut viewpoint = Self {
            continent: Some(found.continent.to_owned()),
            country: Some(found.code.to_owned()),
            coordinates: Some(Coordinates { latitude: found.latitude, longitude: found.longitude }),
            ..Self::default()
        };
        let Some(state) = state else { return Ok(viewpoint) };
        if found.code != "US" {
            // R53-61: subdivisions exist for the US only.
            return Err(PlaceError { found: name.to_owned(), nearest: Some(found.name.to_owned()) });
        }
        let (code, _, latitude, longitude) = US_STATES
            .iter()
            .find(|(code, name, ..)| code.eq_ignore_ascii_case(state) || name.eq_ignore_ascii_case(state))
            .ok_or_else(|| unknown(name, state, "US/", US_STATES.iter().flat_map(|(code, name, ..)| [*name, *code])))?;
        viewpoint.subdivision = Some((*code).to_owned());
        viewpoint.coordinates = Some(Coordinates { latitude: *latitude, longitude: *longitude });
        Ok(viewpoint)
    }

    /// What a decision sees of a VPC in an AWS Region, which is all that locates a sender in a private zone (R53-83);
    /// `None` when there is no such Region. No latency is known, and no address.
    #[must_use]
    pub fn of_region(name: &str) -> Option<Self> {
        let &(_, place, latitude, longitude) = REGIONS.iter().find(|(known, ..)| *known == name)?;
        let viewpoint = Self::of_place(place).ok()?;
        Some(Self { coordinates: Some(Coordinates { latitude, longitude }), ..viewpoint })
    }
}

fn unknown<'a>(found: &str, part: &str, prefix: &str, known: impl Iterator<Item = &'a str>) -> PlaceError {
    let nearest = crate::source::nearest(part, known).map(|name| format!("{prefix}{name}"));
    PlaceError { found: found.to_owned(), nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_country_is_known_by_name_and_by_code() {
        for name in ["Brazil", "brazil", "BR"] {
            let viewpoint = Viewpoint::of_place(name).unwrap();
            assert_eq!(viewpoint.country.as_deref(), Some("BR"));
            assert_eq!(viewpoint.continent.as_deref(), Some("SA"));
            assert!(viewpoint.coordinates.unwrap().latitude < 0.0);
        }
        assert_eq!(Viewpoint::of_place("United States").unwrap().continent.as_deref(), Some("NA"));
        assert_eq!(Viewpoint::of_place("Germany").unwrap().continent.as_deref(), Some("EU"));
    }

    #[test]
    fn every_region_lies_in_a_known_place() {
        for (name, _, latitude, _) in REGIONS {
            let viewpoint = Viewpoint::of_region(name).unwrap();
            assert!((viewpoint.coordinates.unwrap().latitude - latitude).abs() < f64::EPSILON, "{name}");
        }
        let virginia = Viewpoint::of_region("us-east-1").unwrap();
        assert_eq!((virginia.country.as_deref(), virginia.subdivision.as_deref()), (Some("US"), Some("VA")));
        assert_eq!(Viewpoint::of_region("us-east-9"), None);
    }

    #[test]
    fn california_is_not_canada() {
        let viewpoint = Viewpoint::of_place("US/CA").unwrap();
        assert_eq!((viewpoint.country.as_deref(), viewpoint.subdivision.as_deref()), (Some("US"), Some("CA")));
        assert_eq!(Viewpoint::of_place("United States/California").unwrap(), viewpoint);
        assert_eq!(Viewpoint::of_place("CA").unwrap().country.as_deref(), Some("CA"));
    }

    #[test]
    fn an_unknown_place_suggests_the_nearest_name() {
        assert_eq!(Viewpoint::of_place("Brasil").unwrap_err().nearest.as_deref(), Some("Brazil"));
        assert_eq!(Viewpoint::of_place("US/Californa").unwrap_err().nearest.as_deref(), Some("US/California"));
        insta::assert_snapshot!(
            Viewpoint::of_place("Grmany").unwrap_err(),
            @"place `Grmany` is not known: expected a country (`Brazil`, `BR`) or a state of the US (`US/CA`); did you mean `Germany`?"
        );
        assert_eq!(Viewpoint::of_place("BR/SP").unwrap_err().nearest.as_deref(), Some("Brazil"));
    }
}
