//! What controller and agent say to each other; versioned, tiny. No IO.

pub mod runtime_abi;
