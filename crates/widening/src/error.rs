//! Errors: the reasons why nothing can be said about a clause, or its class not be changed.

use catchment_classfile::ClassError;
use catchment_flow::FlowError;

/// The reason why a class could not be read, followed or changed.
#[derive(Debug, thiserror::Error)]
pub enum WideningError {
    #[error(transparent)]
    Flow(#[from] FlowError),
    #[error("its class has changed")]
    NoSuchClause,
    #[error("its tries look different then")]
    OtherTries,
}

impl From<ClassError> for WideningError {
    fn from(error: ClassError) -> Self {
        Self::Flow(error.into())
    }
}
