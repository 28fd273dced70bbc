//! The patience with a JVM that says nothing.
//!
//! A suite is silent while one of its tests runs. One that waits for what never happens is to be ended soon, one that computes
//! something large is not: as long as a JVM uses the processor it is waited for longer, but not without end.

use std::time::{Duration, Instant};

/// A JVM that waits uses a little processor time too: less than one part in so many.
const IDLE_SHARE: u32 = 50;
/// The silence after which processor time is looked at for the first time. Most tests are done before.
const FIRST_LOOK: Duration = Duration::from_secs(1);

/// The time for which a JVM may say nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Silence {
    pub(crate) limit: Duration,
    /// As long as it is busy it may be silent for so many times the limit.
    pub(crate) times_if_busy: u32,
}

impl Silence {
    /// The same time for a JVM that is busy.
    pub(crate) fn of(limit: Duration) -> Self {
        Self { limit, times_if_busy: 1 }
    }
}

/// One wait for a word of a JVM.
#[derive(Debug)]
pub(super) struct Patience {
    limit: Duration,
    begun: Instant,
    end: Instant,
    /// How often the wait may still be made longer.
    longer: u32,
    /// Processor time that the JVM had used at a moment of this wait, or of the part of it by which it was made longer last.
    used: Option<(Instant, Duration)>,
}

impl Patience {
    pub(super) fn until(end: Instant) -> Self {
        Self { limit: Duration::ZERO, begun: end, end, longer: 0, used: None }
    }

    pub(super) fn with(silence: Silence, now: Instant) -> Self {
        let Silence { limit, times_if_busy } = silence;
        Self { limit, begun: now, end: now + limit, longer: times_if_busy.saturating_sub(1), used: None }
    }

    /// The time for which to wait on; `None` if it is over. `used` gives the processor time that the JVM has used so far.
    pub(super) fn left(&mut self, now: Instant, used: impl Fn() -> Duration) -> Option<Duration> {
        let is_due = now.saturating_duration_since(self.begun) >= FIRST_LOOK.min(self.limit / 2);
        if self.longer > 0 && self.used.is_none() && is_due {
            self.used = Some((now, used()));
        }
        if now >= self.end {
            let (then, before) = self.used.filter(|_| self.longer > 0)?;
            let by_now = used();
            let idle = now.duration_since(then) / IDLE_SHARE;
            // Children that nobody waited for take their time along: less than before is a sign too.
            if by_now >= before && by_now - before <= idle {
                return None;
            }
            self.longer -= 1;
            self.used = Some((now, by_now));
            self.end = now + self.limit;
        }
        Some(self.end.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seconds after which a JVM is given up that uses so much of the processor until a moment, looked at ten times a second.
    fn given_up_after(silence: Silence, percent: u64, busy_until: u64) -> u64 {
        let begin = Instant::now();
        let mut patience = Patience::with(silence, begin);
        let tick = Duration::from_millis(100);
        let after = (0..).find(|tenths: &u32| {
            let busy = u64::from(*tenths).min(busy_until * 10);
            patience.left(begin + tick * *tenths, || Duration::from_millis(busy * percent)).is_none()
        });
        u64::from(after.unwrap() / 10)
    }

    #[test]
    fn a_busy_jvm_is_waited_for_longer_than_one_that_waits_itself() {
        let silence = Silence { limit: Duration::from_secs(120), times_if_busy: 5 };
        assert_eq!(given_up_after(silence, 0, 0), 120);
        assert_eq!(given_up_after(silence, 1, 9999), 120, "as good as nothing");
        assert_eq!(given_up_after(silence, 90, 9999), 600);
        assert_eq!(given_up_after(silence, 90, 130), 360, "busy at the beginning only");
        assert_eq!(given_up_after(Silence::of(Duration::from_secs(120)), 90, 9999), 120);
    }

    #[test]
    fn a_deadline_is_kept_whatever_the_jvm_does() {
        let now = Instant::now();
        let mut patience = Patience::until(now + FIRST_LOOK);
        let busy = || Duration::from_secs(9);
        assert_eq!(patience.left(now, busy), Some(FIRST_LOOK));
        assert_eq!(patience.left(now + FIRST_LOOK, busy), None);
    }
}
