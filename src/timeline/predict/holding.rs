//! How long old answers and old connections are held on to.

use std::time::Duration;

use crate::plan::{Bounds, ClientProfile, Plan, ResolverKind, ResolverPlan};

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

/// From the authoritative answer to a resolver's, whose cached answer, negative or not, has this TTL (lab seconds).
pub(super) fn resolver(plan: &Plan, resolver: &ResolverPlan, ttl: u32) -> Bounds {
    let ttl = Duration::from_secs(ttl.into());
    let held = match resolver.kind {
        // A client-subnet resolver keeps one answer for each subnet, each for its TTL.
        ResolverKind::Plain | ResolverKind::ClientSubnet => ttl,
        ResolverKind::TtlFloor(floor) => ttl.max(floor),
    };
    let held = plan.wire.kept(held, plan.speed).saturating_add(plan.wire.slack(plan.speed));
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
    use crate::clock::Speed;
    use crate::journal::synthetic;
    use crate::plan::WireTtl;

    const MINUTE: Duration = Duration::from_secs(60);

    /// The longest that a resolver of this kind holds an answer of this TTL.
    fn longest(plan: &Plan, kind: ResolverKind, ttl: u32) -> Duration {
        let known = plan.resolvers.values().next().unwrap().clone();
        let Bounds { best, worst } = resolver(plan, &ResolverPlan { kind, ..known }, ttl);
        assert_eq!(best, Duration::ZERO);
        worst.unwrap()
    }

    #[test]
    fn a_floor_raises_a_short_ttl_and_leaves_a_long_one() {
        let plan = synthetic::plan();
        let floor = ResolverKind::TtlFloor(Duration::from_secs(120));
        assert_eq!(longest(&plan, floor, 60), Duration::from_secs(120));
        assert_eq!(longest(&plan, floor, 300), Duration::from_secs(300));
        assert_eq!(longest(&plan, ResolverKind::Plain, 60), MINUTE);
    }

    #[test]
    fn rsv_ttl_1_a_clock_of_whole_wall_seconds_makes_the_worst_case_longer_and_leaves_the_best() {
        let speed = Speed::new(25.0).unwrap();
        let plan = Plan { wire: WireTtl::WallSeconds, speed, ..synthetic::plan() };
        let floor = ResolverKind::TtlFloor(Duration::from_secs(120));
        // 60 s are 2.4 wall seconds, so 3; then one more.
        assert_eq!(longest(&plan, ResolverKind::Plain, 60), Duration::from_secs(4 * 25));
        assert_eq!(longest(&plan, ResolverKind::ClientSubnet, 900), Duration::from_secs(37 * 25));
        assert_eq!(longest(&plan, floor, 60), Duration::from_secs(6 * 25), "120 s are 4.8 wall seconds");
        assert_eq!(longest(&plan, ResolverKind::Plain, 0), Duration::from_secs(25), "until the second is over");
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
