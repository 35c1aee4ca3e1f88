//! The samples of one metric, and the datapoints that periods make of them.
//!
//! It knows neither what is measured nor what a datapoint is compared with.

use std::time::Duration;

use crate::clock::LabTime;

use super::alarm::AlarmSettings;

/// The samples of one metric, as far back as anybody looks. One that nobody looks at keeps only its newest.
#[derive(Clone, Debug, Default)]
pub struct MetricStream {
    /// In the order of their moments.
    samples: Vec<(LabTime, f64)>,
    reach: Duration,
}

impl MetricStream {
    /// A stream that keeps what is at most `reach` older than its newest sample: [`AlarmSettings::looks_back`] of
    /// whoever looks back the farthest.
    #[must_use]
    pub const fn reaching(reach: Duration) -> Self {
        Self { samples: Vec::new(), reach }
    }

    /// A sample. A value that is no finite number is not kept, as `CloudWatch` refuses it.
    pub fn put(&mut self, now: LabTime, value: f64) {
        if !value.is_finite() {
            return;
        }
        let after = self.samples.partition_point(|&(at, _)| at <= now);
        self.samples.insert(after, (now, value));
        let out_of_reach = self.samples.last().map_or(LabTime::START, |&(newest, _)| newest - self.reach);
        self.samples.drain(..self.samples.partition_point(|&(at, _)| at < out_of_reach));
    }

    /// The datapoints of an alarm's evaluation range, oldest first; `None` for a period without a sample (R53-189).
    ///
    /// The window slides: the newest period ends when an evaluation was last due, a whole minute of lab time (10 s for
    /// an alarm of shorter periods), and each older one ends where the next begins (R53-187). A sample at the very end
    /// of one belongs to the next. Nothing was sampled before the lab's start.
    #[must_use]
    pub fn datapoints(&self, now: LabTime, settings: &AlarmSettings) -> Vec<Option<f64>> {
        let end = settings.evaluation_due(now);
        let ages = (0..settings.evaluation_range()).rev();
        ages.map(|age| self.datapoint(end.checked_sub(settings.period.saturating_mul(age))?, settings)).collect()
    }

    /// The datapoint of the period that ends here, counted from the lab's start.
    fn datapoint(&self, end: Duration, settings: &AlarmSettings) -> Option<f64> {
        let begin = LabTime::at(end.saturating_sub(settings.period));
        let from = self.samples.partition_point(|&(at, _)| at < begin);
        let to = self.samples.partition_point(|&(at, _)| at < LabTime::at(end));
        let values: Vec<f64> = self.samples[from..to].iter().map(|&(_, value)| value).collect();
        settings.statistic.of(&values)
    }
}

#[cfg(test)]
mod tests {
    use super::super::alarm::{Comparison, Statistic};
    use super::*;

    const DAY: Duration = Duration::from_secs(86_400);

    /// Three periods are looked at.
    fn settings(period: u64, statistic: Statistic) -> AlarmSettings {
        AlarmSettings {
            statistic,
            period: Duration::from_secs(period),
            evaluation_periods: 1,
            threshold: 300.0,
            comparison: Comparison::GreaterThanThreshold,
        }
    }

    fn stream(samples: &[(u64, f64)]) -> MetricStream {
        let mut stream = MetricStream::reaching(DAY);
        for &(at, value) in samples {
            stream.put(LabTime::secs(at), value);
        }
        stream
    }

    #[test]
    fn a_period_counts_once_it_is_over() {
        let stream = stream(&[(0, 1.0), (30, 3.0), (60, 5.0)]);
        let latest = |now| stream.datapoints(LabTime::secs(now), &settings(60, Statistic::Maximum)).pop().unwrap();
        assert_eq!(latest(59), None, "no period is over");
        assert_eq!(latest(60), Some(3.0), "a sample at its very end belongs to the next");
        assert_eq!(latest(119), Some(3.0));
        assert_eq!(latest(120), Some(5.0));
        assert_eq!(latest(180), None);
    }

    #[test]
    fn datapoints_come_oldest_first_with_gaps_and_nothing_before_the_labs_start() {
        let stream = stream(&[(10, 1.0), (130, 2.0), (140, 4.0)]);
        let datapoints = |now, settings| stream.datapoints(LabTime::secs(now), &settings);
        assert_eq!(datapoints(200, settings(60, Statistic::Average)), [Some(1.0), None, Some(3.0)]);
        assert_eq!(datapoints(60, settings(60, Statistic::Average)), [None, None, Some(1.0)]);
        assert_eq!(datapoints(240, settings(120, Statistic::Sum)), [None, Some(1.0), Some(6.0)]);
    }

    #[test]
    fn r53_187_a_long_period_slides_with_each_evaluation() {
        let stream = stream(&[(100, 1.0), (310, 2.0), (610, 4.0)]);
        let five_minutes = settings(300, Statistic::Sum);
        for (now, datapoints) in [
            (300, [None, None, Some(1.0)]),
            (359, [None, None, Some(1.0)]),
            (360, [None, Some(0.0), Some(3.0)]),
            (420, [None, Some(1.0), Some(2.0)]),
            (660, [Some(0.0), Some(3.0), Some(4.0)]),
            (719, [Some(0.0), Some(3.0), Some(4.0)]),
            (720, [Some(1.0), Some(2.0), Some(4.0)]),
        ] {
            // A window without a sample has no datapoint, where this table writes 0.
            let expected = datapoints.map(|point| point.filter(|sum| *sum > 0.0));
            assert_eq!(stream.datapoints(LabTime::secs(now), &five_minutes), expected, "{now} s");
        }
    }

    #[test]
    fn r53_187_short_periods_slide_by_ten_seconds() {
        let stream = stream(&[(15, 1.0), (25, 2.0)]);
        let half_a_minute = settings(30, Statistic::Sum);
        let latest = |now| stream.datapoints(LabTime::secs(now), &half_a_minute).pop().unwrap();
        assert_eq!(
            [29, 30, 39, 40, 49, 50, 60].map(latest),
            [Some(1.0), Some(3.0), Some(3.0), Some(3.0), Some(3.0), Some(2.0), None]
        );
    }

    #[test]
    fn samples_that_come_out_of_order_fall_into_their_own_periods() {
        let stream = stream(&[(70, 2.0), (10, 1.0)]);
        let datapoints = stream.datapoints(LabTime::secs(120), &settings(60, Statistic::Maximum));
        assert_eq!(datapoints, [None, Some(1.0), Some(2.0)]);
    }

    #[test]
    fn what_is_no_number_is_not_kept() {
        let stream = stream(&[(10, f64::NAN), (20, f64::INFINITY)]);
        assert_eq!(stream.datapoints(LabTime::secs(60), &settings(60, Statistic::SampleCount)), [None; 3]);
    }

    #[test]
    fn what_nobody_looks_back_at_is_dropped_and_nothing_else() {
        let settings = settings(300, Statistic::Sum);
        let (mut bounded, mut whole) = (MetricStream::reaching(settings.looks_back()), MetricStream::reaching(DAY));
        for at in (0..86_400).step_by(7).map(LabTime::secs) {
            bounded.put(at, 1.0);
            whole.put(at, 1.0);
            assert_eq!(bounded.datapoints(at, &settings), whole.datapoints(at, &settings));
        }
        assert!(bounded.samples.len() <= 960 / 7 + 1, "{}", bounded.samples.len());
    }
}
