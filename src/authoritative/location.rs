//! Where the senders of queries are: what a geolocation database is to Route 53, written by hand.

use ipnet::IpNet;

use crate::decide::Viewpoint;

/// A network and where it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Location {
    /// Lab addresses.
    pub network: IpNet,
    /// The place's name, as the drill gives it.
    pub place: String,
    /// What the place looks like to a decision; its `source` is ignored, each query brings its own.
    pub viewpoint: Viewpoint,
}

/// Locations by network; the longest prefix wins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocationMap {
    /// Longest prefix first.
    locations: Vec<Location>,
}

impl LocationMap {
    /// A map of these. Of two with the same network, the first holds.
    #[must_use]
    pub fn new(mut locations: Vec<Location>) -> Self {
        locations.sort_by_key(|location| std::cmp::Reverse(location.network.prefix_len()));
        Self { locations }
    }

    /// Where the map places a sender, who is known by an address or only by its subnet (R53-80, R53-81): the place's
    /// name, and what it looks like from there. Nowhere is no place and a viewpoint with nothing but the source.
    ///
    /// A subnet that is larger than an entry is where its entries are, if they agree: senders in a lab have single
    /// addresses, and a resolver tells only their /24 or /56.
    #[must_use]
    pub fn locate(&self, sender: IpNet) -> (Option<&str>, Viewpoint) {
        let mut inside = self.locations.iter().filter(|location| sender.contains(&location.network));
        let agreed = inside
            .next()
            .filter(|first| inside.all(|other| other.place == first.place))
            .or_else(|| self.locations.iter().find(|location| location.network.contains(&sender)));
        match agreed {
            Some(Location { place, viewpoint, .. }) => {
                (Some(place), Viewpoint { source: Some(sender), ..viewpoint.clone() })
            }
            None => (None, Viewpoint { source: Some(sender), ..Viewpoint::default() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place_of<'m>(map: &'m LocationMap, sender: &str) -> Option<&'m str> {
        map.locate(sender.parse().unwrap()).0
    }

    fn map(entries: &[(&str, &str)]) -> LocationMap {
        let location = |(network, place): &(&str, &str)| Location {
            network: network.parse().unwrap(),
            place: (*place).to_owned(),
            viewpoint: Viewpoint { country: Some((*place).to_owned()), ..Viewpoint::default() },
        };
        LocationMap::new(entries.iter().map(location).collect())
    }

    #[test]
    fn the_longest_prefix_wins_in_whatever_order_it_was_given() {
        let map = map(&[("10.0.0.0/8", "US"), ("10.1.0.0/16", "BR"), ("10.1.2.3/32", "DE")]);
        assert_eq!(place_of(&map, "10.9.9.9/32"), Some("US"));
        assert_eq!(place_of(&map, "10.1.9.9/32"), Some("BR"));
        assert_eq!(place_of(&map, "10.1.2.3/32"), Some("DE"));
        assert_eq!(place_of(&map, "192.0.2.1/32"), None);
    }

    #[test]
    fn a_subnet_is_where_its_only_sender_is_and_where_it_lies_itself_when_its_senders_disagree() {
        let map = map(&[("10.0.0.0/8", "US"), ("10.1.2.3/32", "DE"), ("10.1.3.1/32", "BR"), ("10.1.3.2/32", "DE")]);
        assert_eq!(place_of(&map, "10.1.2.0/24"), Some("DE"));
        assert_eq!(place_of(&map, "10.1.3.0/24"), Some("US"));
    }

    #[test]
    fn a_viewpoint_carries_the_senders_own_source() {
        let map = map(&[("10.0.0.0/8", "US")]);
        let sender: IpNet = "10.1.2.0/24".parse().unwrap();
        let (_, viewpoint) = map.locate(sender);
        assert_eq!((viewpoint.source, viewpoint.country.as_deref()), (Some(sender), Some("US")));
    }
}
