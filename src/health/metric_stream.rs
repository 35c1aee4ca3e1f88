//! The samples of one metric, and the datapoints that periods make of them.
//!
//! It knows neither what is measured nor what a datapoint is compared with.

use std::time::Duration;

use crate::clock::LabTime;

use super::alarm::Statistic;

/// The samples of one metric, all that a run takes.
#[derive(Clone, Debug, Default)]
pub struct MetricStream {
    /// In the order of their moments.
    samples: Vec<(LabTime, f64)>,
}

impl MetricStream {
    /// A sample. A value that is no finite number is not kept, as `CloudWatch` refuses it.
    pub fn put(&mut self, now: LabTime, value: f64) {
        if value.is_finite() {
            let after = self.samples.partition_point(|&(at, _)| at <= now);
            self.samples.insert(after, (now, value));
        }
    }

    /// The datapoints of the `count` latest periods that are over, oldest first; `None` for a period without a sample.
    ///
    /// Periods begin at multiples of `period` since the lab's start; a sample at the very end of one belongs to the
    /// next. Periods before the lab's start have no sample. A period of zero has no datapoints.
    #[must_use]
    pub fn datapoints(&self, now: LabTime, period: Duration, statistic: Statistic, count: u32) -> Vec<Option<f64>> {
        let ages = (1..=u128::from(count)).rev();
        match now.since_start().as_nanos().checked_div(period.as_nanos()) {
            Some(over) => ages.map(|age| self.datapoint(over.checked_sub(age)?, period, statistic)).collect(),
            None => Vec::new(),
        }
    }

    /// The datapoint of the period with this number, from 0.
    fn datapoint(&self, number: u128, period: Duration, statistic: Statistic) -> Option<f64> {
        let begin = LabTime::at(period.saturating_mul(u32::try_from(number).ok()?));
        let from = self.samples.partition_point(|&(at, _)| at < begin);
        let to = self.samples.partition_point(|&(at, _)| at < begin + period);
        let values: Vec<f64> = self.samples[from..to].iter().map(|&(_, value)| value).collect();
        statistic.of(&values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn stream(samples: &[(u64, f64)]) -> MetricStream {
        let mut stream = MetricStream::default();
        for &(at, value) in samples {
            stream.put(LabTime::secs(at), value);
        }
        stream
    }

    #[test]
    fn a_period_counts_once_it_is_over() {
        let stream = stream(&[(0, 1.0), (30, 3.0), (60, 5.0)]);
        let latest = |now| stream.datapoints(LabTime::secs(now), MINUTE, Statistic::Maximum, 1);
        assert_eq!(latest(59), [None], "no period is over");
        assert_eq!(latest(60), [Some(3.0)], "a sample at its very end belongs to the next");
        assert_eq!(latest(119), [Some(3.0)]);
        assert_eq!(latest(120), [Some(5.0)]);
        assert_eq!(latest(180), [None]);
    }

    #[test]
    fn datapoints_come_oldest_first_with_gaps_and_nothing_before_the_labs_start() {
        let stream = stream(&[(10, 1.0), (130, 2.0), (140, 4.0)]);
        let datapoints = stream.datapoints(LabTime::secs(200), MINUTE, Statistic::Average, 5);
        assert_eq!(datapoints, [None, None, Some(1.0), None, Some(3.0)]);
        assert_eq!(stream.datapoints(LabTime::secs(240), MINUTE * 2, Statistic::Sum, 2), [Some(1.0), Some(6.0)]);
    }

    #[test]
    fn samples_that_come_out_of_order_fall_into_their_own_periods() {
        let stream = stream(&[(70, 2.0), (10, 1.0)]);
        let datapoints = stream.datapoints(LabTime::secs(120), MINUTE, Statistic::Maximum, 2);
        assert_eq!(datapoints, [Some(1.0), Some(2.0)]);
    }

    #[test]
    fn what_is_no_number_is_not_kept() {
        let stream = stream(&[(10, f64::NAN), (20, f64::INFINITY)]);
        assert_eq!(stream.datapoints(LabTime::secs(60), MINUTE, Statistic::SampleCount, 1), [None]);
    }
}
