//! What the JVM reaches by itself, solved once for each JDK and kept for the next run.
//!
//! What is kept is named by all that it follows from: the bytes of the JDK, the analysis, and our own code. So it is never out of date, and whoever
//! deletes it loses nothing but time.

use crate::base_store::{BaseKey, BaseStore};
use crate::class_source::JdkClasses;
use catchment_exceptions::{Base, SearchRequest};
use xxhash_rust::xxh3::Xxh3;

/// The base of an analysis by objects, from the store if it is there, and from now on in it.
pub(crate) fn base_of<'c>(
    jdk: &'c JdkClasses<'c>,
    request: &SearchRequest,
    store: Option<&BaseStore>,
) -> Option<Base<'c>> {
    let call_graph = request.analysis.call_graph();
    if !call_graph.has_base() {
        return None;
    }
    let kept = store.and_then(|store| Some((store, key_of(jdk, request)?)));
    let read = |(store, key): &(&BaseStore, BaseKey)| {
        Base::read(&store.read(key)?, jdk, call_graph, request.implicit)
    };
    if let Some(base) = kept.as_ref().and_then(read) {
        return Some(base);
    }
    let base = Base::solve(jdk, call_graph, request.implicit)?;
    if let Some((store, key)) = kept {
        store.write(&key, &base.to_bytes());
    }
    Some(base)
}

/// Nothing if the bytes of the JDK are not at hand.
fn key_of(jdk: &JdkClasses<'_>, request: &SearchRequest) -> Option<BaseKey> {
    let mut hash = Xxh3::new();
    let mut add = |bytes: &[u8]| {
        hash.update(&bytes.len().to_le_bytes());
        hash.update(bytes);
    };
    add(env!("CATCHMENT_CODE").as_bytes());
    add(format!("{:?} {} {:?}", request.analysis.call_graph(), request.implicit, request.release).as_bytes());
    for (bytes, classes) in jdk.content()? {
        add(&classes.to_le_bytes());
        add(bytes);
    }
    Some(BaseKey(hash.digest128().to_le_bytes()))
}
