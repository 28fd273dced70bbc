//! The analyses by name, and the one place where one is chosen.
//!
//! ```text
//! cha | rta                                        call graph by types alone
//! pta | inpta | 2obj  [+dr | +cdr | +mdr | +vdr]   call graph by objects, perhaps with a filter by data reachability
//! ```

use catchment_pointsto::MethodId;
use catchment_pointsto::{
    CallGraphKind, Ceiling, Coarsened, ImplicitKinds, Options, Reached, ReflectiveTarget, Refusal,
    Sensitivity, analyse_with_targets, analyse_within,
};
use catchment_pointsto::{ClassSource, World};
use std::fmt;
use std::str::FromStr;

/// The way in which calls find their targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallGraph {
    /// By the hierarchy of classes.
    Cha,
    /// By the classes that are instantiated.
    Rta,
    /// By the objects that flow to the receiver.
    Pta,
    /// [`Self::Pta`] with call-site sensitivity for constructors that store parameters.
    Inpta,
    /// [`Self::Inpta`] with object sensitivity of depth two.
    TwoObj,
}

impl CallGraph {
    /// This call graph has a [`JdkBase`] to go on from.
    pub fn has_base(self) -> bool {
        !matches!(self, Self::Cha | Self::Rta)
    }
}

/// Data reachability that must hold between a try and a raising point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DataFilter {
    Dr,
    Cdr,
    Mdr,
    Vdr,
}

/// A call graph, and perhaps a filter on top of it. Filters need objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Analysis {
    call_graph: CallGraph,
    filter: Option<DataFilter>,
}

/// Why a name is no analysis.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnalysisError {
    #[error(
        "'{0}' is no analysis: cha, rta, pta, inpta or 2obj, the last three perhaps with +dr, +cdr, +mdr or +vdr"
    )]
    Unknown(String),
    #[error("'{0}': filters need pta, inpta or 2obj")]
    FilterWithoutObjects(String),
}

const CALL_GRAPHS: [(&str, CallGraph); 5] = [
    ("cha", CallGraph::Cha),
    ("rta", CallGraph::Rta),
    ("pta", CallGraph::Pta),
    ("inpta", CallGraph::Inpta),
    ("2obj", CallGraph::TwoObj),
];
const FILTERS: [(&str, DataFilter); 4] =
    [("dr", DataFilter::Dr), ("cdr", DataFilter::Cdr), ("mdr", DataFilter::Mdr), ("vdr", DataFilter::Vdr)];

impl Analysis {
    /// The analysis to fall back to where objects take too much memory.
    pub(crate) const BY_CLASSES: Self = Self { call_graph: CallGraph::Rta, filter: None };

    pub fn call_graph(self) -> CallGraph {
        self.call_graph
    }

    pub fn filter(self) -> Option<DataFilter> {
        self.filter
    }

    /// With this filter or none, on the same call graph.
    pub fn with(self, filter: Option<DataFilter>) -> Self {
        Self { filter, ..self }
    }
}

impl Default for Analysis {
    /// The most precise that stays cheap on large programs.
    fn default() -> Self {
        Self { call_graph: CallGraph::Inpta, filter: None }
    }
}

impl FromStr for Analysis {
    type Err = AnalysisError;

    fn from_str(name: &str) -> Result<Self, AnalysisError> {
        let unknown = || AnalysisError::Unknown(name.to_owned());
        let (call_graph, filter) = name.split_once('+').map_or((name, None), |(one, two)| (one, Some(two)));
        let call_graph = named(&CALL_GRAPHS, call_graph).ok_or_else(unknown)?;
        let filter = filter.map(|filter| named(&FILTERS, filter).ok_or_else(unknown)).transpose()?;
        if filter.is_some() && matches!(call_graph, CallGraph::Cha | CallGraph::Rta) {
            return Err(AnalysisError::FilterWithoutObjects(name.to_owned()));
        }
        Ok(Self { call_graph, filter })
    }
}

impl fmt::Display for Analysis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(name_of(&CALL_GRAPHS, self.call_graph))?;
        self.filter.map_or(Ok(()), |filter| write!(out, "+{}", name_of(&FILTERS, filter)))
    }
}

fn named<T: Copy>(names: &[(&str, T)], wanted: &str) -> Option<T> {
    names.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value)
}

fn name_of<T: PartialEq>(names: &[(&'static str, T)], wanted: T) -> &'static str {
    names.iter().find(|(_, value)| *value == wanted).map_or("", |(name, _)| name)
}

/// The base: what the JVM itself reaches, solved once for many programs.
#[derive(Debug, Clone)]
pub struct JdkBase<'a> {
    solved: catchment_pointsto::Base<'a>,
}

impl<'a> JdkBase<'a> {
    /// For this analysis with any filter or none. Nothing for analyses by classes, which have no base.
    pub fn solve(source: &'a dyn ClassSource, call_graph: CallGraph, implicit: bool) -> Option<Self> {
        let options = options_of(call_graph, implicit_kinds(implicit), true);
        Some(Self { solved: catchment_pointsto::Base::solve(source, options)? })
    }

    /// For another run, which reads them with [`Self::read`].
    pub fn to_bytes(&self) -> Vec<u8> {
        self.solved.to_bytes()
    }

    /// Reads the bytes of [`Self::to_bytes`], on the same classes and by the same code: nobody but the caller can know
    /// that it is so. Nothing if it was solved for another analysis, or surely is something else.
    pub fn read(
        bytes: &[u8],
        source: &'a dyn ClassSource,
        call_graph: CallGraph,
        implicit: bool,
    ) -> Option<Self> {
        let options = options_of(call_graph, implicit_kinds(implicit), true);
        Some(Self { solved: catchment_pointsto::Base::read(bytes, source, options)? })
    }

    /// The call graph of a program from its entry points, within a ceiling if there is one; nothing if this base is for
    /// another analysis.
    pub(crate) fn into_reached(
        self,
        source: &'a dyn ClassSource,
        analysis: Analysis,
        implicit: ImplicitKinds,
        ceiling: Option<Ceiling>,
        recorded: &[ReflectiveTarget],
        entries: impl FnOnce(&mut World<'a>) -> Vec<MethodId>,
    ) -> Option<Result<Reached<'a>, Refusal>> {
        let options = options_of(analysis.call_graph, implicit, true);
        (*self.solved.options() == options).then_some(())?;
        let base = if analysis.filter.is_some() { self.solved } else { self.solved.without_heap() };
        Some(base.into_reached(source, recorded, ceiling, entries))
    }
}

/// The call graph of a program from its entry points by this analysis, and the precision that a ceiling has cost.
pub(crate) fn reach<'a>(
    source: &'a dyn ClassSource,
    analysis: Analysis,
    implicit: ImplicitKinds,
    ceiling: Option<Ceiling>,
    too_large: Vec<Box<[u8]>>,
    recorded: &[ReflectiveTarget],
    entries: impl Fn(&mut World<'a>) -> Vec<MethodId>,
) -> (Reached<'a>, Coarsened) {
    let options = options_of(analysis.call_graph, implicit, analysis.filter.is_some());
    match ceiling {
        Some(ceiling) => analyse_within(source, options, ceiling, too_large, recorded, entries),
        None => (analyse_with_targets(source, options, recorded, entries), Coarsened::default()),
    }
}

/// All that the JVM itself can throw, or nothing of it.
pub(crate) fn implicit_kinds(are_wanted: bool) -> ImplicitKinds {
    if are_wanted { ImplicitKinds::ALL } else { ImplicitKinds::default() }
}

fn options_of(call_graph: CallGraph, implicit: ImplicitKinds, keeps_heap: bool) -> Options {
    let calls = match call_graph {
        CallGraph::Cha => CallGraphKind::Cha,
        CallGraph::Rta => CallGraphKind::Rta,
        CallGraph::Pta => CallGraphKind::Objects(Sensitivity::Insensitive),
        CallGraph::Inpta => CallGraphKind::Objects(Sensitivity::Constructors),
        CallGraph::TwoObj => CallGraphKind::Objects(Sensitivity::TwoObjects),
    };
    Options { analysis: calls, implicit, keeps_heap }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_seventeen_names_are_read_and_written_alike() {
        let with_filters = ["pta", "inpta", "2obj"].iter().flat_map(|graph| {
            let filtered = ["dr", "cdr", "mdr", "vdr"].iter().map(move |filter| format!("{graph}+{filter}"));
            std::iter::once((*graph).to_owned()).chain(filtered)
        });
        let names: Vec<String> = ["cha", "rta"].map(str::to_owned).into_iter().chain(with_filters).collect();
        assert_eq!(names.len(), 17);
        for name in names {
            assert_eq!(name.parse::<Analysis>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn filters_need_objects_to_follow() {
        for name in ["cha+dr", "rta+vdr"] {
            let error = name.parse::<Analysis>().unwrap_err();
            assert_eq!(error, AnalysisError::FilterWithoutObjects(name.to_owned()));
        }
    }

    #[test]
    fn other_names_are_refused() {
        for name in ["", "1obj", "pta+", "pta+xdr", "pta+dr+mdr", "+dr", "PTA", "pta "] {
            assert_eq!(name.parse::<Analysis>(), Err(AnalysisError::Unknown(name.to_owned())), "{name}");
        }
    }
}
