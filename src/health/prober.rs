//! What a prober of an inference engine is set to, and how one of its probes is judged.
//!
//! It knows one probe. What many of them amount to is the cached verdict's matter.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock::seconds;

use super::cadence::Cadence;

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

impl Default for ProberSettings {
    fn default() -> Self {
        Self {
            pause: Duration::from_secs(5),
            budget: Duration::from_secs(4),
            fails_to_drain: 3,
            good_to_recover: 12,
            max_age: Duration::from_secs(20),
            prompt: "Reply with the word ready.".to_owned(),
            expects: "ready".to_owned(),
            model: "chat-model".to_owned(),
            max_tokens: 16,
        }
    }
}

/// Settings with which no verdict could be reached, or none that means anything.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProberSettingsError {
    /// A probe would outlast its period.
    #[error(
        "budget {budget:?} is not possible with pause {pause:?}: a probe would outlast its period; \
         expected at most the pause (the article \"DNS Failover for LLM Serving\" has 4 s within 5 s)"
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
    /// A verdict would expire before the next one is there.
    #[error(
        "a max-age of {max_age:?} is not possible: a verdict would expire between two probes, which can be {pause:?} + \
         {budget:?} apart; write more than their sum"
    )]
    StaleBetweenProbes {
        /// When a verdict expires.
        max_age: Duration,
        /// From the end of one probe to the start of the next.
        pause: Duration,
        /// How long one may last.
        budget: Duration,
    },
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
        if self.max_age <= self.pause + self.budget {
            let (pause, budget) = (self.pause, self.budget);
            return Err(Error::StaleBetweenProbes { max_age: self.max_age, pause, budget });
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

    /// A probe is good when its answer came within the budget and holds what is expected, whatever the case.
    #[must_use]
    pub fn judge(&self, result: &ProbeResult) -> ProbeJudgement {
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    const fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Those of the article.
    pub(in crate::health) fn settings() -> ProberSettings {
        ProberSettings::default()
    }

    fn answer(took: Duration, text: &str) -> ProbeResult {
        ProbeResult { took, content: Ok(text.to_owned()) }
    }

    #[test]
    fn a_probe_is_good_within_its_budget_and_with_what_is_expected() {
        let judged = |result: ProbeResult| {
            let judgement = settings().judge(&result);
            (judgement.passed, judgement.detail)
        };
        assert_eq!(judged(answer(secs(4), "I am READY")), (true, "answered as expected after 4.000 s".into()));
        let late = secs(4) + Duration::from_millis(1);
        assert_eq!(judged(answer(late, "ready")), (false, "answered after 4.001 s, budget 4 s".into()));
        let wrong = "answered \"Bonjour\", which does not contain \"ready\"".to_owned();
        assert_eq!(judged(answer(secs(1), "Bonjour")), (false, wrong));
        assert_eq!(
            judged(ProbeResult { took: secs(0), content: Err("connection refused".into()) }),
            (false, "connection refused".into())
        );
    }

    #[test]
    fn settings_that_prove_nothing_are_refused() {
        use ProberSettingsError as Error;
        let (budget, pause) = (secs(6), secs(5));
        let cases = [
            (settings(), Ok(())),
            (ProberSettings { budget: pause, ..settings() }, Ok(())),
            (ProberSettings { budget, ..settings() }, Err(Error::BudgetBeyondPause { budget, pause })),
            (ProberSettings { budget: Duration::ZERO, ..settings() }, Err(Error::NoBudget)),
            (ProberSettings { max_age: Duration::ZERO, ..settings() }, Err(Error::NoMaxAge)),
            (ProberSettings { max_age: secs(10), ..settings() }, Ok(())),
            (
                ProberSettings { max_age: secs(9), ..settings() },
                Err(Error::StaleBetweenProbes { max_age: secs(9), pause: secs(5), budget: secs(4) }),
            ),
            (ProberSettings { fails_to_drain: 0, ..settings() }, Err(Error::Count("fails-to-drain"))),
            (ProberSettings { good_to_recover: 0, ..settings() }, Err(Error::Count("good-to-recover"))),
            (ProberSettings { max_tokens: 0, ..settings() }, Err(Error::Count("max-tokens"))),
            (ProberSettings { prompt: " ".into(), ..settings() }, Err(Error::Empty("prompt"))),
            (ProberSettings { expects: String::new(), ..settings() }, Err(Error::Empty("expects"))),
            (ProberSettings { model: String::new(), ..settings() }, Err(Error::Empty("model"))),
        ];
        for (settings, expected) in cases {
            assert_eq!(settings.validate(), expected);
        }
    }

    #[test]
    fn the_bounds_of_the_article_and_of_a_wedged_engine() {
        let settings = settings();
        let at_once = Duration::ZERO;
        assert_eq!(settings.drains_within(at_once, at_once), (secs(10), secs(15)), "an engine that refuses");
        assert_eq!(settings.drains_within(at_once, secs(4)), (secs(22), secs(27)), "one that never answers");
        assert_eq!(settings.recovers_within(at_once, at_once), (secs(55), secs(60)));
        assert_eq!(settings.expires_within(at_once), (secs(15), secs(20)));
    }
}
