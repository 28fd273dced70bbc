//! The copy of the user's tree in which everything runs.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    /// The copy.
    pub root: PathBuf,
    /// The user's tree, which nobody writes to.
    pub original: PathBuf,
}
