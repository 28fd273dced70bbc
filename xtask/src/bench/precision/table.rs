//! Counts as Markdown: a line for each configuration while they run, and at the end one for each subject.

use super::configurations::Configuration;
use super::counted::Counted;
use std::fmt::Write as _;

pub(super) const HEADER: &str = "\
| subject | configuration | links | methods | time, s | peak, MiB |
| --- | --- | ---: | ---: | ---: | ---: |";

pub(super) fn line(subject: &str, configuration: Configuration, counted: &Counted) -> String {
    let found = match &counted.found {
        Ok(found) => format!("{} | {}", found.links.len(), found.methods),
        Err(why) => format!("{why} | "),
    };
    let (wall, peak) = (counted.measured.wall.as_secs_f64(), counted.measured.peak_mib);
    format!("| {subject} | {configuration} | {found} | {wall:.1} | {peak} |")
}

/// The links of one subject, configuration by configuration.
#[derive(Debug)]
pub(super) struct SubjectRow {
    subject: String,
    links: Vec<Option<usize>>,
}

impl SubjectRow {
    pub(super) fn new(subject: &str, counted: &[(Configuration, Counted)]) -> Self {
        let links = counted.iter().map(|(_, counted)| Some(counted.found.as_ref().ok()?.links.len()));
        Self { subject: subject.to_owned(), links: links.collect() }
    }
}

pub(super) fn summary(configurations: &[Configuration], rows: &[SubjectRow]) -> String {
    let mut out = String::from("| links |");
    configurations.iter().for_each(|configuration| {
        let _ = write!(out, " {configuration} |");
    });
    let _ = writeln!(out, "\n| --- |{}", " ---: |".repeat(configurations.len()));
    for row in rows {
        let _ = write!(out, "| {} |", row.subject);
        for links in &row.links {
            let _ = write!(out, " {} |", links.map_or_else(|| "–".to_owned(), |links| links.to_string()));
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measured::Measured;
    use crate::bench::precision::configurations;
    use std::time::Duration;

    #[test]
    fn what_was_ended_is_shown_as_such() {
        let measured =
            Measured { wall: Duration::from_secs(600), cpu: Duration::from_secs(600), peak_mib: 900 };
        let counted = Counted { measured, found: Err("ended at the limit".to_owned()) };
        let cha = configurations::all()[0];
        assert_eq!(line("s", cha, &counted), "| s | cha | ended at the limit |  | 600.0 | 900 |");
        let rows = [SubjectRow::new("s", &[(cha, counted)])];
        assert_eq!(summary(&[cha], &rows), "| links | cha |\n| --- | ---: |\n| s | – |\n");
    }
}
