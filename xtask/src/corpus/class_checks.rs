//! Checks of one class without a JVM: exact rewriting, weaving, weaving again.

use super::results::{Check, Results};
use catchment_classfile::{ClassFile, rewrite};
use catchment_weave::{ProbeKinds, prepare};
use std::borrow::Cow;

/// A class that passed through the weaver.
#[derive(Debug)]
pub(super) struct Judged {
    /// Internal name in the class file, which may differ from where it lay.
    pub(super) name: String,
    pub(super) woven: Vec<u8>,
}

/// Checks one class and gives its woven form; `None` if it is no readable class.
pub(super) fn check_class(place: &str, bytes: &[u8], hash: u64, results: &Results) -> Option<Judged> {
    let class = match ClassFile::parse(bytes) {
        Ok(class) => class,
        Err(error) => {
            results.unreadable(place, &error.to_string());
            return None;
        }
    };
    check_rewriting(place, &class, results);
    let name = class.name.to_string();
    let woven = check_weaving(place, bytes, hash, results);
    Some(Judged { name, woven: woven.unwrap_or_else(|| bytes.to_vec()) })
}

/// Takes every method through the writer with nothing to change.
fn check_rewriting(place: &str, class: &ClassFile<'_>, results: &Results) {
    let rewritten = rewrite(class);
    results.add_methods(rewritten.methods);
    if let Some(error) = rewritten.refused.first() {
        results.unreadable(place, &error.to_string());
    }
    if rewritten.bytes != class.bytes {
        results.class_differs(Check::Rewrite, place, "bytes changed", class.bytes, &rewritten.bytes);
    }
}

/// Weaves with all probe kinds, twice. `None` if nothing had to change or nothing could.
fn check_weaving(place: &str, bytes: &[u8], hash: u64, results: &Results) -> Option<Vec<u8>> {
    let kinds = kinds(hash);
    let prepared = match prepare(bytes, kinds) {
        Ok(prepared) => prepared,
        Err(error) => {
            results.class_differs(Check::Weave, place, &error.to_string(), bytes, &[]);
            return None;
        }
    };
    let base = first_id(hash);
    let woven = prepared.weave(base);
    results.add_woven(prepared.probes(), prepared.pairs().pairs.len(), &woven.skipped);
    let again = prepare(bytes, kinds).map(|prepared| prepared.weave(base));
    if again.as_ref() != Ok(&woven) {
        let other = again.ok().and_then(|woven| woven.bytes).unwrap_or_default();
        results.class_differs(Check::Weave, place, "weaving again gives other bytes", bytes, &other);
    }
    woven.bytes.map(Cow::into_owned)
}

/// In half of the classes clauses can be given another object.
fn kinds(hash: u64) -> ProbeKinds {
    if (hash >> 1).is_multiple_of(2) { ProbeKinds::ALL } else { ProbeKinds::ALL.union(ProbeKinds::EXCHANGE) }
}

/// Half of the classes get ids that fit a `sipush`, the others such that need a constant.
fn first_id(hash: u64) -> u32 {
    let spread = u32::try_from(hash >> 32).unwrap_or_default() % 20_000;
    if hash.is_multiple_of(2) { spread % 100 } else { 32_768 + spread }
}
