//! Cost and results of two analyses of one subject, as rows of a Markdown table.

use super::{Analysis, Counts};
use crate::bar::verdict;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// How many times faster, and with how many times less memory.
const BAR_RATIO: f64 = 3.0;
/// The share of Tai-e's methods which a real run confirms that must be ours too.
const BAR_CONFIRMED: f64 = 0.98;

pub(super) const HEADER: &str = "\
| subject | analysis | time, s | CPU, s | peak, MiB | methods | call edges | executed methods reached |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |";

pub(super) const BARS: &str = "\
Times and memory are medians; the third row of a subject has Tai-e's figure divided by ours, and at its end the share of the
executed methods reached by Tai-e that are reached by us as well. Bars: time and memory 3, that share 0.98.";

/// The runs of one analysis on one subject.
#[derive(Debug, Clone)]
pub(super) struct Side {
    runs: Vec<Analysis>,
    reached: BTreeSet<String>,
}

impl Side {
    pub(super) fn new(runs: Vec<Analysis>, reached: BTreeSet<String>) -> Self {
        Self { runs, reached }
    }

    fn median<T: Ord + Copy + Default>(&self, figure: impl Fn(&Analysis) -> T) -> T {
        let mut figures: Vec<T> = self.runs.iter().map(figure).collect();
        figures.sort_unstable();
        figures.get(figures.len() / 2).copied().unwrap_or_default()
    }

    fn wall(&self) -> Duration {
        self.median(|run| run.measured.wall)
    }

    fn peak_mib(&self) -> u64 {
        self.median(|run| run.measured.peak_mib)
    }

    /// Of the last run: all runs of a subject say the same, or fail alike.
    fn counts(&self) -> Result<Counts, &str> {
        let last = self.runs.last().map_or(Err("not run"), |run| run.counts.as_ref().map_err(String::as_str));
        last.copied()
    }

    fn row(&self, subject: &str, name: &str, executed: &BTreeSet<String>) -> String {
        let [wall, cpu] = [self.wall(), self.median(|run| run.measured.cpu)].map(|time| time.as_secs_f64());
        let (peak, reached) = (self.peak_mib(), executed.intersection(&self.reached).count());
        let counts = match self.counts() {
            Ok(Counts { methods, edges }) => format!("{methods} | {edges}"),
            Err(why) => format!("{why} | "),
        };
        let all = executed.len();
        format!("| {subject} | {name} | {wall:.1} | {cpu:.1} | {peak} | {counts} | {reached} of {all} |\n")
    }
}

#[derive(Debug)]
pub(super) struct Comparison {
    subject: String,
    executed: BTreeSet<String>,
    tai_e: Side,
    pub(super) ours: Option<Side>,
    /// Shown beside the others; there is no bar for it.
    pub(super) wala: Option<Side>,
}

impl Comparison {
    pub(super) fn new(subject: &str, executed: BTreeSet<String>, tai_e: Side) -> Self {
        Self { subject: subject.to_owned(), executed, tai_e, ours: None, wala: None }
    }

    /// True as well if there is nothing to compare with.
    pub(super) fn is_met(&self) -> bool {
        let (Some(ours), Ok(_)) = (&self.ours, self.tai_e.counts()) else { return true };
        let [time, memory] = self.ratios(ours);
        let share = self.confirmed_share(ours);
        ours.counts().is_ok() && time >= BAR_RATIO && memory >= BAR_RATIO && share >= BAR_CONFIRMED
    }

    fn ratios(&self, ours: &Side) -> [f64; 2] {
        let time = self.tai_e.wall().as_secs_f64() / ours.wall().as_secs_f64();
        [time, self.tai_e.peak_mib() as f64 / ours.peak_mib() as f64]
    }

    /// The methods that ran and that Tai-e reaches.
    fn confirmed(&self) -> impl Iterator<Item = &String> {
        self.executed.intersection(&self.tai_e.reached)
    }

    fn confirmed_share(&self, ours: &Side) -> f64 {
        let both = self.confirmed().filter(|method| ours.reached.contains(*method)).count();
        both as f64 / self.confirmed().count().max(1) as f64
    }

    /// Lists what ran and was not reached, to be looked into.
    pub(super) fn write_missing(&self, folder: &Path) -> Result<()> {
        let write = |name: &str, methods: Vec<&str>| {
            let path = folder.join(name);
            fs::write(&path, methods.join("\n")).with_context(|| format!("cannot write {}", path.display()))
        };
        let by_tai_e = self.executed.difference(&self.tai_e.reached).map(String::as_str).collect();
        write("missed-by-tai-e.txt", by_tai_e)?;
        let Some(ours) = &self.ours else { return Ok(()) };
        let by_us = self.executed.difference(&ours.reached).map(String::as_str).collect();
        write("missed-by-us.txt", by_us)?;
        let only_by_us = self.confirmed().filter(|method| !ours.reached.contains(*method));
        write("missed-by-us-only.txt", only_by_us.map(String::as_str).collect())
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tai_e.row(&self.subject, "Tai-e", &self.executed))?;
        if let Some(wala) = &self.wala {
            f.write_str(&wala.row(&self.subject, "WALA", &self.executed))?;
        }
        let Some(ours) = &self.ours else { return Ok(()) };
        f.write_str(&ours.row(&self.subject, "Catchment", &self.executed))?;
        let (Ok(their_counts), Ok(our_counts)) = (self.tai_e.counts(), ours.counts()) else {
            let verdict = verdict(self.is_met() && ours.counts().is_ok());
            return writeln!(f, "| {} | no ratio, {verdict} | | | | | | |", self.subject);
        };
        let [time, memory] = self.ratios(ours);
        let cpu = |side: &Side| side.median(|run| run.measured.cpu).as_secs_f64();
        let count = |figure: fn(Counts) -> u64| figure(their_counts) as f64 / figure(our_counts) as f64;
        writeln!(
            f,
            "| {} | ratio, {} | {time:.1} | {:.1} | {memory:.1} | {:.2} | {:.2} | {:.4} |",
            self.subject,
            verdict(self.is_met()),
            cpu(&self.tai_e) / cpu(ours),
            count(|counts| counts.methods),
            count(|counts| counts.edges),
            self.confirmed_share(ours)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measured::Measured;

    fn side(seconds: &[u64], peak_mib: u64, reached: &[&str]) -> Side {
        let run = |&seconds: &u64| Analysis {
            measured: Measured {
                wall: Duration::from_secs(seconds),
                cpu: Duration::from_secs(2 * seconds),
                peak_mib,
            },
            counts: Ok(Counts { methods: reached.len() as u64, edges: 10 }),
        };
        Side::new(seconds.iter().map(run).collect(), names(reached))
    }

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn only_methods_that_ran_and_that_tai_e_reaches_are_asked_of_us() {
        let executed = names(&["a", "b", "c"]);
        let tai_e = side(&[90, 30, 60], 900, &["a", "b", "d", "e"]);
        let compare = |ours| {
            let mut comparison = Comparison::new("s", executed.clone(), tai_e.clone());
            comparison.ours = Some(ours);
            comparison
        };
        let met = compare(side(&[20], 300, &["a", "b"]));
        assert!(met.is_met());
        let missed = compare(side(&[20], 300, &["a", "c", "d", "e"]));
        assert!(!missed.is_met());
        assert_eq!(
            missed.to_string(),
            "| s | Tai-e | 60.0 | 120.0 | 900 | 4 | 10 | 2 of 3 |\n\
             | s | Catchment | 20.0 | 40.0 | 300 | 4 | 10 | 2 of 3 |\n\
             | s | ratio, MISSED | 3.0 | 3.0 | 3.0 | 1.00 | 1.00 | 0.5000 |\n"
        );
    }

    #[test]
    fn a_third_of_the_memory_is_asked_for_as_well() {
        let comparison = |ours| {
            let mut comparison = Comparison::new("s", names(&["a"]), side(&[60], 900, &["a"]));
            comparison.ours = Some(ours);
            comparison
        };
        assert!(comparison(side(&[1], 300, &["a"])).is_met());
        assert!(!comparison(side(&[1], 301, &["a"])).is_met());
        assert!(!comparison(side(&[21], 100, &["a"])).is_met());
    }

    #[test]
    fn a_subject_that_tai_e_fails_on_is_no_comparison_and_one_that_we_fail_on_is_missed() {
        let failing = |mut side: Side| {
            side.runs[0].counts = Err("failed".to_owned());
            side
        };
        let mut comparison = Comparison::new("s", names(&["a"]), failing(side(&[1], 9, &[])));
        comparison.ours = Some(side(&[20], 300, &["a"]));
        assert!(comparison.is_met());
        assert!(comparison.to_string().contains("no ratio, met"), "{comparison}");
        comparison.ours = Some(failing(side(&[1], 1, &["a"])));
        assert!(comparison.to_string().contains("no ratio, MISSED"), "{comparison}");
        comparison.tai_e = side(&[60], 900, &["a"]);
        assert!(!comparison.is_met());
    }
}
