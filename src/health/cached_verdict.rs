//! The cached verdict on an inference engine: probed in the background, told at once, stale after a while.
//!
//! It says when to probe and judges what came. It never probes, and knows nothing of who asks for the verdict.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::{LabTime, seconds};

use super::cadence::{Cadence, Rhythm};

/// What a prober does, and what it makes of it. The defaults are those of the article "DNS Failover for LLM Serving".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProberSettings {
    /// From the end of one probe to the start of the next; 5 s.
    #[serde(with = "seconds")]
    pub pause: Duration,
    /// A probe that takes longer is bad, and is stopped; 4 s. At most `pause`.
    #[serde(with = "seconds")]
    pub budget: Duration,
    /// So many bad probes in a row turn the verdict unhealthy; 3.
    pub fails_to_drain: u32,
    /// So many good ones in a row turn it healthy; 12. It begins unhealthy.
    pub good_to_recover: u32,
    /// A verdict that has reached this age counts as unhealthy; 20 s.
    #[serde(with = "seconds")]
    pub max_age: Duration,
    /// What the engine is asked for.
    pub prompt: String,
    /// What its answer must contain, whatever the case.
    pub expects: String,
    /// The model that is asked for.
    pub model: String,
    /// How many tokens are asked for; 16.
    pub max_tokens: u32,
}

/// Settings with which no verdict could be reached, or none that means anything.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProberSettingsError {
    /// A probe would outlast its period.
    #[error(
        "budget {budget:?} is not possible with pause {pause:?}: a probe would outlast its period; expected at most the pause"
    )]
    BudgetBeyondPause {
        /// The budget.
        budget: Duration,
        /// The pause.
        pause: Duration,
    },
    /// No probe could pass.
    #[error("a budget of 0 s is not possible: no answer comes within it")]
    NoBudget,
    /// No verdict would ever count.
    #[error("a max-age of 0 s is not possible: every verdict would be stale at once")]
    NoMaxAge,
    /// A count of 0 would turn the verdict without a probe.
    #[error("{0} of 0 is not possible: expected at least 1")]
    Count(&'static str),
    /// The engine would not be asked for anything, or anything would pass.
    #[error("an empty {0} is not possible: the probe would prove nothing")]
    Empty(&'static str),
}

impl ProberSettings {
    /// # Errors
    /// When no verdict could be reached with these settings, or none that means anything.
    pub fn validate(&self) -> Result<(), ProberSettingsError> {
        use ProberSettingsError as Error;
        let counts = [
            ("fails-to-drain", self.fails_to_drain),
            ("good-to-recover", self.good_to_recover),
            ("max-tokens", self.max_tokens),
        ];
        if let Some((name, _)) = counts.into_iter().find(|&(_, count)| count == 0) {
            return Err(Error::Count(name));
        }
        let texts = [("prompt", &self.prompt), ("expects", &self.expects), ("model", &self.model)];
        if let Some((name, _)) = texts.into_iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(Error::Empty(name));
        }
        if self.budget.is_zero() {
            return Err(Error::NoBudget);
        }
        if self.max_age.is_zero() {
            return Err(Error::NoMaxAge);
        }
        if self.budget > self.pause {
            return Err(Error::BudgetBeyondPause { budget: self.budget, pause: self.pause });
        }
        Ok(())
    }

    /// From a fault to the verdict's turning unhealthy by bad probes, best and worst; see [`Cadence::turns_within`].
    ///
    /// An engine that refuses gives bad probes of no duration, a wedged one probes that last the whole budget.
    #[must_use]
    pub const fn drains_within(&self, good_takes: Duration, bad_takes: Duration) -> (Duration, Duration) {
        Cadence::EndToStart(self.pause).turns_within(self.fails_to_drain, good_takes, bad_takes)
    }

    /// From the heal to the verdict's turning healthy, best and worst; see [`Cadence::turns_within`].
    #[must_use]
    pub const fn recovers_within(&self, good_takes: Duration, bad_takes: Duration) -> (Duration, Duration) {
        Cadence::EndToStart(self.pause).turns_within(self.good_to_recover, bad_takes, good_takes)
    }

    /// From the prober's death to the expiry of its last healthy verdict, best and worst.
    ///
    /// At worst a probe has just ended. At best it dies just before the next probe would have ended.
    #[must_use]
    pub const fn expires_within(&self, good_takes: Duration) -> (Duration, Duration) {
        let since_last_end = self.pause.saturating_add(good_takes);
        (self.max_age.saturating_sub(since_last_end), self.max_age)
    }

    /// From a prober's start to its first healthy verdict, when every probe is good.
    #[must_use]
    pub const fn healthy_after_start(&self, good_takes: Duration) -> Duration {
        let pauses = self.pause.saturating_mul(self.good_to_recover.saturating_sub(1));
        pauses.saturating_add(good_takes.saturating_mul(self.good_to_recover))
    }
}

/// How a probe ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeResult {
    /// From its start to its end, lab time.
    pub took: Duration,
    /// The text that the engine generated; or what went wrong, for people.
    pub content: Result<String, String>,
}

/// What became of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeJudgement {
    /// Good or bad.
    pub passed: bool,
    /// Why, for people.
    pub detail: String,
}

/// What `/healthz` tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedStatus {
    /// Healthy, fresh and not drained.
    pub healthy: bool,
    /// Since the end of the last probe; `None` when none has ended yet.
    pub age: Option<Duration>,
    /// Drained by hand.
    pub drained: bool,
    /// Bad probes in a row.
    pub fails: u32,
    /// Good probes in a row.
    pub good: u32,
    /// How long the last probe took; `None` when none has ended, or the last got no answer.
    pub latency: Option<Duration>,
}

/// The verdict turned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictTurn {
    /// To what.
    pub healthy: bool,
    /// Why, for people.
    pub reason: String,
}

/// A prober's verdict, and where in its loop the prober stands.
///
/// Begins unhealthy. The verdict outlives its prober: when nothing ends a probe any more, it expires.
#[derive(Clone, Debug)]
pub struct CachedVerdict {
    settings: ProberSettings,
    rhythm: Rhythm,
    ok: bool,
    fails: u32,
    good: u32,
    last_end: Option<LabTime>,
    latency: Option<Duration>,
    drained: bool,
    taken: bool,
}

impl CachedVerdict {
    /// A verdict whose prober starts its first probe at `start`.
    #[must_use]
    pub fn new(settings: &ProberSettings, start: LabTime) -> Self {
        Self {
            settings: settings.clone(),
            rhythm: Rhythm::new(Cadence::EndToStart(settings.pause), start),
            ok: false,
            fails: 0,
            good: 0,
            last_end: None,
            latency: None,
            drained: false,
            taken: false,
        }
    }

    /// When the next probe is due; `None` while one is under way.
    #[must_use]
    pub const fn next_wakeup(&self) -> Option<LabTime> {
        self.rhythm.next_wakeup()
    }

    /// Whether a probe is due.
    #[must_use]
    pub fn due(&self, now: LabTime) -> bool {
        self.next_wakeup().is_some_and(|due| due <= now)
    }

    /// A probe starts. Nothing happens while one is under way.
    pub fn start(&mut self, now: LabTime) {
        self.rhythm.start(now);
    }

    /// The probe under way ended: it is good when its answer came within the budget and holds what is expected.
    /// `None` when none was under way: then nothing happens.
    pub fn finish(&mut self, now: LabTime, result: &ProbeResult) -> Option<ProbeJudgement> {
        if !self.rhythm.end(now) {
            return None;
        }
        let judgement = self.settings.judge(result);
        if judgement.passed {
            (self.good, self.fails) = (self.good.saturating_add(1), 0);
        } else {
            (self.good, self.fails) = (0, self.fails.saturating_add(1));
        }
        if self.fails >= self.settings.fails_to_drain {
            self.ok = false;
        } else if self.good >= self.settings.good_to_recover {
            self.ok = true;
        }
        self.last_end = Some(now);
        self.latency = result.content.is_ok().then_some(result.took);
        Some(judgement)
    }

    /// A new prober takes over from one that died: it begins unhealthy, and knows nothing of earlier probes. The drain
    /// switch stays where it is.
    pub fn restart(&mut self, now: LabTime) {
        let anew = Self::new(&self.settings, now);
        *self = Self { drained: self.drained, taken: self.taken, ..anew };
    }

    /// Turns the drain switch: a drained verdict is unhealthy whatever the probes say.
    pub const fn set_drain(&mut self, drained: bool) {
        self.drained = drained;
    }

    /// What is told now.
    #[must_use]
    pub fn verdict(&self, now: LabTime) -> CachedStatus {
        let age = self.last_end.map(|end| now.since(end));
        let fresh = age.is_some_and(|age| age < self.settings.max_age);
        CachedStatus {
            healthy: self.ok && fresh && !self.drained,
            age,
            drained: self.drained,
            fails: self.fails,
            good: self.good,
            latency: self.latency,
        }
    }

    /// When the verdict turns by itself: a healthy one expires. Probes that end before put it off.
    #[must_use]
    pub fn next_turn(&self) -> Option<LabTime> {
        self.last_end.map(|end| end + self.settings.max_age).filter(|_| self.ok && !self.drained)
    }

    /// The turn since this was last asked, if the verdict is another now; to be asked after every probe, every turn of
    /// the drain switch, a restart, and at [`next_turn`](Self::next_turn).
    pub fn take_turn(&mut self, now: LabTime) -> Option<VerdictTurn> {
        let told = self.verdict(now);
        if told.healthy == self.taken {
            return None;
        }
        self.taken = told.healthy;
        Some(VerdictTurn { healthy: told.healthy, reason: self.reason(told) })
    }

    fn reason(&self, told: CachedStatus) -> String {
        match told {
            CachedStatus { healthy: true, good, .. } => format!("{good} good probes in a row"),
            CachedStatus { drained: true, .. } => "drained by hand".to_owned(),
            CachedStatus { age: None, .. } => "the prober began anew".to_owned(),
            CachedStatus { age: Some(age), .. } if self.ok => {
                format!("stale: no probe has ended for {} s", age.as_secs_f64())
            }
            CachedStatus { fails, .. } => format!("{fails} bad probes in a row"),
        }
    }
}

impl ProberSettings {
    fn judge(&self, result: &ProbeResult) -> ProbeJudgement {
        let (took, budget) = (result.took.as_secs_f64(), self.budget.as_secs_f64());
        let (passed, detail) = match &result.content {
            Err(error) => (false, error.clone()),
            Ok(_) if result.took > self.budget => (false, format!("answered after {took:.3} s, budget {budget} s")),
            Ok(text) if !text.to_lowercase().contains(&self.expects.to_lowercase()) => {
                (false, format!("answered {text:?}, which does not contain {:?}", self.expects))
            }
            Ok(_) => (true, format!("answered as expected after {took:.3} s")),
        };
        ProbeJudgement { passed, detail }
    }
}
