//! Exception flow of a program: the raising points of exceptions, and the clauses they can come to.
//!
//! ```text
//! classes ──► call graph ──► exception flow ──► links ──► answer: names, lines, pair ids
//!             (pointsto)          ▲                          │
//!                       throws, catalogue               witness paths, escapes
//! ```

mod analysis;
mod answer;
mod catalogue;
mod describe;
mod entry_points;
mod escapes;
mod exception_flow;
mod link_id;
mod link_sites;
mod links;
mod paths;
mod reachability;
mod recording;
mod search;
mod selection;

pub use analysis::{Analysis, AnalysisError, CallGraph, DataFilter, JdkBase};
pub use answer::{
    BlindSite, CataloguedOperation, ClassProblem, Escapes, EscapingException, ExceptionType, FoundLink,
    Frame, LinkGraph, LinkedPair, LinksAnswer, MemoryUse, Passage, PointDescription, RaisedBy, Site, Station,
    StationKind, WitnessPath,
};
pub use catalogue::operations::{FaultProblem, FaultSelection, Match, UnknownFault};
pub use catalogue::tables::{CatalogueError, FaultTable};
pub use catalogue::{Catalogue, FaultKind, FaultKindEntry, Operation};
pub use catchment_pointsto::{BlindSpot, Ceiling, Coarsened, ReflectiveTarget, Stats};
pub use catchment_pointsto::{ClassSource, Layer, ModuleServices, services_file};
pub use entry_points::{EntryError, EntryKind, EntryPoints, OwnClasses};
pub use exception_flow::raising_points::RaisedException;
pub use exception_flow::scope::Scope;
pub use exception_flow::{ExceptionFlow, ExceptionFlowOptions, exception_flow};
pub use links::{Clause, ClauseScope, Link, links};
pub use reachability::filter;
pub use recording::comparison::{Cause, Comparison, RecordedLink, SetAside, Unfound};
pub use recording::{RecordedCatch, RecordedFrame, RecordedMethod, RecordedTarget, Recording, compare_under};
pub use search::{
    AnalysisCache, LinkSearch, SearchError, SearchRequest, Stage, search, search_from, search_unfiltered,
};
pub use selection::LinkSelection;
