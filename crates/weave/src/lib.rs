//! Class bytes in, class bytes that observe and can throw out. Pure and deterministic.
//!
//! A probe is a call of a static method of the Java runtime (see `protocol::runtime_abi`) with a number. Probes
//! of a class are numbered from 0 by [`prepare`]; [`Prepared::weave`] adds a base, so the same class can be
//! woven under any base without looking at it again.
//!
//! Frames stay right, so woven classes pass the JVM's verifier. A method that cannot hold its probes is left as
//! it was and listed with the reason.

mod constants;
mod edges;
mod escapes;
mod frames;
mod kinds;
mod method;
mod sites;

pub use kinds::ProbeKinds;
pub use sites::ProbeSite;

use catchment_classfile::{ClassError, ClassFile, replace_code};
use catchment_pairs::{ClassPairs, pairs_of};
use constants::ProbeConstants;
use sites::{MethodSites, number_sites};

/// A method left as it was, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedMethod {
    /// Index of the method in the class file.
    pub method: usize,
    pub name: String,
    pub descriptor: String,
    pub reason: String,
}

/// The outcome of weaving one class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Woven {
    /// `None` when nothing had to change.
    pub bytes: Option<Vec<u8>>,
    pub skipped: Vec<SkippedMethod>,
}

/// Why a class cannot be woven at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeaveError {
    #[error(transparent)]
    Unreadable(#[from] ClassError),
}

/// A class read and its probes numbered from 0, ready to be woven with any base.
#[derive(Debug)]
pub struct Prepared<'a> {
    class: ClassFile<'a>,
    pairs: ClassPairs,
    sites: Vec<ProbeSite>,
    methods: Vec<MethodSites>,
}

/// Reads `bytes` and numbers the probes of `kinds`.
pub fn prepare(bytes: &[u8], kinds: ProbeKinds) -> Result<Prepared<'_>, WeaveError> {
    let class = ClassFile::parse(bytes)?;
    let pairs = pairs_of(&class);
    let (sites, methods) = number_sites(&class, &pairs, kinds);
    Ok(Prepared { class, pairs, sites, methods })
}

impl Prepared<'_> {
    pub fn pairs(&self) -> &ClassPairs {
        &self.pairs
    }

    /// What each probe observes; the index is its local id.
    pub fn sites(&self) -> &[ProbeSite] {
        &self.sites
    }

    /// The class with its probes in place; probe `n` reports as `first_id + n`.
    pub fn weave(&self, first_id: u32) -> Woven {
        let mut constants = ProbeConstants::new(&self.class.pool, first_id, self.sites.len());
        let mut replacements = Vec::new();
        let mut skipped = Vec::new();
        for sites in &self.methods {
            let method = &self.class.methods[sites.method];
            match method::weave_method(&self.class, &self.pairs, &self.sites, sites, &mut constants) {
                Ok(replacement) => replacements.extend(replacement),
                Err(reason) => skipped.push(SkippedMethod {
                    method: sites.method,
                    name: method.name.to_string(),
                    descriptor: method.descriptor.to_string(),
                    reason: reason.to_string(),
                }),
            }
        }
        let bytes = (!replacements.is_empty())
            .then(|| replace_code(&self.class, constants.appended(), &replacements));
        Woven { bytes, skipped }
    }
}
