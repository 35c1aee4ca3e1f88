//! Cached verdicts on inference engines that turn otherwise.
//!
//! No rule of Route 53 speaks of them: they are rules of the article "DNS Failover for LLM Serving", which have no
//! numbers, and are named as their scenarios are tagged.

use std::time::Duration;

use super::Mutant;
use super::seams::ProbingEngines;

pub(super) const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "verdict-never-expires",
        what: "goes on telling the last verdict of a prober that is dead",
        rules: &["llm-staleness"],
        deviation: &ProbingEngines(|settings| settings.max_age = Duration::MAX),
    },
    Mutant {
        name: "recovery-without-hysteresis",
        what: "turns a verdict healthy by the first good probe",
        rules: &["llm-recovery"],
        deviation: &ProbingEngines(|settings| settings.good_to_recover = 1),
    },
    Mutant {
        name: "drains-at-first-bad-probe",
        what: "turns a verdict unhealthy by the first bad probe",
        rules: &["llm-drain"],
        deviation: &ProbingEngines(|settings| settings.fails_to_drain = 1),
    },
];

#[cfg(test)]
mod tests {
    use super::super::scene::{machines, reference};
    use super::*;
    use crate::clock::LabTime;
    use crate::health::{ProbeResult, ProberSettings};
    use crate::subject::Machines;

    const PAUSE: Duration = Duration::from_secs(5);

    fn settings() -> ProberSettings {
        ProberSettings {
            pause: PAUSE,
            budget: Duration::from_secs(4),
            fails_to_drain: 3,
            good_to_recover: 12,
            max_age: Duration::from_secs(20),
            prompt: "Reply with the word ready.".into(),
            expects: "ready".into(),
            model: "chat-model".into(),
            max_tokens: 16,
        }
    }

    /// The verdict after so many good probes, then so many bad ones, and then so long without any.
    fn healthy(of: Machines, good: usize, bad: usize, silence: Duration) -> bool {
        let mut verdict = of.cached_verdict(settings(), LabTime::START);
        let mut now = LabTime::START;
        for passed in [vec![true; good], vec![false; bad]].concat() {
            now = now + PAUSE;
            verdict.start(now);
            let content = if passed { Ok("ready".to_owned()) } else { Err("connection refused".to_owned()) };
            verdict.finish(now, &ProbeResult { took: Duration::ZERO, content });
        }
        verdict.verdict(now + silence).healthy
    }

    #[test]
    fn a_verdict_turns_otherwise_once_and_as_it_should_once() {
        let (at_once, later) = (Duration::ZERO, Duration::from_secs(20));
        for (mutant, broken, whole) in [
            ("verdict-never-expires", (12, 0, later), (12, 3, later)),
            ("recovery-without-hysteresis", (1, 0, at_once), (12, 0, at_once)),
            ("drains-at-first-bad-probe", (12, 1, at_once), (12, 3, at_once)),
        ] {
            let verdict = |of, (good, bad, silence)| healthy(of, good, bad, silence);
            assert_ne!(verdict(machines(mutant), broken), verdict(reference(), broken), "{mutant}");
            assert_eq!(verdict(machines(mutant), whole), verdict(reference(), whole), "{mutant}");
        }
    }
}
