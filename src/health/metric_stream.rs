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
    /// A sample. A value that is no finite number is not kept, as CloudWatch refuses it.
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
