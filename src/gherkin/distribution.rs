//! Whether counts may come from shares: Pearson's chi-squared test, in two steps.
//!
//! A first sample only raises a suspicion: right shares do so once in twenty times. Whoever is suspected is judged by a
//! fresh sample of eight times its size, and by that alone; right shares are refused once in a million times, whatever
//! their number. Of 1000 and 8000 answers, a share of 50 % that is really 54 % is found seven times in ten, 56 % nearly
//! always.

/// How sure a rejection is.
pub const CONFIDENCE: &str = "99.9999 %";

/// How much larger the sample is that judges than the one that raised the suspicion.
pub const FRESH: usize = 8;

/// How unlikely counts must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Chance exceeds it once in twenty times.
    Suspicion,
    /// Chance exceeds it once in a million times.
    Judgement,
}

impl Level {
    /// The quantiles of the chi-squared distribution for 1 to 10 degrees of freedom.
    const fn critical(self) -> [f64; 10] {
        match self {
            Self::Suspicion => [3.841, 5.991, 7.815, 9.488, 11.070, 12.592, 14.067, 15.507, 16.919, 18.307],
            Self::Judgement => [23.928, 27.631, 30.665, 33.377, 35.888, 38.258, 40.522, 42.701, 44.811, 46.863],
        }
    }

    /// The quantile of the normal distribution.
    const fn normal_quantile(self) -> f64 {
        match self {
            Self::Suspicion => 1.6449,
            Self::Judgement => 4.7534,
        }
    }
}

/// A count beside its share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observed {
    /// How often.
    pub count: usize,
    /// Above 0; all shares together are 1.
    pub share: f64,
}

/// How far counts lie from their shares, and how far they may.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The sum of the squared deviations, each by what was expected.
    pub statistic: f64,
    /// What chance exceeds so seldom as the level says.
    pub critical: f64,
}

impl Distance {
    /// Whether right shares would give such counts less often than the level says.
    #[must_use]
    pub fn is_rejected(self) -> bool {
        self.statistic > self.critical
    }
}

/// How far counts lie from their shares.
#[must_use]
pub fn distance(observed: &[Observed], level: Level) -> Distance {
    let total: usize = observed.iter().map(|one| one.count).sum();
    let statistic = observed
        .iter()
        .map(|one| {
            let expected = number(total) * one.share;
            (number(one.count) - expected).powi(2) / expected.max(f64::MIN_POSITIVE)
        })
        .sum();
    Distance { statistic, critical: critical(observed.len().saturating_sub(1), level) }
}

/// How many answers are needed that each share is expected twenty times, at least a thousand.
#[must_use]
pub fn sample_size(shares: &[f64]) -> usize {
    (1000..100_000).find(|size| shares.iter().all(|share| number(*size) * share >= 20.0)).unwrap_or(100_000)
}

fn critical(degrees: usize, level: Level) -> f64 {
    let known = level.critical();
    match degrees {
        0 => f64::INFINITY,
        few if few <= known.len() => known[few - 1],
        // Wilson and Hilferty's approximation; beyond 10 degrees it is at most 2 % too lenient.
        many => {
            let ninth = 2.0 / (9.0 * number(many));
            number(many) * (1.0 - ninth + level.normal_quantile() * ninth.sqrt()).powi(3)
        }
    }
}

fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn sample(truth: &[f64], size: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
        let mut counts = vec![0; truth.len()];
        for _ in 0..size {
            let mut left: f64 = rng.random();
            let index = truth.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            counts[index.unwrap_or(truth.len() - 1)] += 1;
        }
        counts
    }

    fn is_rejected(truth: &[f64], claimed: &[f64], size: usize, level: Level, rng: &mut ChaCha8Rng) -> bool {
        let counts = sample(truth, size, rng);
        let observed: Vec<Observed> =
            counts.iter().zip(claimed).map(|(&count, &share)| Observed { count, share }).collect();
        distance(&observed, level).is_rejected()
    }

    /// How often a server of these shares is suspected, and how often it is then refused.
    fn refused(truth: &[f64], claimed: &[f64], runs: usize) -> (usize, usize) {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let suspected = (0..runs).filter(|_| is_rejected(truth, claimed, 1000, Level::Suspicion, &mut rng)).count();
        let judged = |_: &usize| is_rejected(truth, claimed, 1000 * FRESH, Level::Judgement, &mut rng);
        (suspected, (0..suspected).filter(judged).count())
    }

    #[test]
    fn right_shares_are_suspected_once_in_twenty_times_and_never_refused() {
        let (suspected, refused) = refused(&[0.2, 0.4, 0.4], &[0.2, 0.4, 0.4], 4000);
        assert!((150..=250).contains(&suspected), "{suspected} of 4000");
        assert_eq!(refused, 0);
    }

    #[test]
    fn equal_shares_in_place_of_10_20_20_are_always_refused() {
        let third = 1.0 / 3.0;
        assert_eq!(refused(&[third, third, third], &[0.2, 0.4, 0.4], 200), (200, 200));
    }

    #[test]
    fn half_that_is_really_54_of_100_is_refused_seven_times_in_ten_and_56_nearly_always() {
        let (_, found) = refused(&[0.54, 0.46], &[0.5, 0.5], 400);
        assert!((240..=320).contains(&found), "{found} of 400");
        let (_, found) = refused(&[0.56, 0.44], &[0.5, 0.5], 400);
        assert!(found >= 370, "{found} of 400");
    }

    #[test]
    fn beyond_ten_degrees_the_approximation_goes_on_where_the_table_ends() {
        for (level, eleven, fifty) in [(Level::Suspicion, 19.675, 67.505), (Level::Judgement, 48.87, 112.61)] {
            let (found_eleven, found_fifty) = (critical(11, level), critical(50, level));
            assert!((found_eleven / eleven - 1.0).abs() < 0.025, "{found_eleven}");
            assert!((found_fifty / fifty - 1.0).abs() < 0.01, "{found_fifty}");
        }
    }

    #[test]
    fn small_shares_ask_for_more_answers() {
        assert_eq!(sample_size(&[0.5, 0.5]), 1000);
        assert_eq!(sample_size(&[1.0 / 256.0, 255.0 / 256.0]), 5120);
    }
}
