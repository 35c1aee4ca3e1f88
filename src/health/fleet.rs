//! The fleet of checkers that together decide one endpoint health check (R53-103 to R53-106, R53-121 to R53-127).
//!
//! It says who probes when, and what the results amount to. It never probes.

use std::fmt;

use rand::Rng;

use crate::clock::LabTime;

use super::checker::Checker;
use super::endpoint_check::EndpointCheck;
use super::fleet_rules::FleetRules;
use super::status_settings::StatusSettings;

/// The regions that checkers stand in when a health check names none (R53-125).
pub const CHECKER_REGIONS: [&str; 8] = [
    "us-east-1",
    "us-west-1",
    "us-west-2",
    "eu-west-1",
    "ap-southeast-1",
    "ap-southeast-2",
    "ap-northeast-1",
    "sa-east-1",
];

/// Checkers in each region. AWS publishes no number; with eight regions, one request every 2 s at an interval of
/// 30 s makes about 15 checkers (R53-126).
pub const CHECKERS_PER_REGION: usize = 2;

/// One checker of a fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CheckerId(usize);

impl CheckerId {
    /// Every checker of a fleet, in order.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..CHECKER_REGIONS.len() * CHECKERS_PER_REGION).map(Self)
    }

    /// Its place in the fleet, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0
    }

    /// The region that it stands in.
    #[must_use]
    pub const fn region(self) -> &'static str {
        CHECKER_REGIONS[self.0 / CHECKERS_PER_REGION]
    }
}

impl fmt::Display for CheckerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-checker-{}", self.region(), self.0 % CHECKERS_PER_REGION + 1)
    }
}

/// A health check's status turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FleetChange {
    /// The status that decisions use, inversion and disabling applied.
    pub healthy: bool,
    /// How many reporting checkers have a healthy view.
    pub healthy_checkers: usize,
    /// How many checkers have reported.
    pub reporting: usize,
    /// How many checkers there are.
    pub checkers: usize,
    /// By which rules.
    pub rules: FleetRules,
    /// What was made of the endpoint's status.
    pub settings: StatusSettings,
}

impl fmt::Display for FleetChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { healthy_checkers, reporting, checkers, rules, settings, .. } = self;
        if settings.disabled {
            f.write_str("the check is disabled")?;
        } else if reporting < checkers {
            write!(f, "{reporting} of {checkers} checkers have reported, which is not enough data")?;
        } else {
            let share = rules.share(*healthy_checkers, *reporting);
            write!(f, "{healthy_checkers} of {reporting} checkers say healthy, {share}")?;
        }
        if settings.inverted { f.write_str("; the check is inverted") } else { Ok(()) }
    }
}

/// The checkers of one endpoint health check, and its status.
///
/// The checkers start at phases of their own, drawn over one interval, and never coordinate. A checker counts from
/// its first result on. Until every checker has one there is not enough data, and the endpoint is healthy (R53-103);
/// where AWS draws that line is not published. So the first result of a fleet whose threshold is 1 decides nothing.
#[derive(Clone, Debug)]
pub struct Fleet {
    checkers: Vec<Checker>,
    rules: FleetRules,
    settings: StatusSettings,
    healthy: bool,
}

impl Fleet {
    /// A new health check at `start`.
    #[must_use]
    pub fn new(check: &EndpointCheck, settings: StatusSettings, start: LabTime, rng: &mut impl Rng) -> Self {
        Self::with_rules(FleetRules::default(), check, settings, start, rng)
    }

    /// The same by other rules than Route 53's.
    #[must_use]
    pub fn with_rules(
        rules: FleetRules,
        check: &EndpointCheck,
        settings: StatusSettings,
        start: LabTime,
        rng: &mut impl Rng,
    ) -> Self {
        Self::of(CheckerId::all().count(), rules, check, settings, start, rng)
    }

    fn of(
        checkers: usize,
        rules: FleetRules,
        check: &EndpointCheck,
        settings: StatusSettings,
        start: LabTime,
        rng: &mut impl Rng,
    ) -> Self {
        let drawn = |_| {
            let checker = Checker::drawn(start, check.interval, check.failure_threshold, rng);
            if rules.agreement_resets { checker } else { checker.counting_on() }
        };
        let checkers = (0..checkers).map(drawn).collect();
        // R53-103, R53-105: healthy; R53-104, R53-106: the opposite.
        Self { checkers, rules, settings, healthy: settings.apply(rules.new_is_healthy) }
    }

    /// The checkers whose probe is due. Each now counts as probing, and must be finished.
    pub fn due(&mut self, now: LabTime) -> Vec<CheckerId> {
        if self.settings.disabled {
            return Vec::new();
        }
        let started = self
            .checkers
            .iter_mut()
            .enumerate()
            .filter_map(|(place, checker)| checker.start_if_due(now).then_some(CheckerId(place)));
        started.collect()
    }

    /// A checker's probe ended; the change if the status turned. Nothing happens when it was not probing.
    pub fn finish(&mut self, now: LabTime, checker: CheckerId, passed: bool) -> Option<FleetChange> {
        self.checkers[checker.0].finish(now, passed);
        self.settle()
    }

    /// Somebody inverts or disables the check, or takes that back; the change if the status turned, which it does at
    /// once (R53-104 to R53-106). These are all the settings of a check that can change while its checkers probe: what
    /// they ask, and how often, is for good (R53-109).
    ///
    /// The views of the checkers stay what they are while the check is disabled, and count again when it is enabled:
    /// AWS does not publish what becomes of them. Each goes on at its own phase.
    pub fn update(&mut self, now: LabTime, settings: StatusSettings) -> Option<FleetChange> {
        if self.settings.disabled && !settings.disabled {
            for checker in &mut self.checkers {
                checker.resume(now);
            }
        }
        self.settings = settings;
        self.settle()
    }

    /// Whether the check is inverted or disabled now.
    #[must_use]
    pub const fn settings(&self) -> StatusSettings {
        self.settings
    }

    fn settle(&mut self) -> Option<FleetChange> {
        let (healthy_checkers, reporting, checkers) = (self.healthy_checkers(), self.reporting(), self.checkers.len());
        let endpoint = if reporting < checkers {
            self.rules.new_is_healthy
        } else {
            self.rules.endpoint_is_healthy(healthy_checkers, reporting)
        };
        let healthy = self.settings.apply(endpoint);
        if healthy == self.healthy {
            return None;
        }
        self.healthy = healthy;
        let Self { rules, settings, .. } = *self;
        Some(FleetChange { healthy, healthy_checkers, reporting, checkers, rules, settings })
    }

    /// When the next probe is due; `None` when all are in flight, or the check is disabled.
    #[must_use]
    pub fn next_wakeup(&self) -> Option<LabTime> {
        if self.settings.disabled { None } else { self.checkers.iter().filter_map(Checker::next_wakeup).min() }
    }

    /// The status that decisions use, inversion and disabling applied.
    #[must_use]
    pub const fn is_healthy(&self) -> bool {
        self.healthy
    }

    /// How many checkers have reported.
    #[must_use]
    pub fn reporting(&self) -> usize {
        self.checkers.iter().filter(|checker| checker.has_reported()).count()
    }

    /// How many reporting checkers have a healthy view.
    #[must_use]
    pub fn healthy_checkers(&self) -> usize {
        self.checkers.iter().filter(|checker| checker.has_reported() && checker.is_healthy()).count()
    }
}

#[cfg(test)]
mod tests;
