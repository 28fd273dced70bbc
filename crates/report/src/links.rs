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
use catchment_exceptions::{FoundLink, LinkGraph, LinkedPair, LinksAnswer, Site, WitnessPath};
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
    pub locations: Locations,
    pub seconds: f64,
    /// Peak memory, on systems that tell it.
    pub peak_mib: Option<u64>,
}

impl LinksReport {
    /// Names of source files become paths from the top of the repository, where they are known: for people, who want to
    /// open them.
    pub fn show_paths(&mut self) {
        let Self { answer, locations, .. } = self;
        let points = answer.points.iter_mut().map(|point| &mut point.site);
        let blind = answer.blind_spots.iter_mut().map(|blind| &mut blind.site);
        points.chain(blind).for_each(|site| show_path(locations, site));
        answer.pairs.iter_mut().for_each(|linked| show_path_of_clause(locations, linked));
        for link in answer.comparison.iter_mut().flat_map(|comparison| &mut comparison.links) {
            show_path(locations, &mut link.from.site);
            show_path_of_clause(locations, &mut link.to);
            if let Err(unfound) = &mut link.found {
                show_path(locations, &mut unfound.at);
                unfound.called.iter_mut().for_each(|site| show_path(locations, site));
            }
        }
    }

    /// The same for sites that a view has of its own.
    pub fn show_paths_of<'a>(&self, sites: impl Iterator<Item = &'a mut Site>) {
        sites.for_each(|site| show_path(&self.locations, site));
    }

    /// The location of a class; an empty one if it is not known.
    fn location_of(&self, class: &str) -> &ClassLocation {
        const UNKNOWN: &ClassLocation = &ClassLocation { source: None, module: None, jar: None };
        self.locations.get(class).unwrap_or(UNKNOWN)
    }
}

type Locations = BTreeMap<String, ClassLocation>;

fn show_path(locations: &Locations, site: &mut Site) {
    let source = locations.get(&site.class).and_then(|location| location.source_of(site.file.as_deref()));
    site.file = source.map(str::to_owned).or_else(|| site.file.take());
}

fn show_path_of_clause(locations: &Locations, LinkedPair { pair, .. }: &mut LinkedPair) {
    let location = locations.get(&pair.class);
    let source = location.and_then(|location| location.source_of(pair.source_file.as_deref()));
    pair.source_file = source.map(str::to_owned).or_else(|| pair.source_file.take());
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
