//! What `catchment links` shows beside the answer of the analysis.

use crate::listing::ListedProblem;
use catchment_exceptions::LinksAnswer;

/// An answer and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct LinksReport {
    pub answer: LinksAnswer,
    /// What of the class path could not be read.
    pub problems: Vec<ListedProblem>,
    pub seconds: f64,
    /// Where the system tells.
    pub peak_mib: Option<u64>,
}
