//! Which exceptions can come from where, and where they can go.

mod catalogue;
mod flow;
mod handlers;
mod links;
mod raises;
mod tables;

pub use catalogue::{Catalogue, FaultKind, Kind, Operation};
pub use flow::{Flow, Raises, flow};
pub use handlers::ClassHandlers;
pub use links::{Clause, Handlers, Link, links};
pub use raises::{OperationRaises, Raise, RaiseKind, Raised, RaisedTable};
pub use tables::{CatalogueError, FaultTable};
