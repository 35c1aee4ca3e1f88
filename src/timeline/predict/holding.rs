//! How long old answers and old connections are held on to.

use std::time::Duration;

use crate::plan::Bounds;
use crate::plan::{ClientProfile, ResolverKind};

use super::{AT_ONCE, NEVER};

/// What is left of the cell that a client is to leave, in the order in which it lets go: first comes the quickest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OldCell {
    /// Connections break and new ones are refused.
    Breaks,
    /// It accepts, and answers 503.
    Refuses,
    /// It serves as ever.
    Serves,
}

/// From the authoritative answer to a resolver's, whose cached answer has this TTL (seconds).
pub(super) fn resolver(kind: ResolverKind, ttl: u32) -> Bounds {
    let ttl = Duration::from_secs(ttl.into());
    let held = match kind {
        // A client-subnet resolver keeps one answer for each subnet, each for its TTL.
        ResolverKind::Plain | ResolverKind::ClientSubnet => ttl,
        ResolverKind::TtlFloor(floor) => ttl.max(floor),
    };
    Bounds::between(Duration::ZERO, held)
}

/// From its resolver's answer to a client's arrival at the new cell.
#[expect(clippy::match_same_arms, reason = "each arm has its own reason")]
pub(super) fn client(profile: ClientProfile, old: OldCell) -> Bounds {
    match (profile, old) {
        // Each request asks the resolver.
        (ClientProfile::FreshLookup, _) => AT_ONCE,
        // The runtime may have asked just before the resolver's answer changed. Failures do not empty its cache.
        (ClientProfile::RuntimeCache(held), _) => Bounds::between(Duration::ZERO, held),
        // It has its first answer for life.
        (ClientProfile::CacheForever, _) => NEVER,
        // A broken connection makes it resolve for each new attempt.
        (ClientProfile::KeepAlivePool, OldCell::Breaks) => AT_ONCE,
        // A connection that lives is used, whatever the answers on it say: nothing forces a reconnect.
        (ClientProfile::KeepAlivePool, OldCell::Refuses | OldCell::Serves) => NEVER,
        // Connect errors and 503 drop the pool, so each request resolves.
        (ClientProfile::RecyclingPool(_), OldCell::Breaks | OldCell::Refuses) => AT_ONCE,
        // Nothing drops the pool before its age does.
        (ClientProfile::AgeingPool(_), OldCell::Breaks) => AT_ONCE,
        (ClientProfile::RecyclingPool(age), OldCell::Serves)
        | (ClientProfile::AgeingPool(age), OldCell::Refuses | OldCell::Serves) => Bounds::between(Duration::ZERO, age),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn a_floor_raises_a_short_ttl_and_leaves_a_long_one() {
        let floor = ResolverKind::TtlFloor(Duration::from_secs(120));
        assert_eq!(resolver(floor, 60).worst, Some(Duration::from_secs(120)));
        assert_eq!(resolver(floor, 300).worst, Some(Duration::from_secs(300)));
        assert_eq!(resolver(ResolverKind::Plain, 60).worst, Some(MINUTE));
    }

    #[test]
    fn a_keep_alive_pool_leaves_a_cell_only_when_its_connections_break() {
        let pool = ClientProfile::KeepAlivePool;
        let worst = [OldCell::Breaks, OldCell::Refuses, OldCell::Serves].map(|old| client(pool, old).worst);
        assert_eq!(worst, [Some(Duration::ZERO), None, None]);
    }

    #[test]
    fn a_recycling_pool_leaves_a_bad_cell_at_once_and_a_good_one_at_its_age() {
        let pool = ClientProfile::RecyclingPool(MINUTE);
        let worst = [OldCell::Breaks, OldCell::Refuses, OldCell::Serves].map(|old| client(pool, old).worst);
        assert_eq!(worst, [Some(Duration::ZERO), Some(Duration::ZERO), Some(MINUTE)]);
    }
}
