//! How far a check is, on stderr: a bar on a terminal, plain lines elsewhere.

use crate::output;
use catchment_lab::Progress;
use catchment_report::escaped;
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
}

impl Bar {
    fn new() -> Self {
        Self { bar: ProgressBar::hidden() }
    }
}

impl Progress for Bar {
    fn phase(&mut self, name: &str, total: Option<u64>) {
        self.bar.finish_and_clear();
        let (bar, template) = match total {
            Some(total) => {
                let template = "{prefix} {wide_bar} {pos}/{len}, {per_sec}, {eta} left";
                (ProgressBar::new(total), template)
            }
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
}

impl<W: Write> Lines<W> {
    fn new(out: W) -> Self {
        Self { out, name: String::new(), total: None, done: 0, next: 0, last_line: Instant::now() }
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
        if self.done < self.next && self.last_line.elapsed() < LONGEST_SILENCE {
            return;
        }
        self.next = self.done + self.interval();
        let text = match self.total {
            Some(total) => format!("{}: {} of {total}", self.name, self.done),
            None => format!("{}: {}", self.name, self.done),
        };
        self.line(&text);
    }

    fn note(&mut self, text: &str) {
        self.line(text);
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
