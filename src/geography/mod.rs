//! Places on the globe: continents, countries, states, AWS Regions, and how far apart they are.
//!
//! Data and arithmetic only; nothing here knows a record or a query.

mod countries;

use serde::{Deserialize, Serialize};

pub use countries::{COUNTRIES, Country, US_STATES};

/// Degrees on the globe.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coordinates {
    /// -90 to 90.
    pub latitude: f64,
    /// -180 to 180.
    pub longitude: f64,
}

/// The continents of geolocation routing (R53-60): code and English name.
pub const CONTINENTS: &[(&str, &str)] = &[
    ("AF", "Africa"),
    ("AN", "Antarctica"),
    ("AS", "Asia"),
    ("EU", "Europe"),
    ("NA", "North America"),
    ("OC", "Oceania"),
    ("SA", "South America"),
];

/// Countries that Route 53 does not support in geolocation records (R53-62).
pub const UNSUPPORTED_COUNTRIES: &[&str] = &["BV", "CX", "EH", "HM"];

/// The public AWS Regions: name, country or state of the US, latitude, longitude. AWS publishes no coordinates; these are the cities or states
/// that it names each Region after.
pub const REGIONS: &[(&str, &str, f64, f64)] = &[
    ("af-south-1", "ZA", -33.92, 18.42),
    ("ap-east-1", "HK", 22.32, 114.17),
    ("ap-east-2", "TW", 25.03, 121.57),
    ("ap-northeast-1", "JP", 35.68, 139.69),
    ("ap-northeast-2", "KR", 37.57, 126.98),
    ("ap-northeast-3", "JP", 34.69, 135.50),
    ("ap-south-1", "IN", 19.08, 72.88),
    ("ap-south-2", "IN", 17.39, 78.49),
    ("ap-southeast-1", "SG", 1.35, 103.82),
    ("ap-southeast-2", "AU", -33.87, 151.21),
    ("ap-southeast-3", "ID", -6.21, 106.85),
    ("ap-southeast-4", "AU", -37.81, 144.96),
    ("ap-southeast-5", "MY", 3.15, 101.71),
    ("ap-southeast-6", "NZ", -36.85, 174.76),
    ("ap-southeast-7", "TH", 13.76, 100.50),
    ("ca-central-1", "CA", 45.50, -73.57),
    ("ca-west-1", "CA", 51.05, -114.07),
    ("cn-north-1", "CN", 39.90, 116.41),
    ("cn-northwest-1", "CN", 37.51, 105.20),
    ("eu-central-1", "DE", 50.11, 8.68),
    ("eu-central-2", "CH", 47.38, 8.54),
    ("eu-north-1", "SE", 59.33, 18.07),
    ("eu-south-1", "IT", 45.46, 9.19),
    ("eu-south-2", "ES", 41.65, -0.89),
    ("eu-west-1", "IE", 53.35, -6.26),
    ("eu-west-2", "GB", 51.51, -0.13),
    ("eu-west-3", "FR", 48.86, 2.35),
    ("il-central-1", "IL", 32.08, 34.78),
    ("me-central-1", "AE", 25.20, 55.27),
    ("me-south-1", "BH", 26.07, 50.55),
    ("mx-central-1", "MX", 20.59, -100.39),
    ("sa-east-1", "BR", -23.55, -46.63),
    ("us-east-1", "US/VA", 38.95, -77.45),
    ("us-east-2", "US/OH", 39.96, -83.00),
    ("us-gov-east-1", "US/OH", 39.96, -83.00),
    ("us-gov-west-1", "US/OR", 45.84, -119.70),
    ("us-west-1", "US/CA", 37.35, -121.96),
    ("us-west-2", "US/OR", 45.84, -119.70),
];

/// Where an AWS Region stands.
#[must_use]
pub fn region(name: &str) -> Option<Coordinates> {
    REGIONS
        .iter()
        .find(|(known, ..)| *known == name)
        .map(|&(_, _, latitude, longitude)| Coordinates { latitude, longitude })
}

/// Where the Region of a Local Zone group stands: `us-east-1-bos-1` belongs to `us-east-1`.
#[must_use]
pub fn parent_region(local_zone_group: &str) -> Option<Coordinates> {
    REGIONS
        .iter()
        .find(|(known, ..)| local_zone_group.strip_prefix(known).is_some_and(|rest| rest.starts_with('-')))
        .map(|&(_, _, latitude, longitude)| Coordinates { latitude, longitude })
}

/// The country with this ISO 3166-1 alpha-2 code.
#[must_use]
pub fn country(code: &str) -> Option<&'static Country> {
    COUNTRIES.iter().find(|known| known.code == code)
}

/// The continent's code of the country with this code.
#[must_use]
pub fn continent_of(country_code: &str) -> Option<&'static str> {
    country(country_code).map(|known| known.continent)
}

/// The great-circle distance in kilometres, on a sphere of the Earth's mean radius.
#[must_use]
pub fn distance_km(one: Coordinates, other: Coordinates) -> f64 {
    const EARTH_RADIUS_KM: f64 = 6371.0;
    let half_sine_squared = |degrees: f64| (degrees.to_radians() / 2.0).sin().powi(2);
    let across = half_sine_squared(other.latitude - one.latitude);
    let along = half_sine_squared(other.longitude - one.longitude);
    let haversine = across + one.latitude.to_radians().cos() * other.latitude.to_radians().cos() * along;
    2.0 * EARTH_RADIUS_KM * haversine.clamp(0.0, 1.0).sqrt().asin()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn iso_3166_has_249_countries_each_on_a_continent_and_on_the_globe() {
        let codes: BTreeSet<&str> = COUNTRIES.iter().map(|known| known.code).collect();
        assert_eq!((COUNTRIES.len(), codes.len()), (249, 249));
        for known in COUNTRIES {
            assert!(CONTINENTS.iter().any(|(code, _)| *code == known.continent), "{known:?}");
            assert!(known.latitude.abs() <= 90.0 && known.longitude.abs() <= 180.0, "{known:?}");
        }
    }

    #[test]
    fn the_us_has_fifty_states_and_a_district() {
        let codes: BTreeSet<&str> = US_STATES.iter().map(|(code, ..)| *code).collect();
        assert_eq!(codes.len(), 51);
    }

    #[test]
    fn london_is_some_344_km_from_paris() {
        let (london, paris) = (region("eu-west-2").unwrap(), region("eu-west-3").unwrap());
        assert!((distance_km(london, paris) - 344.0).abs() < 3.0, "{}", distance_km(london, paris));
        assert!(distance_km(paris, paris) < 1e-9);
    }

    #[test]
    fn the_shorter_way_across_the_date_line_is_taken() {
        let east = Coordinates { latitude: 0.0, longitude: 179.0 };
        let west = Coordinates { latitude: 0.0, longitude: -179.0 };
        assert!((distance_km(east, west) - 222.4).abs() < 0.2);
    }

    #[test]
    fn a_local_zone_group_stands_where_its_region_does() {
        assert_eq!(parent_region("us-east-1-bos-1"), region("us-east-1"));
        assert_eq!(parent_region("us-east-1"), None);
    }
}
