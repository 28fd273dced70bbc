//! Class bytes in, class bytes that observe and can throw out. Pure and deterministic.
//!
//! A probe is a call of a static method of the Java runtime (see `protocol::runtime_abi`) with a number. Probes
//! of a class are numbered from 0 by [`prepare`]; [`Prepared::weave`] adds a base, so the same class can be
//! woven under any base without looking at it again.
//!
//! Frames stay right, so woven classes pass the JVM's verifier. A method that cannot hold its probes is left as
//! it was and listed with the reason.

mod class;
mod constants;
mod edges;
mod escapes;
mod frames;
mod inserts;
mod kinds;
mod method;
mod plain;
mod probes;
mod sites;

pub use kinds::ProbeKinds;
pub use sites::ProbeSite;

use catchment_classfile::{ClassError, ClassFile};
use catchment_pairs::{ClassPairs, Problem, pairs_of};
use class::ClassWeaver;
use sites::{ClassSites, number_sites};

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
    sites: ClassSites<'a>,
}

/// Reads `bytes` and numbers the probes of `kinds`.
pub fn prepare(bytes: &[u8], kinds: ProbeKinds) -> Result<Prepared<'_>, WeaveError> {
    let class = ClassFile::parse(bytes)?;
    let sites = number_sites(&class, kinds);
    Ok(Prepared { class, sites })
}

impl Prepared<'_> {
    /// Describes the pairs of the class. Weaving goes without: their tries are all it needs.
    pub fn pairs(&self) -> ClassPairs {
        pairs_of(&self.class)
    }

    /// Methods whose tries cannot be read, and so have no probes.
    pub fn problems(&self) -> &[Problem] {
        &self.sites.problems
    }

    /// How many probes there are.
    pub fn probes(&self) -> usize {
        self.sites.count
    }

    /// What each probe observes; the index is its local id.
    pub fn sites(&self) -> Vec<ProbeSite> {
        self.sites.list()
    }

    /// The class with its probes in place; probe `n` reports as `first_id + n`.
    pub fn weave(&self, first_id: u32) -> Woven {
        if self.sites.methods.is_empty() {
            return Woven { bytes: None, skipped: Vec::new() };
        }
        let mut weaver = ClassWeaver::new(&self.class, &self.sites, first_id);
        let mut skipped = Vec::new();
        for sites in &self.sites.methods {
            if let Err(reason) = weaver.weave_method(sites) {
                let method = &self.class.methods[sites.method];
                skipped.push(SkippedMethod {
                    method: sites.method,
                    name: method.name.to_string(),
                    descriptor: method.descriptor.to_string(),
                    reason: reason.to_string(),
                });
            }
        }
        Woven { bytes: weaver.finish(), skipped }
    }
}
