//! How long old answers and old connections are held on to.

use std::time::Duration;

use crate::plan::{Bounds, ClientPlan, ClientProfile, ClientRuns, ClientSoftware, Plan, ResolverPlan, WireTtl};

use super::{AT_ONCE, NEVER};

/// What is left of the cell that a client is to leave, in the order in which it lets go: first comes the quickest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OldCell {
    /// Connections break and new ones are refused.
    Breaks,
    /// What is sent to it vanishes: whoever waits for it waits as long as it likes.
    Vanishes,
    /// It accepts, and answers 503.
    Refuses,
    /// It serves as ever.
    Serves,
}

/// From the authoritative answer to a resolver's, whose cached answer, negative or not, has this TTL (lab seconds).
pub(super) fn resolver(plan: &Plan, resolver: &ResolverPlan, ttl: u32) -> Bounds {
    let (wire, speed) = (plan.wire, plan.speed);
    // A client-subnet resolver keeps one answer for each subnet, each for its TTL.
    let held = Duration::from_secs(ttl.into()).max(resolver.floor(wire, speed));
    let mut held = wire.kept(held, speed).saturating_add(wire.slack(speed));
    if wire == WireTtl::WallSeconds && resolver.gives_stale_first() {
        // Whoever asks next is given what has expired once more; at the latest that is the observer.
        held = held.saturating_add(plan.observe.resolver_every);
    }
    Bounds::between(Duration::ZERO, held)
}

/// How long gRPC in Go waits at least from one look-up to the next (CLI-GRPC-1), wall time.
const GRPC_LOOKS_UP_EVERY: Duration = Duration::from_secs(30);
/// How long it waits at most before it connects again: 120 s, and a fifth of chance (its connection back-off), wall time.
const GRPC_BACKS_OFF: Duration = Duration::from_secs(144);

/// How long a pool pauses at most before it tries a request again (its second pause).
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The same of a client that runs as what it is, where time passes as on the wall for it.
fn program(plan: &Plan, software: ClientSoftware, profile: ClientProfile, old: OldCell) -> Option<Bounds> {
    let (wire, speed) = (plan.wire, plan.speed);
    let longest = match (software, profile, old) {
        _ if wire == WireTtl::Lab => return None,
        // It can be told whole seconds alone. The JVM counts them finely (CLI-JVM-1), nginx in whole ones (CLI-NGX-3).
        (ClientSoftware::Nginx, ClientProfile::RuntimeCache(held), _) => {
            wire.kept(held, speed).saturating_add(wire.slack(speed))
        }
        (_, ClientProfile::RuntimeCache(held), _) => wire.kept(held, speed),
        // A connection that breaks makes it look up again, and connect again, but not at once (CLI-GRPC-3).
        (ClientSoftware::Grpc, _, OldCell::Breaks | OldCell::Vanishes) => {
            speed.to_lab(GRPC_LOOKS_UP_EVERY + GRPC_BACKS_OFF)
        }
        _ => return None,
    };
    Some(Bounds::between(Duration::ZERO, longest))
}

/// From its resolver's answer to a client's arrival at the new cell.
pub(super) fn client(plan: &Plan, client: &ClientPlan, old: OldCell) -> Bounds {
    let own = match client.runs {
        ClientRuns::Known(software) => program(plan, software, client.profile, old),
        ClientRuns::Muster | ClientRuns::Image(_) => None,
    };
    let own = own.unwrap_or_else(|| habit(client.profile, old));
    if old == OldCell::Vanishes { own.then(Bounds::between(Duration::ZERO, under_way(client))) } else { own }
}

/// How long a request that vanishes may last before the next one, its retry or that of the cadence, begins.
fn under_way(client: &ClientPlan) -> Duration {
    client.timeout.saturating_add(LONGEST_PAUSE.max(client.every))
}

#[expect(clippy::match_same_arms, reason = "each arm has its own reason")]
fn habit(profile: ClientProfile, old: OldCell) -> Bounds {
    match (profile, old) {
        // Each request asks the resolver.
        (ClientProfile::FreshLookup, _) => AT_ONCE,
        // The runtime may have asked just before the resolver's answer changed. Failures do not empty its cache.
        (ClientProfile::RuntimeCache(held), _) => Bounds::between(Duration::ZERO, held),
        // It has its first answer for life.
        (ClientProfile::CacheForever, _) => NEVER,
        // A broken connection makes it resolve for each new attempt.
        (ClientProfile::KeepAlivePool, OldCell::Breaks | OldCell::Vanishes) => AT_ONCE,
        // A connection that lives is used, whatever the answers on it say: nothing forces a reconnect.
        (ClientProfile::KeepAlivePool, OldCell::Refuses | OldCell::Serves) => NEVER,
        // Connect errors and 503 drop the pool, so each request resolves.
        (ClientProfile::RecyclingPool(_), OldCell::Breaks | OldCell::Vanishes | OldCell::Refuses) => AT_ONCE,
        // Nothing drops the pool before its age does.
        (ClientProfile::AgeingPool(_), OldCell::Breaks | OldCell::Vanishes) => AT_ONCE,
        (ClientProfile::RecyclingPool(age), OldCell::Serves)
        | (ClientProfile::AgeingPool(age), OldCell::Refuses | OldCell::Serves) => Bounds::between(Duration::ZERO, age),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Speed;
    use crate::journal::synthetic;
    use crate::plan::{ResolverKind, ResolverSoftware};

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
    fn rsv_ttl_2_and_rsv_stl_4_what_a_program_does_by_itself_is_predicted_where_it_runs() {
        let speed = Speed::new(10.0).unwrap();
        let longest = |wire, software, stale: bool, ttl| {
            let plan = Plan { speed, wire, ..synthetic::plan() };
            let known = plan.resolvers.values().next().unwrap().clone();
            let serve_stale = stale.then_some(MINUTE);
            let own = ResolverPlan { software: Some(software), serve_stale, ..known };
            resolver(&plan, &own, ttl).worst.unwrap().as_secs()
        };
        let here = |software, stale, ttl| longest(WireTtl::WallSeconds, software, stale, ttl);
        assert_eq!(here(ResolverSoftware::Bind, false, 20), 20 + 10);
        assert_eq!(here(ResolverSoftware::KnotResolver, false, 20), 50 + 10, "five seconds on the wire");
        assert_eq!(here(ResolverSoftware::PdnsRecursor, false, 0), 10 + 10);
        assert_eq!(here(ResolverSoftware::Bind, true, 60), 60 + 10, "it asks first");
        assert_eq!(here(ResolverSoftware::Unbound, true, 60), 60 + 10 + 1, "until the observer has asked once more");
        assert_eq!(longest(WireTtl::Lab, ResolverSoftware::KnotResolver, false, 20), 20, "muster's own stands for it");
    }

    #[test]
    fn a_program_that_is_told_whole_seconds_keeps_an_answer_longer_and_grpc_takes_its_time() {
        let speed = Speed::new(7.0).unwrap();
        let longest = |wire, software, profile, old| {
            let plan = Plan { speed, wire, ..synthetic::plan() };
            let known = plan.clients["br-fresh"].clone();
            client(&plan, &ClientPlan { runs: ClientRuns::Known(software), profile, ..known }, old).worst
        };
        let half = ClientProfile::RuntimeCache(Duration::from_secs(30));
        let cached = |wire, software| longest(wire, software, half, OldCell::Refuses).unwrap().as_secs();
        assert_eq!(cached(WireTtl::Lab, ClientSoftware::Jvm), 30);
        assert_eq!(cached(WireTtl::WallSeconds, ClientSoftware::Jvm), 35, "five wall seconds");
        assert_eq!(cached(WireTtl::WallSeconds, ClientSoftware::Nginx), 42, "and one that it does not count finely");
        let grpc = |wire, old| longest(wire, ClientSoftware::Grpc, ClientProfile::KeepAlivePool, old);
        assert_eq!(grpc(WireTtl::WallSeconds, OldCell::Breaks), Some(Duration::from_secs(174 * 7)));
        assert_eq!(grpc(WireTtl::WallSeconds, OldCell::Serves), None);
        assert_eq!(grpc(WireTtl::Lab, OldCell::Breaks), Some(Duration::ZERO));
    }

    #[test]
    fn a_keep_alive_pool_leaves_a_cell_only_when_its_connections_break() {
        let pool = ClientProfile::KeepAlivePool;
        let worst = [OldCell::Breaks, OldCell::Refuses, OldCell::Serves].map(|old| habit(pool, old).worst);
        assert_eq!(worst, [Some(Duration::ZERO), None, None]);
    }

    #[test]
    fn who_waits_for_a_cell_that_is_cut_off_comes_as_much_later_as_it_waits() {
        let plan = synthetic::plan();
        let known = plan.clients["br-fresh"].clone();
        let worst = |profile, old| {
            let (every, timeout) = (Duration::from_secs(3), Duration::from_secs(5));
            client(&plan, &ClientPlan { profile, every, timeout, ..known.clone() }, old).worst
        };
        for profile in [ClientProfile::FreshLookup, ClientProfile::KeepAlivePool, ClientProfile::AgeingPool(MINUTE)] {
            assert_eq!(worst(profile, OldCell::Breaks), Some(Duration::ZERO));
            assert_eq!(worst(profile, OldCell::Vanishes), Some(Duration::from_secs(8)));
        }
        assert_eq!(worst(ClientProfile::CacheForever, OldCell::Vanishes), None);
    }

    #[test]
    fn a_recycling_pool_leaves_a_bad_cell_at_once_and_a_good_one_at_its_age() {
        let pool = ClientProfile::RecyclingPool(MINUTE);
        let worst = [OldCell::Breaks, OldCell::Refuses, OldCell::Serves].map(|old| habit(pool, old).worst);
        assert_eq!(worst, [Some(Duration::ZERO), Some(Duration::ZERO), Some(MINUTE)]);
    }
}
