//! A recursive resolver's cache: what it may still answer with, and for how long.
//!
//! It keeps payloads that it does not look into: answers and negative answers alike. It never asks anybody.

use std::collections::BTreeMap;
use std::time::Duration;

use hickory_proto::rr::{Name, RecordType};
use ipnet::IpNet;

use crate::clock::LabTime;

/// What a cached answer answers. Names compare without regard to case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The query name.
    pub name: Name,
    /// The query type.
    pub rtype: RecordType,
}

/// What the cache has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit<V> {
    /// What was stored.
    pub value: V,
    /// The TTL to answer with, in seconds, at least 1: the TTL less the *whole* seconds that have passed, as
    /// resolvers count. So a cache further down may keep the answer for up to a second longer than this one does.
    pub remaining: u32,
}

/// The TTL of a negative answer, in seconds: that of the SOA record or the SOA's minimum, whichever is less (RFC 2308,
/// R53-178).
#[must_use]
pub fn negative_ttl(soa_ttl: u32, soa_minimum: u32) -> u32 {
    soa_ttl.min(soa_minimum)
}

/// The cache of one resolver.
///
/// An entry is served until exactly its TTL after it was stored, and never longer; serve-stale (RFC 8767) is not
/// modelled. An NXDOMAIN is kept for the type that was asked for, like every other answer.
///
/// It holds at most as many entries as its capacity says. When it is full, the one that expires first makes room for
/// a new one; that is one that has expired already, if there is any. Finding that takes a walk over all entries, which is fine for the few names of a lab.
#[derive(Clone, Debug)]
pub struct ResolverCache<V> {
    floor: Duration,
    capacity: usize,
    len: usize,
    entries: BTreeMap<Key, Vec<Entry<V>>>,
}

#[derive(Clone, Debug)]
struct Entry<V> {
    /// The client network that it may be served to; `None`: everybody.
    scope: Option<IpNet>,
    value: V,
    stored: LabTime,
    ttl: Duration,
}

impl<V> Entry<V> {
    fn expires(&self) -> LabTime {
        self.stored + self.ttl
    }

    fn is_fresh(&self, now: LabTime) -> bool {
        now < self.expires()
    }

    fn serves(&self, client: Option<IpNet>) -> bool {
        self.scope.is_none_or(|scope| client.is_some_and(|client| scope.contains(&client)))
    }

    fn specificity(&self) -> u8 {
        self.scope.map_or(0, |scope| scope.prefix_len())
    }

    fn remaining(&self, now: LabTime) -> u32 {
        let whole_seconds_left = self.ttl.as_secs().saturating_sub(now.since(self.stored).as_secs());
        u32::try_from(whole_seconds_left).unwrap_or(u32::MAX)
    }
}

impl<V: Clone> ResolverCache<V> {
    /// How many entries a cache holds unless it is told otherwise.
    pub const CAPACITY: usize = 10_000;

    /// An empty cache that honours TTLs as they are.
    #[must_use]
    pub const fn new() -> Self {
        Self::with_floor(None)
    }

    /// An empty cache that raises the TTL of positive answers to `floor`, in whole seconds (a part of a second is
    /// dropped).
    #[must_use]
    pub const fn with_floor(floor: Option<Duration>) -> Self {
        let floor = match floor {
            Some(floor) => Duration::from_secs(floor.as_secs()),
            None => Duration::ZERO,
        };
        Self { floor, capacity: Self::CAPACITY, len: 0, entries: BTreeMap::new() }
    }

    /// The same cache for at most `capacity` entries, at least 1.
    #[must_use]
    pub const fn holding_at_most(mut self, capacity: usize) -> Self {
        self.capacity = if capacity == 0 { 1 } else { capacity };
        self
    }

    /// Keeps an answer for `ttl` seconds or for the floor, whichever is longer. It takes the place of an older one for
    /// the same key and scope.
    ///
    /// `scope` is the network that the answer holds for, as the authoritative server said (RFC 7871, SCOPE
    /// PREFIX-LENGTH), cut to the length of the network that was sent where it is longer. Without one, and with a
    /// prefix length of 0, the answer is served to everybody.
    pub fn store(&mut self, now: LabTime, key: Key, scope: Option<IpNet>, value: V, ttl: u32) {
        let ttl = Duration::from_secs(u64::from(ttl)).max(self.floor);
        self.keep(now, key, scope, value, ttl);
    }

    /// Keeps a negative answer (NXDOMAIN or no data) for its [`negative_ttl`]. The floor does not raise it.
    pub fn store_negative(
        &mut self,
        now: LabTime,
        key: Key,
        scope: Option<IpNet>,
        value: V,
        soa_ttl: u32,
        soa_minimum: u32,
    ) {
        let ttl = Duration::from_secs(u64::from(negative_ttl(soa_ttl, soa_minimum)));
        self.keep(now, key, scope, value, ttl);
    }

    /// The answer for a client of the network `client`, and forgets what has expired under this key. Of several
    /// answers that may be served, the one with the longest scope. A client whose network is wider than a scope is
    /// not inside it, and one whose network is not known gets only what is for everybody.
    pub fn lookup(&mut self, now: LabTime, key: &Key, client: Option<IpNet>) -> Option<Hit<V>> {
        let entries = self.entries.get_mut(key)?;
        let before = entries.len();
        entries.retain(|entry| entry.is_fresh(now));
        self.len -= before - entries.len();
        if entries.is_empty() {
            self.entries.remove(key);
        }
        self.peek(now, key, client)
    }

    /// The same as [`lookup`](Self::lookup), without any effect on the cache.
    #[must_use]
    pub fn peek(&self, now: LabTime, key: &Key, client: Option<IpNet>) -> Option<Hit<V>> {
        let usable = self.entries.get(key)?.iter().filter(|entry| entry.is_fresh(now) && entry.serves(client));
        let entry = usable.max_by_key(|entry| entry.specificity())?;
        Some(Hit { value: entry.value.clone(), remaining: entry.remaining(now) })
    }

    /// How many entries it holds, those that have expired and were not yet forgotten included.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn keep(&mut self, now: LabTime, key: Key, scope: Option<IpNet>, value: V, ttl: Duration) {
        let scope = scope.map(|net| net.trunc()).filter(|net| net.prefix_len() > 0);
        if let Some(entries) = self.entries.get_mut(&key) {
            let before = entries.len();
            entries.retain(|entry| entry.scope != scope);
            self.len -= before - entries.len();
        }
        if self.len >= self.capacity {
            self.make_room();
        }
        self.entries.entry(key).or_default().push(Entry { scope, value, stored: now, ttl });
        self.len += 1;
    }

    /// Forgets the one entry that expires first.
    fn make_room(&mut self) {
        let Some(first) = self.entries.values().flatten().map(Entry::expires).min() else { return };
        let mut gone = false;
        self.entries.retain(|_, entries| {
            entries.retain(|entry| {
                let goes = !gone && entry.expires() == first;
                gone |= goes;
                !goes
            });
            !entries.is_empty()
        });
        self.len -= usize::from(gone);
    }
}

impl<V: Clone> Default for ResolverCache<V> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(name: &str) -> Key {
        Key { name: Name::from_ascii(name).unwrap(), rtype: RecordType::A }
    }

    fn net(text: &str) -> IpNet {
        text.parse().unwrap()
    }

    fn api() -> Key {
        key("api.example.com.")
    }

    fn at_ms(millis: u64) -> LabTime {
        LabTime::at(Duration::from_millis(millis))
    }

    fn hit(value: &'static str, remaining: u32) -> Hit<&'static str> {
        Hit { value, remaining }
    }

    #[test]
    fn an_answer_loses_whole_seconds_and_ends_exactly_at_its_ttl() {
        let mut cache = ResolverCache::new();
        cache.store(at_ms(500), api(), None, "old", 60);
        for (now, expected) in
            [(500, Some(hit("old", 60))), (1_499, Some(hit("old", 60))), (1_500, Some(hit("old", 59)))]
        {
            assert_eq!(cache.lookup(at_ms(now), &api(), None), expected, "at {now} ms");
        }
        assert_eq!(cache.lookup(at_ms(60_499), &api(), None), Some(hit("old", 1)));
        assert_eq!(cache.lookup(at_ms(60_500), &api(), None), None);
        assert!(cache.is_empty(), "what has expired is forgotten");
    }

    #[test]
    fn the_name_is_found_whatever_its_case_and_only_for_its_type() {
        let mut cache = ResolverCache::new();
        cache.store(LabTime::START, api(), None, "a", 60);
        assert_eq!(cache.lookup(LabTime::START, &key("API.Example.COM."), None), Some(hit("a", 60)));
        let aaaa = Key { rtype: RecordType::AAAA, ..api() };
        assert_eq!(cache.lookup(LabTime::START, &aaaa, None), None);
    }

    #[test]
    fn a_ttl_of_zero_is_not_kept() {
        let mut cache = ResolverCache::new();
        cache.store(LabTime::START, api(), None, "a", 0);
        assert_eq!(cache.lookup(LabTime::START, &api(), None), None);
    }

    #[test]
    fn a_floor_raises_low_ttls_and_leaves_higher_ones() {
        let mut cache = ResolverCache::with_floor(Some(Duration::from_millis(30_900)));
        cache.store(LabTime::START, api(), None, "a", 5);
        assert_eq!(cache.lookup(LabTime::START, &api(), None), Some(hit("a", 30)));
        assert_eq!(cache.lookup(LabTime::secs(30), &api(), None), None);
        cache.store(LabTime::START, api(), None, "b", 60);
        assert_eq!(cache.lookup(LabTime::START, &api(), None), Some(hit("b", 60)));
    }

    #[test]
    fn r53_178_a_negative_answer_is_kept_for_the_lesser_of_soa_ttl_and_minimum_whatever_the_floor() {
        let mut cache = ResolverCache::with_floor(Some(Duration::from_secs(3600)));
        for (soa_ttl, soa_minimum) in [(900, 86_400), (86_400, 900)] {
            cache.store_negative(LabTime::START, api(), None, "no data", soa_ttl, soa_minimum);
            assert_eq!(
                cache.lookup(LabTime::START, &api(), None),
                Some(hit("no data", 900)),
                "{soa_ttl} {soa_minimum}"
            );
        }
    }

    #[test]
    fn a_new_answer_takes_the_place_of_the_old_one() {
        let mut cache = ResolverCache::new();
        cache.store(LabTime::START, api(), None, "old", 600);
        cache.store(LabTime::secs(1), api(), None, "new", 60);
        assert_eq!(cache.lookup(LabTime::secs(1), &api(), None), Some(hit("new", 60)));
        assert_eq!(cache.lookup(LabTime::secs(61), &api(), None), None);
    }

    #[test]
    fn a_scope_is_a_network_whatever_its_host_bits() {
        let mut cache = ResolverCache::new();
        cache.store(LabTime::START, api(), Some(net("192.0.2.77/24")), "old", 60);
        cache.store(LabTime::START, api(), Some(net("192.0.2.1/24")), "new", 60);
        assert_eq!(cache.lookup(LabTime::START, &api(), Some(net("192.0.2.0/24"))), Some(hit("new", 60)));
        assert_eq!(cache.len(), 1);
    }

    #[test]
    fn a_scoped_answer_serves_the_clients_inside_its_scope_only() {
        let mut cache = ResolverCache::new();
        cache.store(LabTime::START, api(), Some(net("192.0.2.77/24")), "near", 60);
        let mut ask = |client| cache.lookup(LabTime::START, &api(), client);
        assert_eq!(ask(Some(net("192.0.2.0/24"))), Some(hit("near", 60)));
        assert_eq!(ask(Some(net("192.0.2.200/32"))), Some(hit("near", 60)));
        assert_eq!(ask(Some(net("192.0.3.0/24"))), None);
        assert_eq!(ask(Some(net("192.0.0.0/16"))), None, "wider than the scope");
        assert_eq!(ask(Some(net("2001:db8::/56"))), None);
        assert_eq!(ask(None), None);
    }

    #[test]
    fn of_several_scopes_the_longest_that_holds_the_client_is_served() {
        let mut cache = ResolverCache::new();
        for (scope, value) in [("192.0.0.0/16", "wide"), ("192.0.2.0/24", "narrow"), ("0.0.0.0/0", "all")] {
            cache.store(LabTime::START, api(), Some(net(scope)), value, 60);
        }
        let mut ask = |client| cache.lookup(LabTime::START, &api(), client).map(|hit| hit.value);
        assert_eq!(ask(Some(net("192.0.2.0/24"))), Some("narrow"));
        assert_eq!(ask(Some(net("192.0.3.0/24"))), Some("wide"));
        assert_eq!(ask(Some(net("198.51.100.0/24"))), Some("all"));
        assert_eq!(ask(Some(net("2001:db8::/56"))), Some("all"), "a scope of 0 is for everybody");
        assert_eq!(ask(None), Some("all"));
    }

    #[test]
    fn an_expired_narrow_answer_gives_way_to_a_wide_one() {
        let mut cache = ResolverCache::new();
        cache.store(LabTime::START, api(), Some(net("192.0.2.0/24")), "narrow", 10);
        cache.store(LabTime::START, api(), None, "all", 60);
        assert_eq!(cache.lookup(LabTime::secs(10), &api(), Some(net("192.0.2.0/24"))), Some(hit("all", 50)));
    }

    #[test]
    fn a_full_cache_forgets_the_expired_first_and_then_what_expires_next() {
        let mut cache = ResolverCache::new().holding_at_most(2);
        let has = |cache: &ResolverCache<&str>, name: &str, now| cache.peek(now, &key(name), None).is_some();
        cache.store(LabTime::START, key("long."), None, "", 100);
        cache.store(LabTime::START, key("short."), None, "", 10);
        cache.store(LabTime::secs(1), key("longer."), None, "", 200);
        let found = ["long.", "short.", "longer."].map(|name| has(&cache, name, LabTime::secs(1)));
        assert_eq!((found, cache.len()), ([true, false, true], 2));
        // `long.` has expired by now, so `brief.` may stay although it ends before `longer.` does.
        cache.store(LabTime::secs(150), key("brief."), None, "", 5);
        assert!(has(&cache, "brief.", LabTime::secs(150)) && has(&cache, "longer.", LabTime::secs(150)));
    }

    #[test]
    fn entries_that_expire_together_are_not_all_forgotten_for_one_place() {
        let mut cache = ResolverCache::new().holding_at_most(2);
        for name in ["a.", "b.", "c."] {
            cache.store(LabTime::START, key(name), None, "", 60);
        }
        assert_eq!(cache.len(), 2);
    }

    #[test]
    fn a_peek_has_no_effect() {
        let mut cache = ResolverCache::new();
        cache.store(LabTime::START, api(), None, "a", 60);
        assert_eq!(cache.peek(LabTime::secs(60), &api(), None), None);
        assert_eq!(cache.len(), 1, "still there");
        assert_eq!(cache.peek(LabTime::secs(59), &api(), None), Some(hit("a", 1)));
    }

    /// What happens to a cache.
    #[derive(Clone, Debug)]
    enum Act {
        Store { name: usize, scope: usize, ttl: u32 },
        Lookup { name: usize, client: usize },
        Wait(u64),
    }

    fn act() -> impl Strategy<Value = Act> {
        prop_oneof![
            (0_usize..2, 0_usize..4, 0_u32..90).prop_map(|(name, scope, ttl)| Act::Store { name, scope, ttl }),
            (0_usize..2, 0_usize..4).prop_map(|(name, client)| Act::Lookup { name, client }),
            (0_u64..40_000).prop_map(Act::Wait),
        ]
    }

    proptest! {
        #[test]
        fn nothing_is_served_past_its_ttl_and_what_is_fresh_is_served(
            floor in proptest::option::of(1_u64..60),
            acts in proptest::collection::vec(act(), 1..80),
        ) {
            let names = ["a.example.", "b.example."];
            let scopes = [None, Some(net("192.0.0.0/16")), Some(net("192.0.2.0/24")), Some(net("2001:db8::/32"))];
            let clients = [None, Some(net("192.0.2.0/24")), Some(net("192.0.9.0/24")), Some(net("2001:db8:1::/56"))];
            let mut cache = ResolverCache::with_floor(floor.map(Duration::from_secs));
            // The direct reading: everything ever stored, with what it may be served for.
            let mut stored: Vec<(usize, usize, LabTime, u64)> = Vec::new();
            let mut now = LabTime::START;
            for act in acts {
                match act {
                    Act::Wait(millis) => now = now + Duration::from_millis(millis),
                    Act::Store { name, scope, ttl } => {
                        stored.retain(|&(other_name, other_scope, ..)| (other_name, other_scope) != (name, scope));
                        stored.push((name, scope, now, u64::from(ttl).max(floor.unwrap_or(0))));
                        let mark = (name, scope, now);
                        cache.store(now, key(names[name]), scopes[scope], mark, ttl);
                    }
                    Act::Lookup { name, client } => {
                        let best = stored
                            .iter()
                            .filter(|&&(other, scope, at, ttl)| {
                                let inside = scopes[scope].is_none_or(|scope| {
                                    clients[client].is_some_and(|client| scope.contains(&client))
                                });
                                other == name && inside && now.since(at) < Duration::from_secs(ttl)
                            })
                            .max_by_key(|&&(_, scope, ..)| scopes[scope].map_or(0, |net| net.prefix_len()));
                        let expected = best.map(|&(name, scope, at, ttl)| {
                            let left = ttl - now.since(at).as_secs();
                            ((name, scope, at), left)
                        });
                        let peeked = cache.peek(now, &key(names[name]), clients[client]);
                        let found = cache.lookup(now, &key(names[name]), clients[client]);
                        prop_assert_eq!(&peeked, &found);
                        prop_assert_eq!(found.map(|hit| (hit.value, u64::from(hit.remaining))), expected);
                    }
                }
            }
        }

        #[test]
        fn what_remains_never_grows_without_a_store_and_never_outlives_the_ttl_by_a_second(
            stored in 0_u64..5_000,
            ttl in 1_u32..120,
            mut moments in proptest::collection::vec(0_u64..130_000, 1..40),
        ) {
            let mut cache = ResolverCache::new();
            cache.store(at_ms(stored), api(), None, "a", ttl);
            moments.sort_unstable();
            let mut before = ttl;
            for moment in moments {
                let now = at_ms(stored + moment);
                let Some(hit) = cache.lookup(now, &api(), None) else {
                    prop_assert!(now >= at_ms(stored) + Duration::from_secs(u64::from(ttl)));
                    break;
                };
                prop_assert!(hit.remaining <= before && hit.remaining >= 1);
                let end_below = now + Duration::from_secs(u64::from(hit.remaining));
                prop_assert!(end_below < at_ms(stored) + Duration::from_secs(u64::from(ttl) + 1));
                before = hit.remaining;
            }
        }

        #[test]
        fn a_cache_never_holds_more_than_its_capacity_and_keeps_what_was_stored_last(
            capacity in 1_usize..6,
            stores in proptest::collection::vec((0_usize..9, 1_u32..90, 0_u64..20), 1..40),
        ) {
            let mut cache = ResolverCache::new().holding_at_most(capacity);
            let mut now = LabTime::START;
            for (name, ttl, wait) in stores {
                now = now + Duration::from_secs(wait);
                let key = key(&format!("n{name}.example."));
                cache.store(now, key.clone(), None, (), ttl);
                prop_assert!(cache.peek(now, &key, None).is_some());
                prop_assert!(cache.len() <= capacity);
                prop_assert_eq!(cache.len(), cache.entries.values().map(Vec::len).sum::<usize>());
            }
        }
    }
}
