//! A client runtime's address cache: it keeps addresses for a time of its own and never sees a TTL.

use std::net::IpAddr;
use std::time::Duration;

use crate::clock::LabTime;

/// How long the JDK keeps addresses unless it is told otherwise (`networkaddress.cache.ttl`, no security manager).
pub const JDK_LIFETIME: Duration = Duration::from_secs(30);

/// How long a runtime keeps what a name resolved to, whatever the TTL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Not at all.
    None,
    /// For this long.
    For(Duration),
    /// Until it ends.
    Forever,
}

/// The cache of one client for the one name that it uses.
#[derive(Clone, Debug)]
pub struct ClientCache {
    lifetime: Lifetime,
    kept: Option<Kept>,
}

#[derive(Clone, Debug)]
struct Kept {
    since: LabTime,
    addresses: Vec<IpAddr>,
}

impl ClientCache {
    /// An empty cache.
    #[must_use]
    pub const fn new(lifetime: Lifetime) -> Self {
        Self { lifetime, kept: None }
    }

    /// The addresses, while they are kept. At the very end of the lifetime they no longer are.
    #[must_use]
    pub fn lookup(&self, now: LabTime) -> Option<&[IpAddr]> {
        let kept = self.kept.as_ref()?;
        let fresh = match self.lifetime {
            Lifetime::None => false,
            Lifetime::For(lifetime) => now.since(kept.since) < lifetime,
            Lifetime::Forever => true,
        };
        fresh.then_some(&kept.addresses)
    }

    /// Keeps what the name resolved to. Without an address there is nothing to keep: a failed lookup is made again
    /// at the next request, and what was kept before is gone.
    pub fn store(&mut self, now: LabTime, addresses: Vec<IpAddr>) {
        self.kept = (!addresses.is_empty()).then_some(Kept { since: now, addresses });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses() -> Vec<IpAddr> {
        vec![IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2])]
    }

    fn filled(lifetime: Lifetime) -> ClientCache {
        let mut cache = ClientCache::new(lifetime);
        assert_eq!(cache.lookup(LabTime::START), None);
        cache.store(LabTime::secs(10), addresses());
        cache
    }

    #[test]
    fn the_jdk_keeps_an_answer_for_30_s_whatever_its_ttl() {
        let cache = filled(Lifetime::For(JDK_LIFETIME));
        let end = LabTime::secs(40);
        assert_eq!(cache.lookup(end - Duration::from_nanos(1)), Some(&addresses()[..]));
        assert_eq!(cache.lookup(end), None);
    }

    #[test]
    fn a_new_answer_begins_a_new_lifetime() {
        let mut cache = filled(Lifetime::For(JDK_LIFETIME));
        cache.store(LabTime::secs(39), addresses()[..1].to_vec());
        assert_eq!(cache.lookup(LabTime::secs(68)), Some(&addresses()[..1]));
    }

    #[test]
    fn without_a_lifetime_every_request_resolves() {
        assert_eq!(filled(Lifetime::None).lookup(LabTime::secs(10)), None);
    }

    #[test]
    fn for_ever_never_ends() {
        assert_eq!(filled(Lifetime::Forever).lookup(LabTime::secs(u64::MAX)), Some(&addresses()[..]));
    }

    #[test]
    fn a_lookup_without_addresses_is_not_kept() {
        let mut cache = filled(Lifetime::Forever);
        cache.store(LabTime::secs(11), Vec::new());
        assert_eq!(cache.lookup(LabTime::secs(11)), None);
    }
}
