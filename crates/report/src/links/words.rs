//! The words for what links are made of, the same in text and JSON.

use crate::text::{readable, simple_name, source_place};
use catchment_exceptions::{
    BlindSpot, FoundLink, Layer, LinkedPair, LinksAnswer, PointDescription, RaisedBy, Site,
};
use catchment_pairs::ClassLocation;

pub(crate) fn layer(layer: Layer) -> &'static str {
    match layer {
        Layer::Application => "application",
        Layer::Tests => "tests",
        Layer::Library => "library",
        Layer::Jdk => "jdk",
    }
}

/// The word of the contract, and what it means.
pub(crate) fn blind_spot(spot: BlindSpot) -> (&'static str, &'static str) {
    match spot {
        BlindSpot::Dynamic => ("dynamic", "dynamic calls that link themselves in a way that is not modelled"),
        BlindSpot::Native => ("native", "native code without a model"),
        BlindSpot::Missing => ("missing", "classes, methods or fields that are not there"),
        BlindSpot::Unreadable => ("unreadable", "methods whose code cannot be read"),
        BlindSpot::Parameter => ("parameter", "parameters of entry points that no object fits"),
        BlindSpot::Reflection => ("reflection", "reflective calls whose target is not a constant"),
    }
}

/// `com.acme.Cache.load  Cache.java:83`
pub(crate) fn place(place: &Site) -> String {
    let method = readable(&place.method);
    match place.line {
        Some(line) => {
            format!("{}.{method}  {}", place.class, source_place(place.file.as_deref(), Some(line)))
        }
        None => format!("{}.{method}", place.class),
    }
}

/// `DSK_READ`, `throw`, `JVM`, `native`.
pub(crate) fn raised_by(point: &PointDescription) -> &str {
    match &point.by {
        RaisedBy::Operation { kind, .. } => kind,
        RaisedBy::Throw => "throw",
        RaisedBy::Implicit => "JVM",
        RaisedBy::Native => "native",
    }
}

/// `FileNotFoundException`, `IOException or below`, or how many there are.
pub(crate) fn exceptions(link: &FoundLink) -> String {
    let name = simple_name(&link.exception);
    match link.exceptions.as_slice() {
        [] => name.to_owned(),
        [one] if one.is_exact => name.to_owned(),
        [_] => format!("{name} or below"),
        several => format!("{name} ({} types)", several.len()),
    }
}

/// The links that are meant by an id, by a number, or by parts of what raises and of the clause as they are printed,
/// `FileInputStream.read -> Cache.load`.
pub fn links_named(answer: &LinksAnswer, text: &str) -> Vec<FoundLink> {
    let text = text.trim();
    if let Some(link) = answer.links.iter().find(|link| link.id == text) {
        return vec![link.clone()];
    }
    if let Ok(number) = text.strip_prefix('#').unwrap_or(text).parse::<usize>() {
        return answer.links.iter().filter(|link| link.number == number).cloned().collect();
    }
    let (from, to) = text.split_once("->").unwrap_or((text, ""));
    let is_meant = |link: &&FoundLink| {
        let point = &answer.points[link.from];
        let raised = format!("{}  {}  {}", raised_by(point), place(&point.site), exceptions(link));
        raised.contains(from.trim()) && clause(&answer.pairs[link.to]).contains(to.trim())
    };
    answer.links.iter().filter(is_meant).cloned().collect()
}

/// `com.acme.Cache.load  Cache.java:83  catch IOException`
pub(crate) fn clause(linked: &LinkedPair) -> String {
    crate::text::clause_line(&linked.pair, &ClassLocation::default())
}
