//! The seventeen configurations of `catchment links`, and which of them is coarser than which.

use std::fmt;

/// The coarsest first.
const CALL_GRAPHS: [&str; 5] = ["cha", "rta", "pta", "inpta", "2obj"];
/// The coarsest first; no filter at all is coarser than any.
const FILTERS: [&str; 4] = ["dr", "cdr", "mdr", "vdr"];
/// From here on call graphs follow objects, which filters need.
const FIRST_WITH_OBJECTS: usize = 2;

/// A call graph and perhaps a filter, by their places in the lists above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Configuration {
    call_graph: usize,
    filter: Option<usize>,
}

impl Configuration {
    /// Tells whether each link of `other` has to be one of this configuration.
    pub(super) fn is_coarser_than(self, other: Self) -> bool {
        self != other && self.call_graph <= other.call_graph && self.filter <= other.filter
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(CALL_GRAPHS[self.call_graph])?;
        self.filter.map_or(Ok(()), |filter| write!(f, "+{}", FILTERS[filter]))
    }
}

/// All of them: call graphs, each followed by its filters.
pub(super) fn all() -> Vec<Configuration> {
    let filters = |call_graph| if call_graph < FIRST_WITH_OBJECTS { 0 } else { FILTERS.len() };
    let of = |call_graph| {
        let filtered = (0..filters(call_graph)).map(Some);
        std::iter::once(None).chain(filtered).map(move |filter| Configuration { call_graph, filter })
    };
    (0..CALL_GRAPHS.len()).flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Configuration {
        all().into_iter().find(|it| it.to_string() == name).unwrap()
    }

    #[test]
    fn there_are_seventeen_and_links_knows_them_by_these_names() {
        let names: Vec<String> = all().iter().map(Configuration::to_string).collect();
        assert_eq!(names.len(), 17);
        assert_eq!(names[..5], ["cha", "rta", "pta", "pta+dr", "pta+cdr"]);
        assert_eq!(names[16], "2obj+vdr");
    }

    #[test]
    fn both_call_graph_and_filter_make_a_configuration_finer() {
        let is_coarser = |one: &str, other: &str| named(one).is_coarser_than(named(other));
        assert!(is_coarser("cha", "rta") && is_coarser("rta", "2obj+vdr") && is_coarser("inpta", "2obj"));
        assert!(is_coarser("pta", "pta+dr") && is_coarser("pta+dr", "pta+cdr"));
        assert!(is_coarser("pta+mdr", "inpta+mdr"));
        assert!(!is_coarser("pta+dr", "inpta") && !is_coarser("inpta", "pta+dr"));
        assert!(!is_coarser("pta", "pta") && !is_coarser("2obj", "cha"));
    }
}
