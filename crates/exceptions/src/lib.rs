//! Which exceptions can come from where, and where they can go.

mod flow;
mod handlers;
mod links;
mod raises;

pub use flow::{Flow, Raises, flow};
pub use handlers::ClassHandlers;
pub use links::{Clause, Handlers, Link, links};
pub use raises::{OperationRaises, Raise, RaiseKind, Raised, RaisedTable};
