//! The cached verdict on an inference engine: probed in the background, told at once, stale after a while.
//!
//! It says when to probe and what the probes amount to. It never probes, and knows nothing of who asks for the verdict.

use std::time::Duration;

use crate::clock::LabTime;

use super::cadence::{Cadence, Rhythm};
use super::prober::{ProbeJudgement, ProbeResult, ProberSettings};

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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::prober::tests::settings;
    use super::*;

    const fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn answer(took: Duration, text: &str) -> ProbeResult {
        ProbeResult { took, content: Ok(text.to_owned()) }
    }

    fn good() -> ProbeResult {
        answer(Duration::ZERO, "Ready.")
    }

    fn bad() -> ProbeResult {
        ProbeResult { took: Duration::ZERO, content: Err("connection refused".into()) }
    }

    /// One probe, when it is due, ended at once. What it came to, and when.
    fn probe(verdict: &mut CachedVerdict, result: &ProbeResult) -> (LabTime, ProbeJudgement) {
        let now = verdict.next_wakeup().unwrap();
        assert!(verdict.due(now));
        verdict.start(now);
        let end = now + result.took;
        (end, verdict.finish(end, result).unwrap())
    }

    /// A verdict that the twelfth good probe has just turned healthy, and that moment.
    fn healthy() -> (CachedVerdict, LabTime) {
        let mut verdict = CachedVerdict::new(&settings(), LabTime::START);
        let last = (0..12).map(|_| probe(&mut verdict, &good()).0).last().unwrap();
        assert!(verdict.take_turn(last).unwrap().healthy);
        (verdict, last)
    }

    #[test]
    fn it_begins_unhealthy_and_turns_with_the_twelfth_good_probe_in_a_row() {
        let mut verdict = CachedVerdict::new(&settings(), LabTime::START);
        let told = verdict.verdict(LabTime::START);
        let nothing = CachedStatus { healthy: false, age: None, drained: false, fails: 0, good: 0, latency: None };
        assert_eq!(told, nothing);
        for result in [good(), good(), bad()].iter().chain(&vec![good(); 11]) {
            let (now, _) = probe(&mut verdict, result);
            assert_eq!(verdict.take_turn(now), None);
        }
        let (now, _) = probe(&mut verdict, &good());
        let reason = "12 good probes in a row".to_owned();
        assert_eq!(verdict.take_turn(now), Some(VerdictTurn { healthy: true, reason }));
        assert_eq!(verdict.take_turn(now), None, "it was taken");
        assert_eq!(verdict.verdict(now).good, 12);
    }

    #[test]
    fn the_third_bad_probe_in_a_row_turns_it_unhealthy() {
        let (mut verdict, _) = healthy();
        for result in [bad(), bad(), good(), bad(), bad()] {
            let (now, _) = probe(&mut verdict, &result);
            assert_eq!(verdict.take_turn(now), None);
        }
        let (now, _) = probe(&mut verdict, &bad());
        let reason = "3 bad probes in a row".to_owned();
        assert_eq!(verdict.take_turn(now), Some(VerdictTurn { healthy: false, reason }));
        let told = verdict.verdict(now);
        assert_eq!((told.fails, told.good, told.latency), (3, 0, None));
        assert_eq!(verdict.next_turn(), None, "an unhealthy one does not expire");
    }

    #[test]
    fn the_pause_counts_from_the_end_of_a_probe() {
        let mut verdict = CachedVerdict::new(&settings(), LabTime::secs(2));
        assert!(!verdict.due(LabTime::secs(1)));
        verdict.start(LabTime::secs(2));
        assert_eq!(verdict.next_wakeup(), None);
        assert!(!verdict.due(LabTime::secs(100)), "one is under way");
        assert!(verdict.finish(LabTime::secs(6), &answer(secs(4), "ready")).is_some());
        assert_eq!(verdict.next_wakeup(), Some(LabTime::secs(11)));
        assert_eq!(verdict.verdict(LabTime::secs(6)).latency, Some(secs(4)));
        assert_eq!(verdict.finish(LabTime::secs(7), &good()), None, "none is under way");
    }

    #[test]
    fn without_another_probe_a_healthy_verdict_expires_at_its_age_limit() {
        let (mut verdict, last) = healthy();
        let expiry = last + secs(20);
        assert_eq!(verdict.next_turn(), Some(expiry));
        assert!(verdict.verdict(expiry - Duration::from_nanos(1)).healthy);
        assert!(!verdict.verdict(expiry).healthy);
        let reason = "stale: no probe has ended for 20 s".to_owned();
        assert_eq!(verdict.take_turn(expiry), Some(VerdictTurn { healthy: false, reason }));
        assert_eq!(verdict.verdict(expiry).age, Some(secs(20)));
    }

    #[test]
    fn every_probe_puts_the_expiry_off() {
        let (mut verdict, _) = healthy();
        let (now, _) = probe(&mut verdict, &bad());
        assert_eq!(verdict.next_turn(), Some(now + secs(20)), "one bad probe leaves it healthy and fresh");
    }

    #[test]
    fn a_hung_prober_that_comes_back_makes_its_verdict_fresh_again() {
        let (mut verdict, last) = healthy();
        assert!(!verdict.take_turn(last + secs(30)).unwrap().healthy);
        verdict.start(last + secs(30));
        verdict.finish(last + secs(31), &answer(secs(1), "ready"));
        assert!(verdict.take_turn(last + secs(31)).unwrap().healthy);
    }

    #[test]
    fn drained_it_is_unhealthy_whatever_the_probes_say() {
        let (mut verdict, now) = healthy();
        verdict.set_drain(true);
        let reason = "drained by hand".to_owned();
        assert_eq!(verdict.take_turn(now), Some(VerdictTurn { healthy: false, reason }));
        assert_eq!(verdict.next_turn(), None);
        let (now, judgement) = probe(&mut verdict, &good());
        assert!(judgement.passed && !verdict.verdict(now).healthy && verdict.verdict(now).drained);
        verdict.set_drain(false);
        assert!(verdict.take_turn(now).unwrap().healthy, "its probes were good all along");
    }

    #[test]
    fn a_new_prober_begins_anew_and_leaves_the_drain_switch() {
        let (mut verdict, last) = healthy();
        let now = last + secs(3);
        verdict.restart(now);
        let reason = "the prober began anew".to_owned();
        assert_eq!(verdict.take_turn(now), Some(VerdictTurn { healthy: false, reason }));
        assert_eq!(verdict.next_wakeup(), Some(now));
        assert_eq!((verdict.verdict(now).good, verdict.verdict(now).age), (0, None));
        let back = (0..12).map(|_| probe(&mut verdict, &answer(secs(1), "ready")).0).last().unwrap();
        assert!(verdict.take_turn(back).unwrap().healthy);
        assert_eq!(back.since(now), settings().healthy_after_start(secs(1)));
        verdict.set_drain(true);
        verdict.restart(back);
        assert!(verdict.verdict(back).drained);
    }

    /// The moments at which a prober's verdict turns, when the engine is bad from `fault` to `heal`, and the prober is
    /// killed at `death`.
    fn turns(takes: [Duration; 2], start: LabTime, [fault, heal, death]: [LabTime; 3]) -> Vec<LabTime> {
        let [good_takes, bad_takes] = takes;
        let mut verdict = CachedVerdict::new(&settings(), start);
        let mut turns = Vec::new();
        while let Some(now) = verdict.next_wakeup() {
            let is_good = now < fault || now >= heal;
            let took = if is_good { good_takes } else { bad_takes };
            if now + took >= death {
                break;
            }
            verdict.start(now);
            let content = if is_good { Ok("ready".to_owned()) } else { Err("no answer".to_owned()) };
            verdict.finish(now + took, &ProbeResult { took, content });
            turns.extend(verdict.take_turn(now + took).map(|_| now + took));
        }
        let expiry = verdict.next_turn().unwrap();
        turns.extend(verdict.take_turn(expiry).map(|_| expiry));
        turns
    }

    proptest! {
        #[test]
        fn it_turns_and_expires_within_its_bounds_for_any_phases(
            start in 0_u64..9_000,
            good_takes in 0_u64..=4_000,
            bad_takes in 0_u64..=4_000,
            fault in 150_000_u64..160_000,
            death in 400_000_u64..410_000,
        ) {
            let ms = Duration::from_millis;
            let (good_takes, bad_takes) = (ms(good_takes), ms(bad_takes));
            let [start, fault, death] = [start, fault, death].map(|at| LabTime::at(ms(at)));
            let heal = fault + ms(100_000);
            let turns = turns([good_takes, bad_takes], start, [fault, heal, death]);
            prop_assert_eq!(turns.len(), 4);
            let settings = settings();
            prop_assert_eq!(turns[0].since(start), settings.healthy_after_start(good_takes));
            let legs = [
                (turns[1].since(fault), settings.drains_within(good_takes, bad_takes)),
                (turns[2].since(heal), settings.recovers_within(good_takes, bad_takes)),
                (turns[3].since(death), settings.expires_within(good_takes)),
            ];
            for (took, (best, worst)) in legs {
                prop_assert!(best <= took && took <= worst, "{:?} not in {:?} to {:?}", took, best, worst);
            }
        }
    }
}
