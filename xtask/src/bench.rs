//! `cargo xtask bench`: whole jobs with counts beside the times, so that a faster wrong answer is seen.

pub(crate) mod cache;
pub(crate) mod check;
pub(crate) mod ir;
pub(crate) mod links;
mod measured;
pub(crate) mod precision;
mod subjects;
pub(crate) mod timed;
pub(crate) mod watch;
pub(crate) mod weave;

use std::fmt;
use std::time::Duration;

/// Several measurements of one thing.
#[derive(Debug, Clone)]
pub(crate) struct Measurements(Vec<Duration>);

impl Measurements {
    pub(crate) fn new(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    pub(crate) fn median(&self) -> Duration {
        self.0.get(self.0.len() / 2).copied().unwrap_or_default()
    }

    pub(crate) fn slowest(&self) -> Duration {
        self.0.last().copied().unwrap_or_default()
    }
}

/// The median, and the whole spread.
impl fmt::Display for Measurements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) =
            (self.0.first().copied().unwrap_or_default(), self.0.last().copied().unwrap_or_default());
        let [median, first, last] = [self.median(), first, last].map(|time| time.as_secs_f64());
        write!(f, "{median:.3} s ({first:.3} to {last:.3}, {} runs)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_odd_number_is_the_middle_one() {
        let times = [5, 1, 3].map(Duration::from_secs).to_vec();
        let measurements = Measurements::new(times);
        assert_eq!(measurements.median(), Duration::from_secs(3));
        assert_eq!(measurements.to_string(), "3.000 s (1.000 to 5.000, 3 runs)");
    }
}
