//! The comparison with a recording in `catchment.links/2`.

use crate::links::json::{JsonLinkedPair, JsonPlace, JsonPoint, json_place, json_point, linked_pair};
use catchment_exceptions::{Comparison, LinksAnswer, RecordedLink, Unfound};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(crate) struct JsonComparison<'a> {
    links: usize,
    found: usize,
    not_found: usize,
    /// How much of what is possible was experienced, from 0 to 1; nothing where nothing is possible.
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
    at: JsonPlace<'a>,
    called: Option<JsonPlace<'a>>,
}

#[derive(Serialize)]
struct JsonRecordedPoint<'a> {
    #[serde(flatten)]
    point: JsonPoint<'a>,
    exceptions: &'a [String],
}

/// The links of runs beside those of the answer.
pub(crate) fn json_comparison<'a>(comparison: &'a Comparison, answer: &'a LinksAnswer) -> JsonComparison<'a> {
    let possible = answer.links.len();
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
            .map(|(link, unfound)| json_unfound(answer, link, unfound))
            .collect(),
    }
}

fn json_unfound<'a>(
    answer: &'a LinksAnswer,
    link: &'a RecordedLink,
    unfound: &'a Unfound,
) -> JsonUnfound<'a> {
    JsonUnfound {
        from: JsonRecordedPoint { point: json_point(&link.from, answer), exceptions: &link.exceptions },
        to: &link.to.pair.id,
        pair: linked_pair(&link.to),
        cause: unfound.cause.name(),
        reason: unfound.cause.to_string(),
        at: json_place(&unfound.at),
        called: unfound.called.as_ref().map(json_place),
    }
}
