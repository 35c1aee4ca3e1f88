//! Where a query comes from, as people write it: a place, an AWS Region, an address, a subnet; or several of them.

use std::net::IpAddr;

use ipnet::IpNet;

use crate::decide::{PlaceError, Viewpoint};

/// A sender that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SenderError {
    /// It is none of them.
    #[error("{0}; an AWS Region (`sa-east-1`), an address (`203.0.113.7`) or a subnet (`203.0.113.0/24`) is taken too")]
    Unknown(#[from] PlaceError),
    /// Two of a kind.
    #[error("`{second}` is a second {kind}, after `{first}`; expected one {kind} at most")]
    Twice {
        /// `place` or `address`.
        kind: &'static str,
        /// The first.
        first: String,
        /// The second.
        second: String,
    },
}

/// What a decision sees of a sender that is written like this: at most one place (a country, a state of the US, or the AWS
/// Region of a VPC), and at most one address or subnet. Nothing: nothing is known of it.
///
/// # Errors
/// When something is none of these, or there are two of a kind.
pub fn sender(written: &[String]) -> Result<Viewpoint, SenderError> {
    let mut place: Option<(&str, Viewpoint)> = None;
    let mut address: Option<(&str, IpNet)> = None;
    for text in written {
        let subnet = text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
        if let Some(subnet) = subnet {
            if let Some((first, _)) = address {
                let (first, second) = (first.to_owned(), text.clone());
                return Err(SenderError::Twice { kind: "address", first, second });
            }
            address = Some((text, subnet.trunc()));
            continue;
        }
        let viewpoint = match Viewpoint::of_region(text) {
            Some(viewpoint) => viewpoint,
            None => Viewpoint::of_place(text)?,
        };
        if let Some((first, _)) = place {
            return Err(SenderError::Twice { kind: "place", first: first.to_owned(), second: text.clone() });
        }
        place = Some((text, viewpoint));
    }
    let viewpoint = place.map(|(_, viewpoint)| viewpoint).unwrap_or_default();
    Ok(Viewpoint { source: address.map(|(_, subnet)| subnet), ..viewpoint })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(written: &[&str]) -> Result<Viewpoint, SenderError> {
        sender(&written.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_place_and_an_address_are_one_sender() {
        let viewpoint = of(&["203.0.113.7/24", "Brazil"]).unwrap();
        assert_eq!(viewpoint.country.as_deref(), Some("BR"));
        assert_eq!(viewpoint.source.unwrap().to_string(), "203.0.113.0/24");
        assert_eq!(of(&["2001:db8::7"]).unwrap().source.unwrap().to_string(), "2001:db8::7/128");
        assert_eq!(of(&["us-east-1"]).unwrap().subdivision.as_deref(), Some("VA"));
        assert_eq!(of(&[]).unwrap(), Viewpoint::default());
    }

    #[test]
    fn what_is_nowhere_is_told_with_what_is_near_and_two_places_are_not_one() {
        insta::assert_snapshot!(of(&["Brasil"]).unwrap_err(), @"place `Brasil` is not known: expected a country (`Brazil`, `BR`) or a state of the US (`US/CA`); did you mean `Brazil`?; an AWS Region (`sa-east-1`), an address (`203.0.113.7`) or a subnet (`203.0.113.0/24`) is taken too");
        insta::assert_snapshot!(of(&["BR", "DE"]).unwrap_err(), @"`DE` is a second place, after `BR`; expected one place at most");
        insta::assert_snapshot!(of(&["::1", "127.0.0.1"]).unwrap_err(), @"`127.0.0.1` is a second address, after `::1`; expected one address at most");
    }
}
