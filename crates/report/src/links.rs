//! Reports of `catchment links`: the links (`text`, `json`), and one file for each view that is shown instead.

pub(crate) mod blind_spots;
pub(crate) mod catalogue;
pub(crate) mod escapes;
pub(crate) mod json;
pub(crate) mod paths;
pub(crate) mod recorded_json;
pub(crate) mod recorded_text;
pub(crate) mod text;
pub(crate) mod words;

use crate::handlers::{ClassLocation, ListedProblem};
use catchment_exceptions::{FoundLink, LinkGraph, LinksAnswer, WitnessPath};
use std::collections::BTreeMap;

/// An answer, with the time and memory that it took.
#[derive(Debug, Clone, PartialEq)]
pub struct LinksReport {
    pub answer: LinksAnswer,
    /// Elements of the class path that could not be read, and entries of the configuration that mean nothing.
    pub problems: Vec<ListedProblem>,
    /// Where classes of the program come from, by binary name with dots.
    pub locations: BTreeMap<String, ClassLocation>,
    pub seconds: f64,
    /// Peak memory, on systems that tell it.
    pub peak_mib: Option<u64>,
}

/// A link with its witness paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedLink {
    pub link: FoundLink,
    /// Some paths, the shortest first.
    pub paths: Vec<WitnessPath>,
    /// All calls by which it comes.
    pub graph: LinkGraph,
}
