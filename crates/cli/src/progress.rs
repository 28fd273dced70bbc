//! How far a check is, on stderr: a bar on a terminal, plain lines elsewhere.

use crate::output;
use catchment_lab::Progress;
use catchment_report::{escaped, finding_line, readable};
use catchment_verdicts::{CheckFinding, CheckedPair};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Plain lines come at each tenth of a phase, or after so many steps when nobody knows how many there are.
const STEPS_PER_LINE: u64 = 1000;
/// And after so long, where most of a phase may turn out to be needless.
const LONGEST_SILENCE: Duration = Duration::from_secs(60);

/// A bar if stderr is a terminal, lines otherwise.
pub(crate) fn on_stderr() -> Box<dyn Progress + Send> {
    if io::stderr().is_terminal() { Box::new(Bar::new()) } else { Box::new(Lines::new(io::stderr())) }
}

/// One bar for the phase at hand.
struct Bar {
    bar: ProgressBar,
    /// The step at hand, and what the rest will take.
    asks: String,
    left: Option<Duration>,
}

impl Bar {
    fn new() -> Self {
        Self { bar: ProgressBar::hidden(), asks: String::new(), left: None }
    }

    fn show_message(&self) {
        let left = self.left.map(|left| format!("{} left", in_words(left)));
        let parts: Vec<&str> = left
            .iter()
            .map(String::as_str)
            .chain((!self.asks.is_empty()).then_some(self.asks.as_str()))
            .collect();
        self.bar.set_message(parts.join(": "));
    }
}

impl Progress for Bar {
    fn phase(&mut self, name: &str, total: Option<u64>) {
        self.bar.finish_and_clear();
        (self.asks, self.left) = (String::new(), None);
        let (bar, template) = match total {
            Some(total) => (ProgressBar::new(total), "{prefix} {bar:20} {pos}/{len} {wide_msg}"),
            None => (ProgressBar::new_spinner(), "{prefix} {spinner} {elapsed}"),
        };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar = bar.with_style(style).with_prefix(escaped(name).into_owned());
        // Draws also while nothing is done, so that a long step does not look like a hang.
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    fn retotal(&mut self, total: u64) {
        self.bar.set_length(total);
    }

    fn step(&mut self, steps: u64) {
        self.bar.inc(steps);
    }

    fn reach(&mut self, done: u64, left: Option<Duration>) {
        self.bar.set_position(done);
        self.left = left;
        self.show_message();
    }

    fn asks(&mut self, what: &str) {
        self.asks = escaped(&readable(what)).into_owned();
        self.show_message();
    }

    fn finding(&mut self, pair: &CheckedPair, finding: &CheckFinding) {
        self.note(&format!("finding: {}", finding_line(pair, finding)));
    }

    fn note(&mut self, text: &str) {
        self.bar.suspend(|| output::tell(&text));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// For logs: few lines, none of them ever taken back.
struct Lines<W> {
    out: W,
    name: String,
    total: Option<u64>,
    done: u64,
    /// Value of `done` at which the next line is due.
    next: u64,
    last_line: Instant,
    asks: String,
    left: Option<Duration>,
}

impl<W: Write> Lines<W> {
    fn new(out: W) -> Self {
        Self {
            out,
            name: String::new(),
            total: None,
            done: 0,
            next: 0,
            last_line: Instant::now(),
            asks: String::new(),
            left: None,
        }
    }

    /// A log that cannot be written to is no reason to stop.
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}", output::line(&text));
        self.last_line = Instant::now();
    }

    fn interval(&self) -> u64 {
        self.total.map_or(STEPS_PER_LINE, |total| total.div_ceil(10)).max(1)
    }
}

impl<W: Write> Progress for Lines<W> {
    fn phase(&mut self, name: &str, total: Option<u64>) {
        (self.name, self.total, self.done) = (name.to_owned(), total, 0);
        self.next = self.interval();
        (self.asks, self.left) = (String::new(), None);
        match total {
            // Most often because an earlier check has done it all.
            Some(0) => {}
            Some(total) => self.line(&format!("{name}: {total} to do")),
            None => self.line(name),
        }
    }

    fn retotal(&mut self, total: u64) {
        self.total = Some(total);
        // Where there is far less to do than it seemed the next line comes sooner.
        self.next = self.next.min(self.done + self.interval());
    }

    fn step(&mut self, steps: u64) {
        self.done += steps;
        self.line_if_due();
    }

    fn reach(&mut self, done: u64, left: Option<Duration>) {
        // Not a line for every one of a few that have to be done again.
        (self.done, self.left) = (done, left);
        self.line_if_due();
    }

    fn asks(&mut self, what: &str) {
        self.asks = readable(what);
    }

    fn finding(&mut self, pair: &CheckedPair, finding: &CheckFinding) {
        self.line(&format!("finding: {}", finding_line(pair, finding)));
    }

    fn note(&mut self, text: &str) {
        self.line(text);
    }
}

impl<W: Write> Lines<W> {
    fn line_if_due(&mut self) {
        if self.done < self.next && self.last_line.elapsed() < LONGEST_SILENCE {
            return;
        }
        self.next = self.done + self.interval();
        let mut text = match self.total {
            Some(total) => format!("{}: {} of {total}", self.name, self.done),
            None => format!("{}: {}", self.name, self.done),
        };
        let is_more_to_come = self.total != Some(self.done);
        if let Some(left) = self.left.filter(|_| is_more_to_come) {
            text.push_str(&format!(", {} left", in_words(left)));
        }
        if is_more_to_come && !self.asks.is_empty() {
            text.push_str(&format!("; now {}", self.asks));
        }
        self.line(&text);
    }
}

/// `about 40 s`, `about 3 min`: no more exact than it can be.
fn in_words(left: Duration) -> String {
    match left.as_secs() {
        seconds @ 0..90 => format!("about {} s", seconds.div_ceil(10).max(1) * 10),
        seconds => format!("about {} min", seconds.div_ceil(60)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(act: impl FnOnce(&mut Lines<&mut Vec<u8>>)) -> String {
        let mut out = Vec::new();
        act(&mut Lines::new(&mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_phase_of_any_size_gives_about_ten_lines() {
        let text = lines(|lines| {
            lines.phase("experiments", Some(12345));
            (0..12345).for_each(|_| lines.step(1));
        });
        assert!(
            text.starts_with("catchment: experiments: 12345 to do\ncatchment: experiments: 1235 of 12345\n"),
            "{text}"
        );
        assert_eq!(text.lines().count(), 10);
    }

    #[test]
    fn after_a_long_silence_any_step_is_a_line() {
        let text = lines(|lines| {
            lines.phase("experiments", Some(10_000));
            lines.step(1);
            let Some(long_ago) = lines.last_line.checked_sub(LONGEST_SILENCE) else { return };
            lines.last_line = long_ago;
            lines.step(1);
            lines.step(1);
        });
        assert_eq!(text, "catchment: experiments: 10000 to do\ncatchment: experiments: 2 of 10000\n");
    }

    #[test]
    fn clauses_are_counted_with_what_is_asked_and_the_time_that_is_left() {
        let text = lines(|lines| {
            lines.phase("clauses", Some(3));
            lines.asks("a.Cache.load  Cache.java:83, by a.CacheTest.corrupt");
            lines.reach(1, Some(Duration::from_secs(61)));
            lines.reach(0, None);
            lines.reach(1, Some(Duration::from_secs(200)));
            lines.reach(2, Some(Duration::from_secs(200)));
            lines.reach(3, None);
        });
        let now = "now a.Cache.load  Cache.java:83, by a.CacheTest.corrupt";
        let expected = format!(
            "catchment: clauses: 3 to do\ncatchment: clauses: 1 of 3, about 70 s left; {now}\n\
             catchment: clauses: 2 of 3, about 4 min left; {now}\ncatchment: clauses: 3 of 3\n"
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn every_step_of_a_short_phase_is_a_line() {
        let text = lines(|lines| {
            lines.phase("suite", Some(2));
            lines.step(1);
            lines.step(1);
            lines.phase("nothing", Some(0));
            lines.phase("build", None);
            lines.note("parallel execution is off");
        });
        let expected = "\
catchment: suite: 2 to do
catchment: suite: 1 of 2
catchment: suite: 2 of 2
catchment: build
catchment: parallel execution is off
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_phase_that_shrinks_gives_lines_too() {
        let text = lines(|lines| {
            lines.phase("experiments", Some(10_000));
            lines.step(1);
            lines.retotal(100);
            (1..100).for_each(|_| lines.step(1));
        });
        assert_eq!(text.lines().nth(1), Some("catchment: experiments: 11 of 100"), "{text}");
        assert_eq!(text.lines().count(), 10, "{text}");
    }

    #[test]
    fn the_total_may_change_and_be_unknown() {
        let text = lines(|lines| {
            lines.phase("experiments", Some(10));
            lines.retotal(20);
            lines.step(5);
            lines.phase("solo", None);
            lines.step(1500);
        });
        assert!(text.contains("experiments: 5 of 20\n"), "{text}");
        assert!(text.contains("solo: 1500\n"), "{text}");
    }
}
