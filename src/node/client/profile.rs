//! What a client profile comes down to: how long answers are kept, and how connections are held on to.

use crate::cache::{Lifetime, PoolPolicy};
use crate::plan::ClientProfile;

/// The cache and the pool of a profile. Only what lives in the client: a resolver's cache is the resolver's.
pub(super) const fn habits(profile: ClientProfile) -> (Lifetime, PoolPolicy) {
    match profile {
        ClientProfile::FreshLookup => (Lifetime::None, PoolPolicy::Fresh),
        ClientProfile::RuntimeCache(lifetime) => (Lifetime::For(lifetime), PoolPolicy::Fresh),
        ClientProfile::CacheForever => (Lifetime::Forever, PoolPolicy::Fresh),
        ClientProfile::KeepAlivePool => (Lifetime::None, PoolPolicy::KeepAlive),
        ClientProfile::RecyclingPool(max_age) => (Lifetime::None, PoolPolicy::Recycling { max_age }),
        ClientProfile::AgeingPool(max_age) => (Lifetime::None, PoolPolicy::Ageing { max_age }),
    }
}
