//! Witness paths: the calls between a try and a raising point.

pub(crate) mod link_graph;
pub(crate) mod ways;
pub(crate) mod witness;
