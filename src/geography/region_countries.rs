//! The countries in which the AWS Regions stand.

/// Region, and its country as ISO 3166-1 alpha-2.
const COUNTRIES_OF_REGIONS: &[(&str, &str)] = &[
    ("af-south-1", "ZA"),
    ("ap-east-1", "HK"),
    ("ap-east-2", "TW"),
    ("ap-northeast-1", "JP"),
    ("ap-northeast-2", "KR"),
    ("ap-northeast-3", "JP"),
    ("ap-south-1", "IN"),
    ("ap-south-2", "IN"),
    ("ap-southeast-1", "SG"),
    ("ap-southeast-2", "AU"),
    ("ap-southeast-3", "ID"),
    ("ap-southeast-4", "AU"),
    ("ap-southeast-5", "MY"),
    ("ap-southeast-6", "NZ"),
    ("ap-southeast-7", "TH"),
    ("ca-central-1", "CA"),
    ("ca-west-1", "CA"),
    ("cn-north-1", "CN"),
    ("cn-northwest-1", "CN"),
    ("eu-central-1", "DE"),
    ("eu-central-2", "CH"),
    ("eu-north-1", "SE"),
    ("eu-south-1", "IT"),
    ("eu-south-2", "ES"),
    ("eu-west-1", "IE"),
    ("eu-west-2", "GB"),
    ("eu-west-3", "FR"),
    ("il-central-1", "IL"),
    ("me-central-1", "AE"),
    ("me-south-1", "BH"),
    ("mx-central-1", "MX"),
    ("sa-east-1", "BR"),
    ("us-east-1", "US"),
    ("us-east-2", "US"),
    ("us-gov-east-1", "US"),
    ("us-gov-west-1", "US"),
    ("us-west-1", "US"),
    ("us-west-2", "US"),
];

/// The code of the country in which an AWS Region stands.
#[must_use]
pub fn country_of_region(name: &str) -> Option<&'static str> {
    COUNTRIES_OF_REGIONS.iter().find(|(known, _)| *known == name).map(|(_, country)| *country)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geography::{REGIONS, country};

    #[test]
    fn every_region_stands_in_a_country() {
        for (name, ..) in REGIONS {
            assert!(country_of_region(name).and_then(country).is_some(), "{name}");
        }
        assert_eq!(COUNTRIES_OF_REGIONS.len(), REGIONS.len());
    }
}
