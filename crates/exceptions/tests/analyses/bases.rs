//! What all programs share: the JDK, solved once for each analysis and read again by every test, as a second run does.

use crate::program::Program;
use catchment_exceptions::CallGraph;
use catchment_pointsto::Options;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of bases by what they are for.
struct CachedBytes<K>(Mutex<Vec<(K, Arc<[u8]>)>>);

static OF_SEARCHES: CachedBytes<(CallGraph, bool)> = CachedBytes(Mutex::new(Vec::new()));
static OF_ANALYSES: CachedBytes<Options> = CachedBytes(Mutex::new(Vec::new()));

impl<K: Copy + PartialEq> CachedBytes<K> {
    fn get(&self, key: K, solve: impl FnOnce(&Program) -> Option<Vec<u8>>) -> Option<Arc<[u8]>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bytes)) = all.iter().find(|(known, _)| *known == key) {
            return Some(Arc::clone(bytes));
        }
        let bytes: Arc<[u8]> = solve(&Program::open(&[], "T"))?.into();
        all.push((key, Arc::clone(&bytes)));
        Some(bytes)
    }
}

/// Nothing for analyses by classes.
pub(crate) fn of_search(
    source: &Program,
    call_graph: CallGraph,
    implicit: bool,
) -> Option<catchment_exceptions::JdkBase<'_>> {
    let solve =
        |jdk: &Program| Some(catchment_exceptions::JdkBase::solve(jdk, call_graph, implicit)?.to_bytes());
    let bytes = OF_SEARCHES.get((call_graph, implicit), solve)?;
    Some(catchment_exceptions::JdkBase::read(&bytes, source, call_graph, implicit).expect("what was written"))
}

/// Nothing for analyses by classes.
pub(crate) fn of_analysis(source: &Program, options: Options) -> Option<catchment_pointsto::Base<'_>> {
    let solve = |jdk: &Program| Some(catchment_pointsto::Base::solve(jdk, options)?.to_bytes());
    let bytes = OF_ANALYSES.get(options, solve)?;
    Some(catchment_pointsto::Base::read(&bytes, source, options).expect("what was written"))
}
