//! The programs that a resolver can be, and what each of them makes of TTLs.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::Speed;

use super::{ResolverKind, ResolverPlan, WireTtl};

/// A resolver that runs as what it is. Where no such program runs, muster's own resolver stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResolverSoftware {
    /// Unbound.
    Unbound,
    /// BIND.
    Bind,
    /// `PowerDNS` Recursor.
    PdnsRecursor,
    /// Knot Resolver.
    KnotResolver,
    /// dnsmasq, a stub resolver with a cache.
    Dnsmasq,
}

impl ResolverSoftware {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Unbound, Self::Bind, Self::PdnsRecursor, Self::KnotResolver, Self::Dnsmasq];

    /// Its name in a drill file, which is that of its image as well.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unbound => "unbound",
            Self::Bind => "bind",
            Self::PdnsRecursor => "pdns-recursor",
            Self::KnotResolver => "knot-resolver",
            Self::Dnsmasq => "dnsmasq",
        }
    }

    /// To how many seconds on the wire it raises a TTL when nobody has set a floor (RSV-TTL-2).
    #[must_use]
    pub const fn own_floor(self) -> u32 {
        match self {
            Self::PdnsRecursor => 1,
            Self::KnotResolver => 5,
            Self::Unbound | Self::Bind | Self::Dnsmasq => 0,
        }
    }

    /// The highest floor that it takes (section 10: BIND refuses more; RSV-TTL-4: dnsmasq caps it); `None`: any.
    #[must_use]
    pub const fn highest_floor(self) -> Option<Duration> {
        match self {
            Self::Bind => Some(Duration::from_secs(90)),
            Self::Dnsmasq => Some(Duration::from_secs(3600)),
            Self::Unbound | Self::PdnsRecursor | Self::KnotResolver => None,
        }
    }

    /// Whether it tells what its cache holds, and only that, when it is asked without recursion, as it is set up here.
    /// dnsmasq passes such a question on to the authoritative server, past its cache, and Knot Resolver refuses it (its
    /// module `refuse_nord`). These are to be asked as a client does: whoever looks at one is then one more of its
    /// clients, and what it sees is what any of them is given.
    ///
    /// A `PowerDNS` Recursor before 5.0 whose cache is empty passes it on as well, and keeps nothing of the answer; what it
    /// holds it tells, with the TTL that is left. So an old answer is seen as long as it is held, and no longer. (From 5.0
    /// on it refuses such questions unless `allow-no-rd` is set.)
    #[must_use]
    pub const fn tells_its_cache(self) -> bool {
        matches!(self, Self::Unbound | Self::Bind | Self::PdnsRecursor)
    }

    /// Whether it first gives what has expired and then asks, where it may: then it gives that once more though the
    /// authoritative server is well (RSV-STL-4). The others ask first (RSV-STL-5).
    #[must_use]
    pub const fn gives_stale_first(self) -> bool {
        matches!(self, Self::Unbound | Self::Dnsmasq)
    }
}

impl fmt::Display for ResolverSoftware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ResolverPlan {
    /// How its program's image is to be set up for this resolver, besides what zone it forwards and to whom: names and
    /// values of environment variables.
    #[must_use]
    pub fn image_settings(&self, wire: WireTtl, speed: Speed) -> Vec<(&'static str, String)> {
        let seconds = |lab| wire.whole_seconds(lab, speed).to_string();
        let floor = match self.kind {
            ResolverKind::TtlFloor(floor) => Some(("MUSTER_TTL_FLOOR", seconds(floor))),
            ResolverKind::Plain | ResolverKind::ClientSubnet => None,
        };
        floor.into_iter().chain(self.serve_stale.map(|stale| ("MUSTER_SERVE_STALE", seconds(stale)))).collect()
    }

    /// The least time that it keeps a positive answer, in lab time.
    #[must_use]
    pub fn floor(&self, wire: WireTtl, speed: Speed) -> Duration {
        match (self.kind, self.software, wire) {
            (ResolverKind::TtlFloor(floor), ..) => floor,
            (_, Some(software), WireTtl::WallSeconds) => wire.from_wire(software.own_floor(), speed),
            _ => Duration::ZERO,
        }
    }

    /// Whether it gives an expired answer once more before it asks.
    #[must_use]
    pub fn gives_stale_first(&self) -> bool {
        self.serve_stale.is_some() && self.software.is_some_and(ResolverSoftware::gives_stale_first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::synthetic;

    fn resolver(kind: ResolverKind, stale: Option<u64>) -> ResolverPlan {
        let known = synthetic::plan().resolvers["br-isp"].clone();
        let serve_stale = stale.map(Duration::from_secs);
        ResolverPlan { kind, serve_stale, software: Some(ResolverSoftware::KnotResolver), ..known }
    }

    #[test]
    fn an_image_is_told_whole_seconds_of_the_wire() {
        let speed = Speed::new(7.0).unwrap();
        let floor = ResolverKind::TtlFloor(Duration::from_secs(120));
        let settings = resolver(floor, Some(3600)).image_settings(WireTtl::WallSeconds, speed);
        assert_eq!(settings, [("MUSTER_TTL_FLOOR", "18".to_owned()), ("MUSTER_SERVE_STALE", "515".to_owned())]);
        assert_eq!(resolver(ResolverKind::Plain, None).image_settings(WireTtl::WallSeconds, speed), []);
    }

    #[test]
    fn rsv_ttl_2_a_programs_own_floor_counts_where_it_runs_and_nobody_set_another() {
        let speed = Speed::new(10.0).unwrap();
        let floor = |kind, wire| resolver(kind, None).floor(wire, speed).as_secs();
        assert_eq!(floor(ResolverKind::Plain, WireTtl::WallSeconds), 50);
        assert_eq!(floor(ResolverKind::Plain, WireTtl::Lab), 0, "muster's own resolver stands for it");
        assert_eq!(floor(ResolverKind::TtlFloor(Duration::from_secs(20)), WireTtl::WallSeconds), 20);
    }

    #[test]
    fn every_program_has_the_name_that_a_journal_has_for_it() {
        for software in ResolverSoftware::ALL {
            assert_eq!(serde_json::to_value(software).unwrap(), software.name());
        }
    }
}
