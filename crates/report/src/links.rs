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

use crate::handlers::ListedProblem;
use catchment_exceptions::{FoundLink, LinkGraph, LinksAnswer, WitnessPath};
use catchment_pairs::ClassLocation;
use std::collections::BTreeMap;
use std::iter;

/// An answer, with the time and memory that it took.
#[derive(Debug, Clone, PartialEq)]
pub struct LinksReport {
    pub answer: LinksAnswer,
    /// Elements of the class path that could not be read, and entries of the configuration that mean nothing.
    pub problems: Vec<ListedProblem>,
    /// Locations of the classes of the program that the view shows, by binary name with dots.
    pub locations: BTreeMap<String, ClassLocation>,
    pub seconds: f64,
    /// Peak memory, on systems that tell it.
    pub peak_mib: Option<u64>,
}

impl LinksReport {
    /// The location of a class; an empty one if it is not known.
    fn location_of(&self, class: &str) -> &ClassLocation {
        const UNKNOWN: &ClassLocation = &ClassLocation { source: None, module: None, jar: None };
        self.locations.get(class).unwrap_or(UNKNOWN)
    }
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

impl ExplainedLink {
    /// Classes of its pair and of all its sites.
    pub fn classes<'a>(&'a self, answer: &'a LinksAnswer) -> impl Iterator<Item = &'a str> {
        let frames = self.paths.iter().flat_map(|path| &path.frames).map(|frame| &frame.site);
        let stations = self.graph.stations.iter().map(|station| &station.method);
        let point = iter::once(&answer.points[self.link.from].site);
        let sites = point.chain(frames).chain(stations).map(|site| &site.class);
        sites.chain([&answer.pairs[self.link.to].pair.class]).map(String::as_str)
    }
}
