//! Which exceptions can come from where, and where they can go.
//!
//! ```text
//! classes ──► call graph ──► exception flow ──► links ──► answer: names, lines, pair ids
//!             (pointsto)          ▲                          │
//!                       throws, catalogue               witness paths, escapes
//! ```

mod above;
mod analysis;
mod answer;
mod catalogue;
mod container_methods;
mod describe;
mod entry_points;
mod escapes;
mod experienced;
mod fate;
mod flow;
mod handlers;
mod link_graph;
mod links;
mod main_methods;
mod missing;
mod named_methods;
mod operations;
mod privileged;
mod raises;
mod reachability;
mod scope;
mod search;
mod seen;
mod selection;
mod spreading;
mod tables;
mod test_methods;
mod thrown_again;
mod ways;
mod witness;
mod wrapping;

pub use analysis::{Analysis, AnalysisError, Base, CallGraph, DataFilter};
pub use answer::{
    BlindPlace, CataloguedOperation, ClassProblem, Escapes, EscapingException, ExceptionType, FoundLink,
    Frame, LinkGraph, LinkedPair, LinksAnswer, MemoryUse, Passage, Place, RaisePoint, RaisedBy, Station,
    StationKind, WitnessPath,
};
pub use catalogue::{Catalogue, FaultKind, Kind, Operation};
pub use catchment_pointsto::world::{ClassSource, Layer, ModuleServices, services_file};
pub use catchment_pointsto::{BlindSpot, Ceiling, Coarsened, Recorded, Stats};
pub use entry_points::{EntryError, EntryKind, EntryPoints, OwnClasses};
pub use experienced::{Cause, Experienced, ExperiencedLink, SetAside, Unfound};
pub use flow::{Flow, Raises, flow, flow_within};
pub use handlers::ClassHandlers;
pub use links::{Clause, Handlers, Link, links};
pub use operations::{FaultProblem, FaultSelection, Match, UnknownFault};
pub use raises::{OperationRaises, Raise, RaiseKind, Raised, RaisedTable};
pub use reachability::filter;
pub use scope::Scope;
pub use search::{FormerRuns, LinkSearch, SearchError, SearchRequest, Stage, search, search_from, search_on};
pub use seen::{Seen, SeenCatch, SeenFrame, SeenMethod, SeenTarget, experienced_under};
pub use selection::LinkSelection;
pub use tables::{CatalogueError, FaultTable};
