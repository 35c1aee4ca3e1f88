//! Pools and rules: the tree that octodns-route53 makes of them.
//!
//! The record's own name has one geolocation alias for each place of each rule. It leads to a pool: a failover pair
//! whose primary leads to the pool's values, weighted and checked, and whose secondary leads to the fallback's pool, in
//! the end to `default`, which has the record's own values, unchecked (OCT-5, OCT-6).

use std::collections::{BTreeMap, BTreeSet};

use hickory_proto::rr::Name;

use crate::zone::document::Node;
use crate::zone::{
    Alias, FailoverRole, GeoLocation, HealthCheckId, Policy, RecordData, RecordSet, values as presented,
};

use super::health::{self, Status};
use super::{Made, below, geo, plain, subnet};

/// What stands where the chain of fallbacks ends.
const DEFAULT: &str = "default";

struct Pool<'a> {
    node: Node<'a>,
    fallback: Option<String>,
    values: Vec<Value<'a>>,
}

struct Value<'a> {
    node: Node<'a>,
    text: String,
    weight: u8,
    status: Status,
}

/// Makes the record sets of a dynamic record; `base` has its own values.
pub(super) fn tree(dynamic: &Node<'_>, octodns: Option<&Node<'_>>, base: &RecordSet, ttl: u32, made: &mut Made) {
    dynamic.only(&["pools", "rules"]);
    let pools: BTreeMap<&str, Pool<'_>> = dynamic
        .need("pools")
        .map_or_else(Vec::new, |pools| pools.entries())
        .into_iter()
        .filter_map(|(name, node)| Some((name, pool(&node, base)?)))
        .collect();
    let rules = dynamic.need("rules").map_or_else(Vec::new, |rules| rules.items());
    check_fallbacks(&pools);
    let used = check_rules(&rules, &pools);
    subnet::check(&rules);
    check_unused(&pools, &used);
    let Some(settings) = health::settings(octodns) else { return };
    let mut tree = Tree { base, ttl, sets: Vec::new() };
    tree.last_resort(dynamic);
    for (name, pool) in &pools {
        tree.pool(name, pool);
        for (place, value) in pool.values.iter().enumerate() {
            let check = health::check(&settings, base, &value.text, value.status, &value.node);
            tree.value(name, place, value, check.as_ref().map(|(id, _)| id.clone()));
            made.checks.extend(check);
        }
    }
    let by_subnet = rules.iter().any(subnet::has);
    for (place, rule) in rules.iter().enumerate() {
        if by_subnet {
            tree.subnet_rule(place, rule, made);
        } else {
            tree.rule(place, rule);
        }
    }
    let sets = tree.sets;
    made.sets.extend(sets);
}

fn pool<'a>(node: &Node<'a>, base: &RecordSet) -> Option<Pool<'a>> {
    node.object()?;
    node.only(&["fallback", "values"]);
    let fallback = match node.get("fallback") {
        Some(fallback) => Some(fallback.text()?.to_owned()).filter(|name| name != DEFAULT),
        None => None,
    };
    let written = node.need("values")?;
    let mut values: Vec<Value<'a>> = written.items().iter().filter_map(|item| value(item, base)).collect();
    if let ([one], true) = (values.as_slice(), written.items().len() == 1)
        && one.weight != 1
    {
        one.node.invalid("a pool with a single value has a weight other than 1; expected none (OCT-2)".to_owned());
    }
    values.sort_by(|one, other| one.text.cmp(&other.text));
    Some(Pool { node: node.clone(), fallback, values })
}

fn value<'a>(node: &Node<'a>, base: &RecordSet) -> Option<Value<'a>> {
    node.object()?;
    node.only(&["value", "weight", "status"]);
    let written = node.need("value")?;
    let text = written.text()?;
    if let Err(problem) = presented::check(base.rtype, text) {
        written.findings().add(crate::zone::ZoneError::Record { at: written.at(), problem });
    }
    let weight = match node.get("weight") {
        None => 1,
        Some(weight) => {
            let found = weight.value().as_u64().and_then(|number| u8::try_from(number).ok());
            let Some(found) = found.filter(|found| (1..=100).contains(found)) else {
                weight.invalid(format!("weight {} is out of range; expected 1 to 100 (OCT-1)", weight.value()));
                return None;
            };
            found
        }
    };
    let status = match node.get("status") {
        None => Status::Obey,
        Some(status) => match status.text()? {
            "up" => Status::Up,
            "down" => Status::Down,
            "obey" => Status::Obey,
            other => {
                status.invalid(format!("status `{other}` is not known; expected up, down or obey (OCT-1)"));
                return None;
            }
        },
    };
    let text = plain::shortest(base.rtype, presented::absolute(base.rtype, text));
    Some(Value { node: node.clone(), text, weight, status })
}

/// OCT-3: a fallback names a pool, and no pool is in the end its own.
fn check_fallbacks(pools: &BTreeMap<&str, Pool<'_>>) {
    for (name, pool) in pools {
        let Some(fallback) = &pool.fallback else { continue };
        if !pools.contains_key(fallback.as_str()) {
            pool.node.invalid(format!("pool `{name}` falls back to `{fallback}`, which is no pool (OCT-3)"));
        }
        let mut next = Some(fallback);
        // No chain is longer than there are pools.
        for _ in 0..pools.len() {
            match next {
                Some(at) if at == name => {
                    pool.node.invalid(format!("pool `{name}` is in the end its own fallback (OCT-3)"));
                    break;
                }
                Some(at) => next = pools.get(at.as_str()).and_then(|pool| pool.fallback.as_ref()),
                None => break,
            }
        }
    }
}

/// OCT-4; the pools that rules name.
fn check_rules<'a>(rules: &[Node<'a>], pools: &BTreeMap<&str, Pool<'_>>) -> BTreeSet<&'a str> {
    let mut used = BTreeSet::new();
    let mut before: Vec<&str> = Vec::new();
    for (place, rule) in rules.iter().enumerate() {
        rule.only(&["geos", "pool", "subnets"]);
        let is_last = place + 1 == rules.len();
        let places = rule.get("geos").map_or_else(Vec::new, |geos| geos.items());
        match (places.is_empty() && !subnet::has(rule), is_last) {
            (true, false) => {
                rule.invalid("a rule for every place stands before others; expected it last (OCT-4)".into());
            }
            (false, true) => {
                rule.invalid("the last rule is for some places alone; expected one for all (OCT-4)".into());
            }
            _ => {}
        }
        // octoDNS sorts the places of a rule: a broad one comes first, however they are written.
        let mut sorted: Vec<(&str, &Node<'_>)> = places.iter().filter_map(|geo| Some((geo.text()?, geo))).collect();
        sorted.sort_by_key(|(text, _)| *text);
        for (text, geo) in sorted {
            if let Some(broad) = before.iter().find(|broad| geo::holds(broad, text)) {
                geo.invalid(format!("`{text}` stands behind `{broad}`, which holds for it already (OCT-4)"));
            }
            before.push(text);
        }
        let Some(pool) = rule.need("pool") else { continue };
        let Some(name) = pool.text() else { continue };
        if !pools.contains_key(name) {
            pool.invalid(format!(
                "`{name}` is no pool; expected one of {}",
                pools.keys().copied().collect::<Vec<_>>().join(", ")
            ));
        }
        if !used.insert(name) && !is_last {
            pool.invalid(format!("pool `{name}` is used by a rule before; expected each in one rule (OCT-4)"));
        }
    }
    used
}

/// OCT-3: every pool is used, if only as a fallback.
fn check_unused(pools: &BTreeMap<&str, Pool<'_>>, used: &BTreeSet<&str>) {
    let fallbacks: BTreeSet<&str> = pools.values().filter_map(|pool| pool.fallback.as_deref()).collect();
    for (name, pool) in pools.iter().filter(|(name, _)| !used.contains(*name) && !fallbacks.contains(*name)) {
        pool.node.invalid(format!("pool `{name}` is not used; expected a rule or a fallback that names it (OCT-3)"));
    }
}

struct Tree<'t> {
    base: &'t RecordSet,
    ttl: u32,
    sets: Vec<RecordSet>,
}

impl Tree<'_> {
    fn name(&self, node: &Node<'_>, pool: &str, part: &str) -> Option<Name> {
        below(node, &format!("_octodns-{pool}-{part}"), &self.base.name)
    }

    fn add(&mut self, node: &Node<'_>, name: Name, identifier: Option<String>, policy: Policy, data: RecordData) {
        let set = RecordSet { name, set_identifier: identifier, policy, data, at: node.at(), ..self.base.clone() };
        self.sets.push(set);
    }

    fn alias(target: Name) -> RecordData {
        RecordData::Alias(Alias { target, hosted_zone_id: plain::own_zone_id(), evaluate_target_health: true })
    }

    fn last_resort(&mut self, node: &Node<'_>) {
        if let Some(name) = self.name(node, DEFAULT, "pool") {
            self.add(node, name, None, Policy::Simple, self.base.data.clone());
        }
    }

    fn pool(&mut self, pool: &str, written: &Pool<'_>) {
        let node = &written.node;
        let next = written.fallback.as_deref().unwrap_or(DEFAULT);
        let names = (self.name(node, pool, "pool"), self.name(node, pool, "value"), self.name(node, next, "pool"));
        let (Some(name), Some(values), Some(next_pool)) = names else { return };
        let primary = Policy::Failover(FailoverRole::Primary);
        self.add(node, name.clone(), Some(format!("{pool}-Primary")), primary, Self::alias(values));
        let secondary = Policy::Failover(FailoverRole::Secondary);
        self.add(node, name, Some(format!("{pool}-Secondary-{next}")), secondary, Self::alias(next_pool));
    }

    fn value(&mut self, pool: &str, place: usize, value: &Value<'_>, check: Option<HealthCheckId>) {
        let Some(name) = self.name(&value.node, pool, "value") else { return };
        let data = RecordData::Values { ttl: self.ttl, values: vec![value.text.clone()] };
        self.add(&value.node, name, Some(format!("{pool}-{place:03}")), Policy::Weighted(value.weight), data);
        if let Some(set) = self.sets.last_mut() {
            set.health_check = check;
        }
    }

    /// Where any rule is by subnet, the last one is the `*` of the same collection.
    fn subnet_rule(&mut self, place: usize, rule: &Node<'_>, made: &mut Made) {
        let Some(pool) = rule.get("pool").and_then(|pool| pool.value().as_str()) else { return };
        let Some(target) = self.name(rule, pool, "pool") else { return };
        let location = match subnet::location(rule) {
            Some((location, blocks)) => {
                made.blocks.insert(location.clone(), blocks);
                location
            }
            None => "*".to_owned(),
        };
        let policy = Policy::IpBased { collection: subnet::COLLECTION.to_owned(), location };
        self.add(rule, self.base.name.clone(), Some(format!("{place}-{pool}-subnet")), policy, Self::alias(target));
    }

    fn rule(&mut self, place: usize, rule: &Node<'_>) {
        let Some(pool) = rule.get("pool").and_then(|pool| pool.value().as_str()) else { return };
        let Some(target) = self.name(rule, pool, "pool") else { return };
        let owner = self.base.name.clone();
        let places = rule.get("geos").map_or_else(Vec::new, |geos| geos.items());
        for geo in &places {
            let (Some(text), Some(location)) = (geo.value().as_str(), geo::location(geo)) else { continue };
            let identifier = format!("{place}-{pool}-{text}");
            self.add(geo, owner.clone(), Some(identifier), Policy::Geolocation(location), Self::alias(target.clone()));
        }
        if places.is_empty() {
            let everywhere = Policy::Geolocation(GeoLocation::Default);
            self.add(rule, owner, Some(format!("{place}-{pool}-None")), everywhere, Self::alias(target));
        }
    }
}
