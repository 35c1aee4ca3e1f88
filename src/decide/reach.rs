//! Which records of every group below the question's own are usable: `reach` of the rulebook, section 5.1.
//!
//! Groups are judged once each, targets before the aliases that point at them, without recursion: a diamond of
//! aliases costs no more than its groups, and a long chain no stack.

use std::collections::BTreeMap;

use hickory_proto::rr::{Name, RecordType};

use crate::zone::{Group, Policy, RecordData, RecordSet, Zone};

use super::resource;
use super::tiers::{Tiers, tiers};
use super::{Evidence, Reason, Switches, Viewpoint};

/// One group, judged for one query.
pub(super) struct Node<'z> {
    pub(super) group: &'z Group,
    pub(super) tiers: Tiers<'z>,
    /// The first tier that has a usable record, and its usable records.
    pub(super) usable: Option<(usize, Vec<&'z RecordSet>)>,
    /// What an alias with ETH sees of this group.
    healthy: bool,
}

/// What an alias points at.
pub(super) enum Target<'z> {
    /// A group of the zone, by its place in [`Reach::nodes`].
    Group(usize),
    /// An AWS resource.
    Resource(&'z Name),
    /// A name of the zone that has no such group. Validation refuses that.
    Missing,
}

/// Every group that can be met from the question's own, which is number 0.
pub(super) struct Reach<'z, 'e> {
    pub(super) zone: &'z Zone,
    evidence: &'e dyn Evidence,
    switches: Switches,
    index: BTreeMap<(&'z Name, RecordType), usize>,
    pub(super) nodes: Vec<Node<'z>>,
    /// Each alias's target stands before its group, unless they form a loop.
    pub(super) targets_first: Vec<usize>,
    /// The place of each node in `targets_first`.
    positions: Vec<usize>,
    judged: Vec<bool>,
}

impl<'z, 'e> Reach<'z, 'e> {
    pub(super) fn of(
        zone: &'z Zone,
        root: &'z Group,
        viewpoint: &Viewpoint,
        evidence: &'e dyn Evidence,
        switches: Switches,
    ) -> Self {
        let mut reach = Self {
            zone,
            evidence,
            switches,
            index: BTreeMap::new(),
            nodes: Vec::new(),
            targets_first: Vec::new(),
            positions: Vec::new(),
            judged: Vec::new(),
        };
        reach.collect(root, viewpoint);
        reach.positions = vec![0; reach.nodes.len()];
        for place in 0..reach.targets_first.len() {
            let node = reach.targets_first[place];
            reach.positions[node] = place;
            reach.judge(node);
        }
        reach
    }

    /// Where a node stands in [`Reach::targets_first`].
    pub(super) fn position(&self, node: usize) -> usize {
        self.positions[node]
    }

    fn collect(&mut self, root: &'z Group, viewpoint: &Viewpoint) {
        let mut stack = vec![(self.add(root, viewpoint), 0)];
        while let Some((node, next)) = stack.pop() {
            let group = self.nodes[node].group;
            let Some(record) = group.records.get(next) else {
                self.targets_first.push(node);
                continue;
            };
            stack.push((node, next + 1));
            if let RecordData::Alias(alias) = &record.data
                && let Some(target) = self.zone.group(&alias.target, group.rtype)
                && !self.index.contains_key(&(&target.name, target.rtype))
            {
                stack.push((self.add(target, viewpoint), 0));
            }
        }
    }

    fn add(&mut self, group: &'z Group, viewpoint: &Viewpoint) -> usize {
        let node = self.nodes.len();
        self.index.insert((&group.name, group.rtype), node);
        let tiers = tiers(self.zone, group, viewpoint, self.switches);
        self.nodes.push(Node { group, tiers, usable: None, healthy: false });
        self.judged.push(false);
        node
    }

    fn judge(&mut self, node: usize) {
        let usable = self.nodes[node].tiers.lists.iter().enumerate().find_map(|(tier, list)| {
            let fit: Vec<_> = list.iter().copied().filter(|record| self.is_usable(record)).collect();
            (!fit.is_empty()).then_some((tier, fit))
        });
        let healthy = self.is_healthy(node, usable.as_ref().map(|(_, records)| records.as_slice()));
        self.nodes[node].usable = usable;
        self.nodes[node].healthy = healthy;
        self.judged[node] = true;
    }

    /// What a parent sees: R53-7, with the switches of R53-8 and R53-93.
    fn is_healthy(&self, node: usize, usable: Option<&[&RecordSet]>) -> bool {
        let records = &self.nodes[node].group.records;
        let weighs = |record: &RecordSet| !matches!(record.policy, Policy::Weighted(0));
        let zero_counts = self.switches.zero_weight_keeps_group_healthy || !records.iter().any(weighs);
        let counts = |record: &RecordSet| zero_counts || weighs(record);
        if self.switches.query_relative_health {
            usable.is_some_and(|usable| usable.iter().any(|record| counts(record)))
        } else {
            records.iter().any(|record| self.is_usable(record) && counts(record))
        }
    }

    pub(super) fn is_usable(&self, record: &RecordSet) -> bool {
        matches!(self.fate(record), Reason::Healthy | Reason::Unchecked)
    }

    /// Whether health lets a record be used, and why.
    pub(super) fn fate(&self, record: &RecordSet) -> Reason {
        let checked = match &record.health_check {
            Some(check) if !self.evidence.health_check_is_healthy(check) => return Reason::HealthCheckUnhealthy,
            Some(_) => Reason::Healthy,
            None => Reason::Unchecked,
        };
        match self.inherits_from(record) {
            None => checked,
            Some(target) => {
                let healthy = match target {
                    Target::Group(node) => self.judged[node] && self.nodes[node].healthy,
                    Target::Resource(name) => self.resource_is_healthy(name),
                    Target::Missing => false,
                };
                if healthy { Reason::Healthy } else { Reason::TargetUnhealthy }
            }
        }
    }

    fn resource_is_healthy(&self, name: &Name) -> bool {
        let always = self.switches.sites_and_gateways_always_healthy && !resource::has_health(name);
        always || self.evidence.resource_is_healthy(name)
    }

    /// The target whose health a record inherits, if it does (R53-4, R53-5, R53-17).
    pub(super) fn inherits_from<'r>(&self, record: &'r RecordSet) -> Option<Target<'r>> {
        let RecordData::Alias(alias) = &record.data else { return None };
        let hides = record.policy == Policy::Simple && !self.switches.simple_alias_passes_health_up;
        if !alias.evaluate_target_health || hides { None } else { self.target(record) }
    }

    /// What an alias points at; `None` for a record with values.
    pub(super) fn target<'r>(&self, record: &'r RecordSet) -> Option<Target<'r>> {
        let RecordData::Alias(alias) = &record.data else { return None };
        Some(if self.zone.is_resource(&alias.target) {
            Target::Resource(&alias.target)
        } else {
            self.index.get(&(&alias.target, record.rtype)).map_or(Target::Missing, |&node| Target::Group(node))
        })
    }
}
