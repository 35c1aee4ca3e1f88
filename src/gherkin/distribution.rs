//! Whether counts may come from shares: Pearson's chi-squared test, at a stated confidence.
//!
//! A sample that is rejected is followed by a fresh one of four times its size, and only when that is rejected too are
//! the shares refused: chance refuses right shares once in a million times, whatever their number.

/// How sure a single rejection is.
pub const CONFIDENCE: &str = "99.9 %";

/// What is exceeded by chance once in a thousand times, for 1 to 10 degrees of freedom (the 0.999 quantile of the
/// chi-squared distribution).
const CRITICAL: [f64; 10] = [10.828, 13.816, 16.266, 18.467, 20.515, 22.458, 24.322, 26.124, 27.877, 29.588];

/// The 0.999 quantile of the normal distribution.
const NORMAL_QUANTILE: f64 = 3.0902;

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
    /// What chance exceeds once in a thousand times.
    pub critical: f64,
}

impl Distance {
    /// Whether right shares would give such counts less than once in a thousand times.
    #[must_use]
    pub fn is_rejected(self) -> bool {
        self.statistic > self.critical
    }
}

/// How far counts lie from their shares.
#[must_use]
pub fn distance(observed: &[Observed]) -> Distance {
    let total: usize = observed.iter().map(|one| one.count).sum();
    let statistic = observed
        .iter()
        .map(|one| {
            let expected = number(total) * one.share;
            (number(one.count) - expected).powi(2) / expected.max(f64::MIN_POSITIVE)
        })
        .sum();
    Distance { statistic, critical: critical(observed.len().saturating_sub(1)) }
}

/// How many answers are needed that each share is expected twenty times, at least a thousand.
#[must_use]
pub fn sample_size(shares: &[f64]) -> usize {
    (1000..100_000).find(|size| shares.iter().all(|share| number(*size) * share >= 20.0)).unwrap_or(100_000)
}

fn critical(degrees: usize) -> f64 {
    match degrees {
        0 => f64::INFINITY,
        few if few <= CRITICAL.len() => CRITICAL[few - 1],
        // Wilson and Hilferty's approximation; beyond 10 degrees it is at most 1 % too lenient.
        many => {
            let ninth = 2.0 / (9.0 * number(many));
            number(many) * (1.0 - ninth + NORMAL_QUANTILE * ninth.sqrt()).powi(3)
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

    fn rejections(truth: &[f64], claimed: &[f64], runs: usize) -> usize {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let rejected = |_: &usize| {
            let counts = sample(truth, 1000, &mut rng);
            let observed: Vec<Observed> =
                counts.iter().zip(claimed).map(|(&count, &share)| Observed { count, share }).collect();
            distance(&observed).is_rejected()
        };
        (0..runs).filter(rejected).count()
    }

    #[test]
    fn right_shares_are_rejected_about_once_in_a_thousand() {
        let found = rejections(&[0.2, 0.4, 0.4], &[0.2, 0.4, 0.4], 5000);
        assert!(found <= 15, "{found} of 5000");
    }

    #[test]
    fn equal_shares_in_place_of_10_20_20_are_always_rejected() {
        let third = 1.0 / 3.0;
        assert_eq!(rejections(&[third, third, third], &[0.2, 0.4, 0.4], 200), 200);
    }

    #[test]
    fn beyond_ten_degrees_the_approximation_goes_on_where_the_table_ends() {
        assert!((critical(10) - 29.588).abs() < 1e-9);
        assert!((critical(11) - 31.264).abs() < 0.3, "{}", critical(11));
        assert!((critical(50) - 86.661).abs() < 0.8, "{}", critical(50));
    }

    #[test]
    fn small_shares_ask_for_more_answers() {
        assert_eq!(sample_size(&[0.5, 0.5]), 1000);
        assert_eq!(sample_size(&[1.0 / 256.0, 255.0 / 256.0]), 5120);
    }
}
