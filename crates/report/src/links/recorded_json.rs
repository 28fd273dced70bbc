//! The comparison with a recording in `catchment.links/2`.

use crate::links::LinksReport;
use crate::links::json::{
    JsonLinkedPair, JsonPoint, JsonSiteWithFile, json_point, linked_pair, site_with_file,
};
use catchment_exceptions::{Comparison, RecordedLink, Unfound};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(crate) struct JsonComparison<'a> {
    links: usize,
    found: usize,
    not_found: usize,
    /// Share of the links of the answer that the recording went through, from 0 to 1; nothing if the answer has none.
    coverage: Option<f64>,
    causes: BTreeMap<&'static str, usize>,
    unexplained: usize,
    set_aside: BTreeMap<&'static str, usize>,
    not_found_links: Vec<JsonUnfound<'a>>,
}

#[derive(Serialize)]
struct JsonUnfound<'a> {
    from: JsonRecordedPoint<'a>,
    to: &'a str,
    pair: JsonLinkedPair<'a>,
    cause: &'static str,
    reason: String,
    at: JsonSiteWithFile<'a>,
    called: Option<JsonSiteWithFile<'a>>,
}

#[derive(Serialize)]
struct JsonRecordedPoint<'a> {
    #[serde(flatten)]
    point: JsonPoint<'a>,
    exceptions: &'a [String],
}

/// The links of runs beside those of the answer.
pub(crate) fn json_comparison<'a>(report: &'a LinksReport, comparison: &'a Comparison) -> JsonComparison<'a> {
    let possible = report.answer.links.len();
    let found = comparison.found();
    let mut causes = BTreeMap::new();
    for (cause, count) in comparison.causes() {
        *causes.entry(cause.name()).or_default() += count;
    }
    JsonComparison {
        links: comparison.links.len(),
        found,
        not_found: comparison.links.len() - found,
        coverage: (possible > 0).then(|| found as f64 / possible as f64),
        unexplained: causes.get("unexplained").copied().unwrap_or(0),
        causes,
        set_aside: comparison.set_aside.iter().map(|(why, count)| (why.name(), *count)).collect(),
        not_found_links: comparison
            .unfound()
            .map(|(link, unfound)| json_unfound(report, link, unfound))
            .collect(),
    }
}

fn json_unfound<'a>(
    report: &'a LinksReport,
    link: &'a RecordedLink,
    unfound: &'a Unfound,
) -> JsonUnfound<'a> {
    JsonUnfound {
        from: JsonRecordedPoint { point: json_point(report, &link.from), exceptions: &link.exceptions },
        to: &link.to.pair.id,
        pair: linked_pair(report, &link.to),
        cause: unfound.cause.name(),
        reason: unfound.cause.to_string(),
        at: site_with_file(report, &unfound.at),
        called: unfound.called.as_ref().map(|called| site_with_file(report, called)),
    }
}
