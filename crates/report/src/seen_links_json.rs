//! What `catchment.links/1` says of the links that runs have gone through.

use crate::links_json::{
    JsonLinkedPair, JsonPlace, JsonRaisePoint, json_place, json_raise_point, linked_pair,
};
use catchment_exceptions::{Experienced, ExperiencedLink, Unfound};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(crate) struct JsonExperienced<'a> {
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
    from: JsonSeenRaise<'a>,
    to: &'a str,
    pair: JsonLinkedPair<'a>,
    cause: &'static str,
    reason: String,
    at: JsonPlace<'a>,
    called: Option<JsonPlace<'a>>,
}

#[derive(Serialize)]
struct JsonSeenRaise<'a> {
    #[serde(flatten)]
    point: JsonRaisePoint<'a>,
    exceptions: &'a [String],
}

/// `possible` is how many links were found.
pub(crate) fn json_experienced(experienced: &Experienced, possible: usize) -> JsonExperienced<'_> {
    let found = experienced.found();
    let mut causes = BTreeMap::new();
    for (cause, count) in experienced.causes() {
        *causes.entry(cause.name()).or_default() += count;
    }
    JsonExperienced {
        links: experienced.links.len(),
        found,
        not_found: experienced.links.len() - found,
        coverage: (possible > 0).then(|| found as f64 / possible as f64),
        unexplained: causes.get("unexplained").copied().unwrap_or(0),
        causes,
        set_aside: experienced.set_aside.iter().map(|(why, count)| (why.name(), *count)).collect(),
        not_found_links: experienced.unfound().map(|(link, unfound)| json_unfound(link, unfound)).collect(),
    }
}

fn json_unfound<'a>(link: &'a ExperiencedLink, unfound: &'a Unfound) -> JsonUnfound<'a> {
    JsonUnfound {
        from: JsonSeenRaise { point: json_raise_point(&link.from), exceptions: &link.exceptions },
        to: &link.to.pair.id,
        pair: linked_pair(&link.to),
        cause: unfound.cause.name(),
        reason: unfound.cause.to_string(),
        at: json_place(&unfound.at),
        called: unfound.called.as_ref().map(json_place),
    }
}
