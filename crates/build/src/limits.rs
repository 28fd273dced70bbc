//! The time that a build may take: until its deadline, and as long as it shows a sign of life.
//!
//! A sign of life is a line of output, or processor time. A JVM that waits uses a little of the latter too, so what counts
//! is more than that.

use crate::processes::processor_time;
use std::time::{Duration, Instant};

/// A build without a sign of life for so long hangs, unless the user says otherwise.
const SILENCE: Duration = Duration::from_secs(600);
/// How often processor time is looked at.
const LOOK: Duration = Duration::from_secs(1);
/// Processor time that says nothing: so much at once, and one part in so many of the time that has passed.
const IDLE_AT_ONCE: Duration = Duration::from_millis(200);
const IDLE_SHARE: u32 = 50;
/// Lines of its log that are shown of a build that was ended.
const LAST_LINES: usize = 10;

/// Limits on the time of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildLimits {
    /// The moment at which a build that is still running is ended.
    pub deadline: Option<Instant>,
    /// The time without a sign of life after which a build is ended.
    pub silence: Duration,
}

impl Default for BuildLimits {
    fn default() -> Self {
        Self { deadline: None, silence: SILENCE }
    }
}

/// The limit that a build has run into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    Deadline,
    /// No sign of life for so long.
    Silence(Duration),
}

/// A build that was ended before it came to an end by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BuildCut {
    pub(crate) limit: Limit,
    /// The reason in one line: the limit, and what was running.
    pub(crate) what: String,
}

impl BuildCut {
    /// `running` is what was running, as far as the log tells.
    pub(crate) fn new(limit: Limit, running: Option<&str>) -> Self {
        let what = match limit {
            Limit::Deadline => "the budget was used up before the build had ended".to_owned(),
            Limit::Silence(silence) => {
                format!("the build hangs: no output and no processor time for {}", in_words(silence))
            }
        };
        let what = running.map_or(what.clone(), |running| format!("{what}, while {running} was running"));
        Self { limit, what }
    }

    /// Shows what the build said last.
    pub(crate) fn tell(&self, log: &str, progress: &mut dyn FnMut(&str)) {
        progress(&format!("{}; it was ended. The last lines of its log:", self.what));
        last_lines(log).iter().for_each(|line| progress(&format!("  {line}")));
    }
}

/// `10 minutes`, `90 seconds`.
fn in_words(time: Duration) -> String {
    match time.as_secs() {
        60 => "1 minute".to_owned(),
        seconds if seconds > 0 && seconds.is_multiple_of(60) => format!("{} minutes", seconds / 60),
        1 => "1 second".to_owned(),
        seconds => format!("{seconds} seconds"),
    }
}

/// The last lines of a log that say something.
fn last_lines(log: &str) -> Vec<&str> {
    let lines: Vec<&str> = log.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].to_vec()
}

/// Watches a running build for the limits.
#[derive(Debug)]
pub(crate) struct Watchdog {
    limits: BuildLimits,
    /// The process group of the build.
    group: u32,
    sign_of_life: Instant,
    /// Processor time at that moment.
    used: Duration,
    last_look: Instant,
}

impl Watchdog {
    pub(crate) fn new(limits: BuildLimits, group: u32) -> Self {
        let now = Instant::now();
        Self { limits, group, sign_of_life: now, used: Duration::ZERO, last_look: now }
    }

    /// The limit that the build has run into by now, if any. `has_spoken`: there is new output.
    pub(crate) fn limit(&mut self, has_spoken: bool) -> Option<Limit> {
        let now = Instant::now();
        if self.limits.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Limit::Deadline);
        }
        if has_spoken || now.duration_since(self.last_look) >= LOOK {
            self.last_look = now;
            self.look(has_spoken, now, processor_time(self.group));
        }
        let silent = now.duration_since(self.sign_of_life);
        (silent >= self.limits.silence).then_some(Limit::Silence(self.limits.silence))
    }

    fn look(&mut self, has_spoken: bool, now: Instant, used: Duration) {
        let idle = IDLE_AT_ONCE + now.duration_since(self.sign_of_life) / IDLE_SHARE;
        // Children that nobody waited for take their time along: less than before is a sign too.
        let is_alive = used < self.used || used - self.used > idle;
        if has_spoken || is_alive {
            (self.sign_of_life, self.used) = (now, used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn watchdog() -> Watchdog {
        Watchdog::new(BuildLimits::default(), 0)
    }

    /// Seconds of silence after looks at these moments, in seconds, with so much processor time, in milliseconds.
    fn silent_after(looks: &[(u32, u64, bool)]) -> u64 {
        let mut watchdog = watchdog();
        let begin = watchdog.sign_of_life;
        let mut now = begin;
        for (at, used, has_spoken) in looks {
            now = begin + SECOND * *at;
            watchdog.look(*has_spoken, now, Duration::from_millis(*used));
        }
        now.duration_since(watchdog.sign_of_life).as_secs()
    }

    #[test]
    fn output_and_processor_time_are_signs_of_life_and_the_idling_of_a_jvm_is_none() {
        assert_eq!(silent_after(&[(300, 0, false)]), 300);
        assert_eq!(silent_after(&[(300, 2_000, false), (600, 4_000, false)]), 600, "a JVM that waits");
        assert_eq!(silent_after(&[(10, 1_000, false), (300, 1_100, false)]), 290);
        assert_eq!(silent_after(&[(200, 0, true), (300, 0, false)]), 100);
        assert_eq!(silent_after(&[(1, 9_000, false), (2, 100, false), (300, 100, false)]), 298);
    }

    #[test]
    fn a_deadline_that_has_passed_is_a_limit_at_once() {
        let limits = BuildLimits { deadline: Some(Instant::now()), ..BuildLimits::default() };
        assert_eq!(Watchdog::new(limits, 0).limit(true), Some(Limit::Deadline));
        assert_eq!(watchdog().limit(true), None);
    }

    #[test]
    fn the_limit_and_what_was_running_are_named() {
        let hangs = BuildCut::new(Limit::Silence(SILENCE), Some("acme.ReadsTest"));
        assert_eq!(
            hangs.what,
            "the build hangs: no output and no processor time for 10 minutes, while acme.ReadsTest was running"
        );
        let late = BuildCut::new(Limit::Deadline, None);
        assert_eq!(late.what, "the budget was used up before the build had ended");
        assert_eq!(
            [1, 60, 90].map(|seconds| in_words(SECOND * seconds)),
            ["1 second", "1 minute", "90 seconds"]
        );
        assert_eq!(last_lines("a\n\nb\n"), ["a", "b"]);
    }
}
