//! In which seconds TTLs stand on the wire, and what that does to them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::Speed;

/// The largest TTL that there is (RFC 2181, section 8).
const LARGEST: f64 = 2_147_483_647.0;
/// A division that misses a whole number by less than this has not missed it, in seconds.
const ROUNDING: f64 = 1e-6;

/// In which seconds TTLs stand on the wire of a lab.
///
/// muster's own roles count lab time, whatever the speed. A resolver that runs as what it is has a clock of whole wall
/// seconds (RSV-TTL-1: what it tells is a whole number; unbound, BIND, `PowerDNS` Recursor, Knot Resolver and dnsmasq all
/// keep the second in which an answer came, not the moment). So what its lab serves it is rounded up to whole wall
/// seconds, and it may let go of that up to one wall second sooner or later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WireTtl {
    /// Lab seconds: the virtual and the embedded lab.
    #[default]
    Lab,
    /// Wall seconds: the lab of containers.
    WallSeconds,
}

impl WireTtl {
    /// Whether this is what a plan says without a word.
    #[must_use]
    pub const fn is_lab(&self) -> bool {
        matches!(self, Self::Lab)
    }

    /// The TTL to put on the wire for one of so many lab seconds: 0 stays 0, any other is at least 1, rounded up.
    #[must_use]
    pub fn to_wire(self, ttl_lab_seconds: u32, speed: Speed) -> u32 {
        match self {
            Self::Lab => ttl_lab_seconds,
            Self::WallSeconds => self.whole_seconds(Duration::from_secs(ttl_lab_seconds.into()), speed),
        }
    }

    /// So much lab time in whole seconds of the wire: none stays 0, any other is at least 1, rounded up; at most the
    /// largest TTL that there is.
    #[must_use]
    pub fn whole_seconds(self, lab: Duration, speed: Speed) -> u32 {
        let on_wire = match self {
            Self::Lab => lab.as_secs_f64(),
            Self::WallSeconds => lab.as_secs_f64() / speed.factor(),
        };
        let whole = if lab.is_zero() { 0.0 } else { (on_wire.min(LARGEST) - ROUNDING).ceil().max(1.0) };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it lies between 0 and the largest TTL"
        )]
        let whole = whole as u32;
        whole
    }

    /// How much lab time a TTL on the wire stands for. The way there and back never makes a TTL shorter.
    #[must_use]
    pub fn from_wire(self, ttl: u32, speed: Speed) -> Duration {
        let ttl = Duration::from_secs(ttl.into());
        match self {
            Self::Lab => ttl,
            Self::WallSeconds => speed.to_lab(ttl),
        }
    }

    /// So much lab time, as whoever can be told of whole seconds on the wire keeps it: at least as long.
    #[must_use]
    pub fn kept(self, lab: Duration, speed: Speed) -> Duration {
        match self {
            Self::Lab => lab,
            Self::WallSeconds => self.from_wire(self.whole_seconds(lab, speed), speed),
        }
    }

    /// How much sooner or later than that a clock of whole seconds may let go of it, in lab time.
    #[must_use]
    pub fn slack(self, speed: Speed) -> Duration {
        match self {
            Self::Lab => Duration::ZERO,
            Self::WallSeconds => speed.to_lab(Duration::from_secs(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn speed(factor: f64) -> Speed {
        Speed::new(factor).unwrap()
    }

    #[test]
    fn a_ttl_stands_on_the_wire_in_whole_wall_seconds_rounded_up() {
        let wire = |ttl, factor| WireTtl::WallSeconds.to_wire(ttl, speed(factor));
        assert_eq!([wire(60, 20.0), wire(61, 20.0), wire(60, 7.0), wire(60, 1.0)], [3, 4, 9, 60]);
        assert_eq!([wire(1, 40.0), wire(0, 40.0)], [1, 0], "at least 1; 0 is not to be cached, and stays so");
        assert_eq!([wire(60, 0.1), wire(3, 0.3)], [600, 10], "no rounding error makes it a second longer");
        assert_eq!(wire(u32::MAX, 0.01), i32::MAX.unsigned_abs());
    }

    #[test]
    fn lab_seconds_stand_on_the_wire_as_they_are() {
        let wire = WireTtl::Lab;
        assert_eq!((wire.to_wire(61, speed(20.0)), wire.slack(speed(20.0))), (61, Duration::ZERO));
        assert_eq!(wire.from_wire(61, speed(20.0)), Duration::from_secs(61));
        let odd = Duration::from_millis(1500);
        assert_eq!(wire.kept(odd, speed(20.0)), odd);
    }

    #[test]
    fn a_minute_at_seven_times_is_kept_for_nine_wall_seconds_give_or_take_one() {
        let (wire, speed) = (WireTtl::WallSeconds, speed(7.0));
        assert_eq!(wire.kept(Duration::from_mins(1), speed), Duration::from_secs(63));
        assert_eq!(wire.slack(speed), Duration::from_secs(7));
    }

    proptest! {
        #[test]
        fn the_way_there_and_back_makes_a_ttl_at_most_one_wall_second_longer(ttl in 0_u32..1_000_000, factor in 0.01_f64..1000.0) {
            let speed = speed(factor);
            let back = WireTtl::WallSeconds.from_wire(WireTtl::WallSeconds.to_wire(ttl, speed), speed).as_secs_f64();
            let tolerance = ROUNDING * factor.max(1.0) * 2.0;
            prop_assert!(back + tolerance >= f64::from(ttl) && back < f64::from(ttl) + factor + tolerance, "{back}");
        }
    }
}
