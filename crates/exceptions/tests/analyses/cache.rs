//! A search that goes on from a cache finds the same.

use crate::inclusion::FILES_AND_LAMBDAS;
use crate::program::Program;
use catchment_exceptions::{AnalysisCache, search_from};
use std::cell::RefCell;

/// What a search keeps, for the next one.
#[derive(Default)]
struct MemoryCache {
    reached: RefCell<Option<Vec<u8>>>,
}

impl<'a> AnalysisCache<'a> for MemoryCache {
    fn base(&self) -> Option<catchment_exceptions::JdkBase<'a>> {
        assert!(self.reached.borrow().is_none(), "it is known what the program reaches");
        None
    }

    fn reached(&self) -> Option<Vec<u8>> {
        self.reached.borrow().clone()
    }

    fn write_reached(&self, reached: impl FnOnce() -> Option<Vec<u8>>) {
        *self.reached.borrow_mut() = reached();
    }
}

#[test]
fn a_search_that_goes_on_from_what_was_reached_finds_the_same() {
    let program = Program::compile(FILES_AND_LAMBDAS, Vec::new());
    for analysis in ["rta", "inpta"] {
        let request = program.request(analysis, &[]);
        let cache = MemoryCache::default();
        let found = || {
            let mut search = search_from(&cache, &program, &request, &mut |_| {}).expect("a program");
            let paths: Vec<_> = (1..=search.count().min(3)).map(|number| search.paths(number, 2)).collect();
            (search.answer(), paths, search.methods())
        };
        let first = found();
        assert!(cache.reached.borrow().is_some() && !first.0.links.is_empty(), "{analysis}");
        assert_eq!(found(), first, "{analysis}");
    }
}

#[test]
fn what_a_filter_needs_is_not_kept() {
    let program = Program::compile(FILES_AND_LAMBDAS, Vec::new());
    let cache = MemoryCache::default();
    search_from(&cache, &program, &program.request("pta+dr", &[]), &mut |_| {}).expect("a program");
    assert!(cache.reached.borrow().is_none());
}
