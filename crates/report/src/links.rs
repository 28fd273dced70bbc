//! What `catchment links` shows beside the answer of the analysis.

pub(crate) mod json;
pub(crate) mod more_json;
pub(crate) mod more_text;
pub(crate) mod recorded_json;
pub(crate) mod recorded_text;
pub(crate) mod text;
pub(crate) mod words;

use crate::handlers::{ClassLocation, ListedProblem};
use catchment_exceptions::{FoundLink, LinkGraph, LinksAnswer, WitnessPath};
use std::collections::BTreeMap;

/// An answer and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct LinksReport {
    pub answer: LinksAnswer,
    /// What of the class path could not be read, and what of the configuration means nothing.
    pub problems: Vec<ListedProblem>,
    /// Where classes of the program come from, by binary name with dots.
    pub locations: BTreeMap<String, ClassLocation>,
    pub seconds: f64,
    /// Where the system tells.
    pub peak_mib: Option<u64>,
}

/// A link and how it comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedLink {
    pub link: FoundLink,
    /// Some paths, the shortest first.
    pub paths: Vec<WitnessPath>,
    /// All calls by which it comes.
    pub graph: LinkGraph,
}
