//! Comparisons as Markdown, and the links that were not found.

use catchment_exceptions::{Analysis, Comparison};
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub(super) const HEADER: &str = "\
| suite | configuration | links found | links seen | of them found | excused | causes |
| --- | --- | ---: | ---: | ---: | ---: | --- |";

/// One suite under one configuration.
pub(super) struct Compared {
    suite: String,
    analysis: Analysis,
    /// How many are found in all; filters are asked about those that were seen only.
    links: Option<usize>,
    comparison: Comparison,
}

impl Compared {
    pub(super) fn new(suite: &str, analysis: Analysis, links: Option<usize>, comparison: Comparison) -> Self {
        Self { suite: suite.to_owned(), analysis, links, comparison }
    }

    /// Of a hundred links that were seen, those that are not found.
    pub(super) fn excused(&self) -> f64 {
        100.0 * self.comparison.unfound().count() as f64 / self.comparison.links.len().max(1) as f64
    }

    /// No link was seen: that says nothing about soundness.
    pub(super) fn is_empty(&self) -> bool {
        self.comparison.links.is_empty()
    }

    pub(super) fn line(&self) -> String {
        let causes = self.comparison.causes();
        let causes: Vec<String> = causes.iter().map(|(cause, count)| format!("{count} {cause}")).collect();
        let (seen, found) = (self.comparison.links.len(), self.comparison.found());
        let Self { suite, analysis, links, .. } = self;
        let links = links.map_or("–".to_owned(), |links| links.to_string());
        let (excused, causes) = (self.excused(), causes.join(", "));
        format!("| {suite} | {analysis} | {links} | {seen} | {found} | {excused:.1} % | {causes} |")
    }
}

/// Each link that some configuration does not find, once, with the configurations and their causes.
pub(super) fn unfound(all: &[Compared]) -> String {
    let mut by_link: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for compared in all {
        for (link, unfound) in compared.comparison.unfound() {
            let from = &link.from.site;
            let key = format!(
                "{}: {} in {}.{}:{} to {} {}",
                compared.suite,
                link.exceptions.join(", "),
                from.class,
                from.method,
                from.line.unwrap_or_default(),
                link.to.pair.class,
                link.to.pair.id,
            );
            let called = unfound.called.as_ref().map(|it| format!(" calls {}.{}", it.class, it.method));
            let at = &unfound.at;
            let line = at.line.unwrap_or_default();
            let place = format!("{}.{}:{line}{}", at.class, at.method, called.unwrap_or_default());
            by_link
                .entry(key)
                .or_default()
                .push(format!("{}: {} at {place}", compared.analysis, unfound.cause));
        }
    }
    let mut out = String::new();
    for (link, causes) in by_link {
        let _ = writeln!(out, "{link}");
        causes.iter().for_each(|cause| {
            let _ = writeln!(out, "    {cause}");
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_that_shows_no_link_is_no_success() {
        let comparison = Comparison { links: Vec::new(), set_aside: BTreeMap::new() };
        let compared = Compared::new("s", "rta".parse().unwrap(), Some(7), comparison);
        assert!(compared.is_empty());
        assert_eq!(compared.line(), "| s | rta | 7 | 0 | 0 | 0.0 % |  |");
    }
}
