//! The cache of `links`: what the JVM reaches by itself, for each JDK, and what a program reaches, for that very
//! program.
//!
//! A cache key is a hash of all inputs of the cached result: the bytes of the JDK and of the program, the request, and
//! our own code. So no cache file is ever out of date, and deleting one costs nothing but time.

use crate::commands::links::cache_files::{CacheFiles, CacheKey, CacheSection};
use crate::commands::links::class_source::{JdkClasses, LayeredClasses};
use catchment_exceptions::{AnalysisCache, JdkBase, SearchRequest};
use std::cell::OnceCell;
use xxhash_rust::xxh3::Xxh3;

/// The cache of one search. Without cache files, nothing is read and nothing is written.
#[derive(Debug)]
pub(crate) struct LinksCache<'c> {
    classes: &'c LayeredClasses,
    jdk: &'c JdkClasses<'c>,
    request: &'c SearchRequest,
    cache_files: Option<CacheFiles>,
    /// Results of programs are cached as well.
    programs: bool,
    /// Inner none if the bytes of the JDK are not at hand.
    key_of_jdk: OnceCell<Option<CacheKey>>,
    key_of_program: OnceCell<Option<CacheKey>>,
}

impl<'c> LinksCache<'c> {
    pub(crate) fn new(
        classes: &'c LayeredClasses,
        jdk: &'c JdkClasses<'c>,
        request: &'c SearchRequest,
        cache_files: Option<CacheFiles>,
        programs: bool,
    ) -> Self {
        let (key_of_jdk, key_of_program) = (OnceCell::new(), OnceCell::new());
        Self { classes, jdk, request, cache_files, programs, key_of_jdk, key_of_program }
    }

    /// The key of the JDK with this analysis, by this code.
    fn key_of_jdk(&self) -> Option<&CacheKey> {
        let key = || {
            let SearchRequest { analysis, implicit, release, .. } = self.request;
            let mut key = KeyHash::default();
            key.add(env!("CATCHMENT_CODE").as_bytes());
            key.add(format!("{:?} {implicit} {release:?}", analysis.call_graph()).as_bytes());
            for (bytes, classes) in self.jdk.content()? {
                key.add(&classes.to_le_bytes());
                key.add(bytes);
            }
            Some(key.finish())
        };
        self.key_of_jdk.get_or_init(key).as_ref()
    }

    /// The key of this program on that JDK, from these entry points.
    fn key_of_program(&self) -> Option<&CacheKey> {
        let key = || {
            self.programs.then_some(())?;
            let SearchRequest { entries, own, reflective_targets, .. } = self.request;
            let mut key = KeyHash::default();
            key.add(&self.key_of_jdk()?.0);
            key.add(format!("{entries:?} {reflective_targets:?}").as_bytes());
            for names in [&own.application, &own.tests] {
                key.add(&names.len().to_le_bytes());
                names.iter().for_each(|name| key.add(name));
            }
            self.classes.for_each_content(&mut |bytes| key.add(bytes)).ok()?;
            Some(key.finish())
        };
        self.key_of_program.get_or_init(key).as_ref()
    }
}

impl<'c> AnalysisCache<'c> for LinksCache<'c> {
    /// The base from the cache, or solved and written to the cache.
    fn base(&self) -> Option<JdkBase<'c>> {
        let SearchRequest { analysis, implicit, .. } = self.request;
        let call_graph = analysis.call_graph();
        if !call_graph.has_base() {
            return None;
        }
        let place = self.cache_files.as_ref().and_then(|cache_files| Some((cache_files, self.key_of_jdk()?)));
        let read = |(cache_files, key): (&CacheFiles, &CacheKey)| {
            JdkBase::read(&cache_files.read(CacheSection::Jdk, key)?, self.jdk, call_graph, *implicit)
        };
        if let Some(base) = place.and_then(read) {
            return Some(base);
        }
        let base = JdkBase::solve(self.jdk, call_graph, *implicit)?;
        if let Some((cache_files, key)) = place {
            cache_files.write(CacheSection::Jdk, key, &base.to_bytes());
        }
        Some(base)
    }

    fn reached(&self) -> Option<Vec<u8>> {
        self.cache_files.as_ref()?.read(CacheSection::Programs, self.key_of_program()?)
    }

    fn write_reached(&self, reached: impl FnOnce() -> Option<Vec<u8>>) {
        let entry = self
            .cache_files
            .as_ref()
            .and_then(|cache_files| Some((cache_files, self.key_of_program()?, reached()?)));
        if let Some((cache_files, key, bytes)) = entry {
            cache_files.write(CacheSection::Programs, key, &bytes);
        }
    }
}

/// The hash of values one behind the other, each with its length, so that none can be taken for a part of its
/// neighbour.
#[derive(Default)]
struct KeyHash(Xxh3);

impl KeyHash {
    fn add(&mut self, bytes: &[u8]) {
        self.0.update(&bytes.len().to_le_bytes());
        self.0.update(bytes);
    }

    fn finish(&self) -> CacheKey {
        CacheKey(self.0.digest128().to_le_bytes())
    }
}
